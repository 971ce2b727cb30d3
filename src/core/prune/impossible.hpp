// Branches that no row can take, because the groups of levels above them have already sent every such row elsewhere (C4.5's -s).
#pragma once

#include "tree/tree.hpp"

namespace tw {

// The tree without levels in last branches of groups that cannot occur there, and without last branches none of whose levels can.
Tree without_impossible_branches(const Tree& tree);

}  // namespace tw
