// The first columns that are drawn for a node.
#pragma once

#include <algorithm>
#include <array>
#include <span>
#include <vector>

#include "base/hash.hpp"

namespace tw {

// What `ColumnDraw` draws first, where that is few columns: a branch that asks which number is lower could be foretold no better than a
// coin.
class FewColumns {
 public:
  static constexpr std::size_t kMost = 8;

  // `n` of them at most, in table order.
  std::span<const Column> draw(const std::vector<Column>& from, u64 node_path, std::size_t n) {
    const u64 start = mix(node_path ^ 0x5bd1e995);  // as ColumnDraw numbers them
    numbers_.resize(from.size());
    lowest_.fill(~u64{0});
    for (std::size_t i = 0; i < from.size(); ++i) {
      u64 one = numbers_[i] = mix(start ^ from[i]);
      for (std::size_t at = 0; at < n; ++at) {  // keeps them in order
        const u64 other = lowest_[at];
        lowest_[at] = std::min(one, other);
        one = std::max(one, other);
      }
    }
    const u64 last = lowest_[n - 1];  // different columns of a node never draw the same number
    drawn_.resize(from.size() + 1);
    std::size_t count = 0;
    for (std::size_t i = 0; i < from.size(); ++i) {
      drawn_[count] = from[i];
      count += numbers_[i] <= last;
    }
    return {drawn_.data(), count};
  }

 private:
  std::vector<u64> numbers_;
  std::array<u64, kMost> lowest_{};
  std::vector<Column> drawn_;
};

}  // namespace tw
