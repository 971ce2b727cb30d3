// The codes of a node of few rows in order, of all its counted columns at once: the rows are sorted by a network whose comparisons serve
// several columns abreast. Counters of every code would be more than the rows are.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "base/types.hpp"

namespace tw {

class FewCodes {
 public:
  static constexpr u32 kMostRows = 32;
  static constexpr u32 kMostCodes = (1 << 10) - 2;  // a code, missing cells being one more, and a row share 15 bits

  void clear() {
    rows_ = 0;
    summed_ = false;
  }
  bool empty() const { return rows_ == 0; }

  // `codes`: those of a row side by side, `width` of them; `ids`: the rows.
  void sort(const u16* codes, std::size_t width, std::span<const u32> ids) {
    rows_ = static_cast<u32>(ids.size());
    width_ = width;
    keys_.resize((width + kAbreast - 1) / kAbreast * kMostRows);
    for (std::size_t block = 0; block * kAbreast < width; ++block) {
      Keys* keys = keys_.data() + block * kMostRows;
      if (rows_ <= 4)
        sort_block<4>(codes, ids, block, keys);
      else if (rows_ <= 8)
        sort_block<8>(codes, ids, block, keys);
      else if (rows_ <= 16)
        sort_block<16>(codes, ids, block, keys);
      else
        sort_block<kMostRows>(codes, ids, block, keys);
    }
  }

  // With one number a row: for every column the most that n S^2 / (l r) reaches at a cut with at least `least` of the n rows on either
  // side, S being the sum of the l numbers below, which together make 0. (So the between-group sum of squares.) In single precision, all
  // columns abreast.
  void sum_up(std::span<const float> numbers, u32 least) {
    most_.assign(keys_.size() / kMostRows, Sums{});
    for (std::size_t block = 0; block < most_.size(); ++block) {
      const Keys* keys = keys_.data() + block * kMostRows;
      Sums sum{};
      Sums& most = most_[block];
      for (u32 i = 1; i < rows_; ++i) {
        const Keys& key = keys[i - 1];
        const auto number = [&](std::size_t lane) { return numbers[static_cast<u32>(key[lane]) & (kMostRows - 1)]; };
        sum[0] += Numbers{number(0), number(1), number(2), number(3)};
        sum[1] += Numbers{number(4), number(5), number(6), number(7)};
        if (i < least || rows_ - i < least) continue;
        const float by = static_cast<float>(rows_) / static_cast<float>(i * (rows_ - i));
        // Codes differ if keys do by more than their rows.
        const Keys same = ((key ^ keys[i]) & ~std::int16_t{kMostRows - 1}) == 0;
        for (std::size_t half = 0; half < 2; ++half) {
          const Numbers square = sum[half] * sum[half] * by;
          const Wide tied{same[4 * half], same[4 * half + 1], same[4 * half + 2], same[4 * half + 3]};
          most[half] = (square > most[half]) & ~tied ? square : most[half];
        }
      }
    }
    summed_ = true;
  }
  bool summed() const { return summed_; }
  float most(std::size_t slot) const {
    const auto [block, lane] = place_of(slot);
    return most_[block][lane / 4][lane % 4];
  }

  // Calls `use(code, place of the row among the ids)` in order of code, as long as it says so.
  template <class Use>
  void each(std::size_t slot, const Use& use) const {
    const auto [block, lane] = place_of(slot);
    const Keys* keys = keys_.data() + block * kMostRows;
    for (u32 i = 0; i < rows_; ++i) {
      const auto key = static_cast<u32>(keys[i][lane]);
      if (!use(key >> kRowBits, key & (kMostRows - 1))) return;
    }
  }
  u32 last_code(std::size_t slot) const {
    const auto [block, lane] = place_of(slot);
    return static_cast<u32>(keys_[block * kMostRows + rows_ - 1][lane]) >> kRowBits;
  }

 private:
  static constexpr u32 kRowBits = 5;
  static_assert(kMostRows == 1 << kRowBits);
  static constexpr std::size_t kAbreast = 8;
  using Keys [[gnu::vector_size(kAbreast * sizeof(std::int16_t))]] = std::int16_t;

  using Numbers [[gnu::vector_size(4 * sizeof(float))]] = float;
  using Wide [[gnu::vector_size(4 * sizeof(std::int32_t))]] = std::int32_t;
  using Sums = std::array<Numbers, kAbreast / 4>;

  struct Lane {
    std::size_t block;
    std::size_t lane;
  };
  // The last block of a wide row begins where it ends with the row.
  std::size_t begin_of(std::size_t block) const { return width_ < kAbreast ? 0 : std::min(block * kAbreast, width_ - kAbreast); }
  Lane place_of(std::size_t slot) const {
    const std::size_t block = slot / kAbreast;
    return {block, slot - begin_of(block)};
  }

  // Pairs to be put in order, one after the other: Batcher's odd-even merge sort.
  template <u32 kRows>
  static constexpr auto network() {
    std::array<std::array<u8, 2>, 256> pairs{};
    u32 n = 0;
    for (u32 p = 1; p < kRows; p *= 2)
      for (u32 k = p; k >= 1; k /= 2)
        for (u32 j = k % p; j + k < kRows; j += 2 * k)
          for (u32 i = j; i < j + std::min(k, kRows - j - k); ++i)
            if (i / (2 * p) == (i + k) / (2 * p)) pairs[n++] = {static_cast<u8>(i), static_cast<u8>(i + k)};
    return std::pair(pairs, n);
  }

  // What is missing to a power of two comes last.
  template <u32 kRows>
  void sort_block(const u16* codes, std::span<const u32> ids, std::size_t block, Keys* out) const {
    static constexpr auto kPairs = network<kRows>();
    std::array<Keys, kRows> keys;
    const u16* first = codes + begin_of(block);
    const std::size_t bytes = std::min(width_, kAbreast) * sizeof(u16);
    for (u32 i = 0; i < rows_; ++i) {
      Keys read{};
      if (bytes == sizeof read)
        std::memcpy(&read, first + ids[i] * width_, sizeof read);
      else
        std::memcpy(&read, first + ids[i] * width_, bytes);
      keys[i] = (read << std::int16_t{kRowBits}) + static_cast<std::int16_t>(i);
    }
    for (u32 i = rows_; i < kRows; ++i) keys[i] = Keys{} + std::numeric_limits<std::int16_t>::max();
    for (u32 at = 0; at < kPairs.second; ++at) {
      Keys& a = keys[kPairs.first[at][0]];
      Keys& b = keys[kPairs.first[at][1]];
      const Keys moved = (a ^ b) & (b < a);
      a ^= moved;
      b ^= moved;
    }
    std::copy_n(keys.begin(), rows_, out);
  }

  u32 rows_ = 0;
  std::size_t width_ = 0;
  std::vector<Keys> keys_;  // by block of columns and place
  std::vector<Sums> most_;  // by block
  bool summed_ = false;
};

}  // namespace tw
