// Rows to be predicted, as they arrive from Python.
#pragma once

#include <vector>

#include "bind/arrays.hpp"
#include "tree/tree.hpp"

namespace tw::bind {

// One view a column, checked against the columns of the tree.
std::vector<View> cells_of(const Tree& tree, const std::vector<Array>& arrays, u64 n_rows);

}  // namespace tw::bind
