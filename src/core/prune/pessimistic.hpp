// Pessimistic pruning (Quinlan 1987): training errors with half an error more for every leaf, and a standard error of slack.
#pragma once

#include <vector>

#include "tree/tree.hpp"

namespace tw {

// From the root down: a node ends if its corrected errors are at most those of its subtree and `slack` standard errors of them.
std::vector<u8> pessimistic(const Tree& tree, double slack);

}  // namespace tw
