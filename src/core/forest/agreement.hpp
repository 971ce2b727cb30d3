// In how many trees rows end in the same leaf, and which other rows of many share most: leaves as small numbers, tree by tree.
#pragma once

#include <span>
#include <vector>

#include "base/types.hpp"

namespace tw {

struct Nearest {
  std::vector<u32> rows;    // of every row those that share most leaves with it, of as many the first ones first
  std::vector<u32> shared;  // and in how many trees
};

// The nearest `k` of `others` for every row of `own`. Leaves are given tree by tree; those of a tree are numbered from 0. Row i of `own` is
// row `itself` + i of the others, which is not its own neighbour; below 0: none of them. At least `k` others must be left.
Nearest nearest_rows(std::span<const u8> own, std::span<const u8> others, std::size_t n_trees, std::size_t k, i64 itself, unsigned threads);
Nearest nearest_rows(std::span<const u16> own, std::span<const u16> others, std::size_t n_trees, std::size_t k, i64 itself,
                     unsigned threads);

}  // namespace tw
