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
    numbers_.resize(from.size());
    drawn_.resize(from.size() + 1);
    const u64 last = lowest_of<kMost>(from, mix(node_path ^ 0x5bd1e995), n);  // as ColumnDraw numbers them
    std::size_t count = 0;
    for (std::size_t i = 0; i < from.size(); ++i) {
      drawn_[count] = from[i];
      count += numbers_[i] <= last;
    }
    return {drawn_.data(), count};
  }

 private:
  // Numbers the columns; the n-th lowest number. The lowest are kept in order in registers, which are as many as the loop was made for.
  // Different columns of a node never draw the same number.
  template <std::size_t kLowest>
  u64 lowest_of(const std::vector<Column>& from, u64 start, std::size_t n) {
    if constexpr (kLowest > 1)
      if (n < kLowest) return lowest_of<kLowest - 1>(from, start, n);
    std::array<u64, kLowest> lowest;
    lowest.fill(~u64{0});
    for (std::size_t i = 0; i < from.size(); ++i) {
      u64 one = numbers_[i] = mix(start ^ from[i]);
      for (u64& kept : lowest) {  // the lower of two stays: without a branch, as no compiler is sure to make of std::min
        const u64 changed = (one ^ kept) & -u64{one < kept};
        kept ^= changed;
        one ^= changed;
      }
    }
    return lowest.back();
  }

  std::vector<u64> numbers_;
  std::vector<Column> drawn_;
};

}  // namespace tw
