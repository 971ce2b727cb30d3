// Numbers for pairs of numbers: open addressing, grown by doubling. Longer keys are chains of pairs.
#pragma once

#include <algorithm>
#include <vector>

#include "base/hash.hpp"
#include "base/types.hpp"

namespace tw::relational {

class PairTable {
 public:
  static constexpr u32 kNone = std::numeric_limits<u32>::max();

  u32 find(u32 first, u32 second) const {
    if (!matrix_.empty()) return second < width_ ? matrix_[u64{first} * width_ + second] : kNone;
    if (keys_.empty()) return kNone;
    const u64 key = key_of(first, second);
    for (u64 at = mix(key) & mask_;; at = (at + 1) & mask_) {
      if (numbers_[at] == kNone) return kNone;
      if (keys_[at] == key) return numbers_[at];
    }
  }

  // The number of the pair; a new pair gets the next one.
  u32 number(u32 first, u32 second) {
    matrix_.clear();
    if (2 * (n_ + 1) > keys_.size()) widen();
    const u64 key = key_of(first, second);
    for (u64 at = mix(key) & mask_;; at = (at + 1) & mask_) {
      if (numbers_[at] == kNone) {
        keys_[at] = key;
        numbers_[at] = static_cast<u32>(n_);
        return static_cast<u32>(n_++);
      }
      if (keys_[at] == key) return numbers_[at];
    }
  }

  std::size_t size() const { return n_; }

  // Looks pairs up in a matrix from now on, until a pair is added, where that takes little more room. First numbers are below `n_first`.
  void spread(u32 n_first) {
    u64 width = 0;
    for (std::size_t at = 0; at < keys_.size(); ++at)
      if (numbers_[at] != kNone) width = std::max(width, (keys_[at] & 0xffffffffU) + 1);
    if (width == 0 || u64{n_first} * width > kMostCells * n_) return;
    width_ = width;
    matrix_.assign(n_first * width, kNone);
    for (std::size_t at = 0; at < keys_.size(); ++at)
      if (numbers_[at] != kNone) matrix_[(keys_[at] >> 32) * width + (keys_[at] & 0xffffffffU)] = numbers_[at];
  }

 private:
  static constexpr u64 kMostCells = 64;  // of the matrix, by pair

  static u64 key_of(u32 first, u32 second) { return (u64{first} << 32) | second; }

  void widen() {
    const std::size_t size = keys_.empty() ? 16 : 2 * keys_.size();
    std::vector<u64> keys(size);
    std::vector<u32> numbers(size, kNone);
    mask_ = size - 1;
    for (std::size_t i = 0; i < keys_.size(); ++i) {
      if (numbers_[i] == kNone) continue;
      u64 at = mix(keys_[i]) & mask_;
      while (numbers[at] != kNone) at = (at + 1) & mask_;
      keys[at] = keys_[i];
      numbers[at] = numbers_[i];
    }
    keys_ = std::move(keys);
    numbers_ = std::move(numbers);
  }

  std::vector<u64> keys_;
  std::vector<u32> numbers_;
  u64 mask_ = 0;
  std::vector<u32> matrix_;  // by first and second number
  u64 width_ = 0;
  std::size_t n_ = 0;
};

}  // namespace tw::relational
