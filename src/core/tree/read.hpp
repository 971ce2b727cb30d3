// Nodes of a finished tree as the builder takes them, for whoever writes a tree anew.
#pragma once

#include "tree/builder.hpp"
#include "tree/split.hpp"
#include "tree/tree.hpp"

namespace tw {

NodeFacts facts_of(const Tree& tree, std::size_t node);
Split split_of(const Tree& tree, std::size_t node);
// Hands the candidates of a node to the builder, as those of another.
void copy_candidates(const Tree& tree, std::size_t node, u32 to, Builder& builder);

}  // namespace tw
