// Undoes splits that save no training error, as C4.5 does while it grows and J48 right after: the unpruned trees of both are without them.
#pragma once

#include <vector>

#include "tree/tree.hpp"

namespace tw {

// By node: 1 if its split is to be undone.
std::vector<u8> useless_splits(const Tree& tree);

}  // namespace tw
