// Sends rows down a tree. A row ends in one leaf, or, where a missing cell is followed down all branches, in several with
// shares that add to one.
#pragma once

#include <vector>

#include "base/work.hpp"
#include "tree/tree.hpp"

namespace tw {

struct Routes {
  std::vector<u32> leaf;   // one a row; of several the one with the largest share (lowest number if equal)
  std::vector<u64> begin;  // empty if every row ends in one leaf; else row i owns [begin[i], begin[i + 1]) of the next two
  std::vector<u32> leaves;
  std::vector<double> shares;
};

// `cells` has one view a column: numbers for numeric columns (NaN is missing), level numbers for nominal ones (anything that
// is not a level number is missing).
Routes route(const Tree& tree, const std::vector<View>& cells, u64 n_rows, unsigned threads, const Work& work);

}  // namespace tw
