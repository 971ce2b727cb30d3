// Reduced-error pruning (Quinlan 1987): rows apart from the training rows decide. Nodes answer by their training rows.
#pragma once

#include <vector>

#include "base/job_control.hpp"
#include "tree/tree.hpp"

namespace tw {

// Bottom up: a node ends if that costs no more than what is left of its branches. The result is the best pruned tree for these rows, and
// the smallest of the best. `loss` of every node as a leaf.
std::vector<u8> reduced_error(const Tree& tree, const std::vector<double>& loss);

// As it was first described: the node whose end helps most ends first (of equals the one of the lowest number, which is nearest to the root
// on its path), until every end would harm. By node: when it ended, or went with one above it, counted from 1; kNever; 0 for leaves.
inline constexpr u32 kNever = ~u32{0};
std::vector<u32> reduced_error_greedy(const Tree& tree, const std::vector<double>& loss, const JobControl& job);

}  // namespace tw
