// Critical-value pruning (Mingers 1987): a split stays if it, or one below it, was worth enough when the tree was grown.
#pragma once

#include <vector>

#include "tree/tree.hpp"

namespace tw {

enum class Worth : u8 { gain, gain_ratio };

// By node: the most that a split there or below was worth; a node ends where the critical value is larger. Leaves have 0.
// The split information of `gain_ratio` counts the rows of the branches.
std::vector<double> critical_values(const Tree& tree, Worth worth);

}  // namespace tw
