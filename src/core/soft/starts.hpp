// Where the training of a gate begins.
#pragma once

#include <vector>

#include "soft/grow.hpp"

namespace tw {

// The rows that reach a leaf, what the rest of the tree says of them, and what the leaf says.
struct SoftLeaf {
  SoftRows rows;
  SoftPlace place;
  std::vector<double> answer;
};

// Stumps: at the best cut of a column (as in the authors' program), across the direction in which the loss changes most, and across random
// directions. Which cut is best is told by the fall of the loss that a step of Newton's method promises.
std::vector<SoftTree> soft_starts(const SoftLeaf& leaf, const SoftSettings& settings, u64 path);

}  // namespace tw
