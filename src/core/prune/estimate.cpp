// Errors and weights of nodes, and the errors to expect of a whole tree.
#include "prune/estimate.hpp"

#include <algorithm>
#include <cmath>

namespace tw {

double errors_at(const Tree& tree, std::size_t node) {
  double sum = 0;
  double most = 0;
  if (tree.weight[node] == 0) return 0;
  for (auto c = tree.class_begin[node]; c < tree.class_begin[node + 1]; ++c) {
    sum += tree.class_weight[c];
    most = std::max(most, tree.class_weight[c]);
  }
  return sum - most;
}

double weight_at(const Tree& tree, std::size_t node) {
  if (tree.weight[node] == 0 || tree.n_classes == 0) return tree.weight[node];
  double sum = 0;
  for (auto c = tree.class_begin[node]; c < tree.class_begin[node + 1]; ++c) sum += tree.class_weight[c];
  // Without priors the two are the same but for rounding.
  return std::abs(sum - tree.weight[node]) <= 1e-9 * tree.weight[node] ? tree.weight[node] : sum;
}

double estimated_errors(const Tree& tree, const ErrorEstimate& estimate) {
  double sum = 0;
  for (std::size_t i = 0; i < tree.size(); ++i)
    if (tree.leaf(i)) sum += estimate.total(tree.weight[i], errors_at(tree, i));
  return sum;
}

}  // namespace tw
