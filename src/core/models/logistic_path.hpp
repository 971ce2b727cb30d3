// Cost-complexity pruning of a logistic model tree (Breiman et al. 1984, as LMT has it): errors are those of the models on the training
// rows, a leaf that says what its parent says counts once a parent, and a subtree that is not better than its root goes at once.
#pragma once

#include <vector>

#include "tree/tree.hpp"

namespace tw {

// By node: training errors of its model, whether the model is its own, whether the subtree is gone from the start.
struct PathInput {
  const Tree& tree;
  const std::vector<double>& wrong;
  const std::vector<u8>& own;
  std::vector<u8> gone;
  double total = 0;  // weight of all rows
};

struct LogisticPath {
  std::vector<double> alpha;  // of every tree from the whole one (0) to the root alone, and 1 behind the last
  std::vector<double> error;  // of these trees by `judged`, if that was given
  std::vector<u8> gone;       // subtrees that went at once
};

// `judged`: by node errors of other rows, were the node a leaf; empty: none.
LogisticPath logistic_path(PathInput input, const std::vector<double>& judged);

// The nodes that end in the tree that `alpha` selects.
std::vector<u8> logistic_cut(PathInput input, double alpha);

}  // namespace tw
