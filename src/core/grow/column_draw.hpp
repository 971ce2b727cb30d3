// Columns drawn at random for a node, more of them where the first ones offer no split. What is drawn depends on the node's path alone.
#pragma once

#include <algorithm>
#include <array>
#include <cstring>
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
    } else if (!in_order_) {  // those that were drawn stand in front, the others in order of their numbers behind them
      const auto was_drawn = [&](const auto& one) { return std::binary_search(drawn_.begin(), drawn_.end(), one.second); };
      std::partition(left_.begin(), left_.end(), was_drawn);
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
    constexpr std::size_t kBlocks = kMostRanked / 4;
    const std::size_t many = left_.size();
    const std::size_t blocks = (many + 3) / 4;
    std::array<std::int32_t, kMostRanked> keys;  // signed: such are compared four at a time
    for (std::size_t i = 0; i < many; ++i) keys[i] = static_cast<std::int32_t>(static_cast<u32>(left_[i].first >> 32) ^ 0x80000000U);
    for (std::size_t i = many; i < 4 * blocks; ++i) keys[i] = 0x7fffffff;
    std::array<Four, kBlocks> fours;
    std::memcpy(fours.data(), keys.data(), blocks * sizeof(Four));
    std::array<Four, kBlocks> counts;
    std::fill_n(counts.begin(), blocks, Four{});
    for (std::size_t i = 0; i < many; ++i) {
      const Four own = Four{} + keys[i];
      for (std::size_t b = 0; b < blocks; ++b) counts[b] -= own < fours[b];
    }
    std::array<std::int32_t, kMostRanked> ranks;
    std::memcpy(ranks.data(), counts.data(), blocks * sizeof(Four));
    drawn_.resize(many);
    std::size_t found = 0;
    for (std::size_t i = 0; i < many; ++i) {
      drawn_[found] = left_[i].second;
      found += ranks[i] < static_cast<std::int32_t>(n);
    }
    drawn_.resize(std::min(found, n));
    if (found != n) return false;
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
