// A depth-first numbering: the nodes of any subtree are adjacent.
#pragma once

#include <vector>

#include "tree/tree.hpp"

namespace tw {

struct DepthFirst {
  std::vector<u32> first;  // by node: its number; those below it follow
  std::vector<u32> size;   // by node: nodes of its subtree

  explicit DepthFirst(const Tree& tree) : first(tree.size(), 0), size(tree.size(), 1) {
    for (std::size_t i = tree.size(); i-- > 1;) size[static_cast<std::size_t>(tree.parent[i])] += size[i];
    for (std::size_t i = 0; i < tree.size(); ++i) {
      u32 at = first[i] + 1;
      for (std::size_t c = tree.first_child[i]; c < tree.first_child[i] + tree.n_children[i]; ++c) {
        first[c] = at;
        at += size[c];
      }
    }
  }
};

}  // namespace tw
