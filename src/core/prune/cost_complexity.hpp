// Cost-complexity pruning (Breiman, Friedman, Olshen and Stone 1984, chapter 3): what a leaf must cost for a node to become one.
#pragma once

#include <vector>

#include "tree/tree.hpp"

namespace tw {

// By node: the least cost of a leaf at which the smallest subtree of least risk + cost * leaves ends there or above; 0 for leaves. So
// that subtree for a cost is the tree cut at every node whose entry is at most that cost. Entries never rise from a node to one
// below it. `risk` of every node as a leaf, weights counted. O(n log n) whatever the shape.
std::vector<double> cost_complexity(const Tree& tree, const std::vector<double>& risk);

}  // namespace tw
