// What rpart makes of a complexity parameter: which nodes it divides, and what the split of each saves.
#pragma once

#include <vector>

#include "tree/tree.hpp"

namespace tw {

struct RpartComplexity {
  std::vector<u8> ends;            // by node: rpart does not divide it
  std::vector<double> complexity;  // by node: what its split saves, per split of its subtree
};

// `risk` of every node as a leaf; `class_factor`: what a row of each class counts where splits are compared, beyond its weight in the node
// (empty: one each).
RpartComplexity rpart_complexity(const Tree& tree, const std::vector<double>& risk, double cp, const std::vector<double>& class_factor);

}  // namespace tw
