// Cost-complexity pruning of a logistic model tree (Breiman et al. 1984, as in LMT): errors are those of the models on the training
// rows, leaves that keep their parent's model count once per parent, and a subtree that is not better than its root is cut at once.
#pragma once

#include <vector>

#include "tree/tree.hpp"

namespace tw {

// Per node: training errors of its model, whether the model is its own, whether the subtree is cut from the start.
struct PathInput {
  const Tree& tree;
  const std::vector<double>& wrong;
  const std::vector<u8>& own;
  std::vector<u8> cut_at_once;
  double total = 0;  // weight of all rows
};

struct LogisticPath {
  std::vector<double> alpha;    // of every tree from the whole one (0) to the root alone, and 1 behind the last
  std::vector<double> error;    // of these trees on other rows, if these were given
  std::vector<u8> cut_at_once;  // subtrees that were cut at once
};

// `held_out`: per node the errors of other rows if the node were a leaf; empty: none.
LogisticPath logistic_path(PathInput input, const std::vector<double>& held_out);

// The nodes that are leaves in the tree that `alpha` selects.
std::vector<u8> logistic_cut(PathInput input, double alpha);

}  // namespace tw
