// Pessimistic pruning (Quinlan 1987): training errors with half an error more for every leaf, and a standard error of slack.
#include <algorithm>
#include <cmath>

#include "prune/estimate.hpp"
#include "prune/pruner.hpp"

namespace tw {

namespace {

// From the root down: a node ends if its corrected errors are at most those of its subtree and `slack` standard errors of them.
Plan plan(const PruneInput& input) {
  const Tree& tree = input.tree;
  const double slack = input.options.number("slack");
  constexpr double kHalf = 0.5;  // the continuity correction of a leaf
  std::vector<double> below(tree.size(), 0);
  std::vector<u8> ends(tree.size(), 0);
  for (std::size_t i = tree.size(); i-- > 0;) {
    if (tree.leaf(i)) below[i] = errors_at(tree, i) + kHalf;
    if (i > 0) below[static_cast<std::size_t>(tree.parent[i])] += below[i];
  }
  // No need to stop below a node that ends: what is decided there has no effect.
  for (std::size_t i = 0; i < tree.size(); ++i) {
    if (tree.leaf(i)) continue;
    const double n = weight_at(tree, i);
    const double error = n > 0 ? std::sqrt(std::max(0.0, below[i] * (n - below[i]) / n)) : 0;
    ends[i] = errors_at(tree, i) + kHalf <= below[i] + slack * error;
  }
  return {tree, ends};
}

const Enrol<PrunerEntry> enrol({
    .name = "pessimistic",
    .summary = "half an error more for every leaf, and a standard error of slack; from the root down (Quinlan 1987)",
    .classes_only = true,
    .losses = false,
    .options = {{.name = "slack", .doc = "standard errors by which a leaf may be worse than the subtree", .usual = 1.0}},
    .plan = &plan,
});

}  // namespace

}  // namespace tw
