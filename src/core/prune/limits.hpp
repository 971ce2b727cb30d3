// Limits applied to a grown tree: what they would have stopped while it grew ends now.
#pragma once

#include <limits>
#include <vector>

#include "tree/tree.hpp"

namespace tw {

struct AfterLimits {
  u32 max_depth = std::numeric_limits<u32>::max();
  double min_weight = 0;  // of a node with branches
  double min_gain = 0;    // of a split
};

std::vector<u8> beyond_limits(const Tree& tree, const AfterLimits& limits);

}  // namespace tw
