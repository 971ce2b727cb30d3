// Columns drawn at random for a node, more of them where the first ones offer no split. What is drawn depends on the node's path alone.
#pragma once

#include <algorithm>
#include <array>
#include <span>
#include <utility>
#include <vector>

#include "base/hash.hpp"

namespace tw {

class ColumnDraw {
 public:
  void start(const std::vector<Column>& from, u64 node_path) {
    left_.resize(from.size());
    const u64 start = mix(node_path ^ 0x5bd1e995);
    for (std::size_t i = 0; i < from.size(); ++i) left_[i] = {mix(start ^ from[i]), from[i]};
    taken_ = 0;
  }

  bool any_left() const { return taken_ < left_.size(); }

  // The next columns, in table order: so many the first time, then one by one.
  std::span<const Column> next(std::size_t first) {
    const auto begin = left_.begin() + static_cast<std::ptrdiff_t>(taken_);
    std::size_t n = 1;
    if (taken_ == 0) {
      n = std::min(first, left_.size());
      if (left_.size() <= kMostRanked && take_lowest(n)) return drawn_;
      if (n <= kFew)
        put_lowest_first(n);
      else
        std::nth_element(begin, begin + static_cast<std::ptrdiff_t>(n) - 1, left_.end());
    } else if (!in_order_) {
      std::sort(begin, left_.end());
    }
    in_order_ = taken_ > 0;
    drawn_.clear();
    for (std::size_t i = 0; i < n; ++i) drawn_.push_back(begin[static_cast<std::ptrdiff_t>(i)].second);
    std::sort(drawn_.begin(), drawn_.end());
    taken_ += n;
    return drawn_;
  }

 private:
  static constexpr std::size_t kFew = 16;
  static constexpr std::size_t kMostRanked = 64;  // columns of which each is compared with each

  // Draws the n lowest of few columns: each is ranked among all by the upper halves of their numbers, without a branch that could only be
  // guessed. False, and nothing is done, if these do not tell.
  bool take_lowest(std::size_t n) {
    using Four [[gnu::vector_size(16)]] = std::int32_t;
    std::array<Four, kMostRanked / 4> keys;
    std::array<Four, kMostRanked / 4> ranks{};
    const std::size_t many = left_.size();
    const std::size_t blocks = (many + 3) / 4;
    const auto key = [&](std::size_t i) {  // as signed numbers, which are compared four at a time
      return i < many ? static_cast<std::int32_t>(static_cast<u32>(left_[i].first >> 32) ^ 0x80000000U) : std::int32_t{0x7fffffff};
    };
    for (std::size_t b = 0; b < blocks; ++b) keys[b] = Four{key(4 * b), key(4 * b + 1), key(4 * b + 2), key(4 * b + 3)};
    for (std::size_t i = 0; i < many; ++i) {
      const std::int32_t one = keys[i / 4][i % 4];
      const Four own{one, one, one, one};
      for (std::size_t b = 0; b < blocks; ++b) ranks[b] -= own < keys[b];
    }
    drawn_.clear();
    for (std::size_t i = 0; i < many; ++i)
      if (ranks[i / 4][i % 4] < static_cast<std::int32_t>(n)) drawn_.push_back(left_[i].second);
    if (drawn_.size() != n) return false;
    std::size_t at = 0;
    for (std::size_t i = 0; i < many; ++i)
      if (ranks[i / 4][i % 4] < static_cast<std::int32_t>(n)) std::swap(left_[at++], left_[i]);
    in_order_ = false;
    taken_ = n;
    return true;
  }

  // Keeps the lowest so far in order in front: most of the others are just compared with the last of them.
  void put_lowest_first(std::size_t n) {
    for (std::size_t i = 1; i < left_.size(); ++i) {
      const auto one = left_[i];
      std::size_t at = std::min(i, n);
      if (i >= n && left_[n - 1].first < one.first) continue;
      if (i >= n) left_[i] = left_[--at];
      for (; at > 0 && one.first < left_[at - 1].first; --at) left_[at] = left_[at - 1];
      left_[at] = one;
    }
  }

  std::vector<std::pair<u64, Column>> left_;  // by draw: different columns of a node never draw the same number
  std::vector<Column> drawn_;
  std::size_t taken_ = 0;
  bool in_order_ = false;  // those that are left
};

}  // namespace tw
