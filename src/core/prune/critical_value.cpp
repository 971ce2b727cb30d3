#include "prune/critical_value.hpp"

#include <algorithm>

#include "base/numbers.hpp"

namespace tw {

namespace {

double split_information(const Tree& tree, std::size_t node) {
  double total = 0;
  double bits = 0;
  const std::size_t first = tree.first_child[node];
  for (std::size_t c = first; c < first + tree.n_children[node]; ++c) total += tree.weight[c];
  for (std::size_t c = first; c < first + tree.n_children[node]; ++c)
    if (tree.weight[c] > 0) bits -= tree.weight[c] / total * log2_of(tree.weight[c] / total);
  return bits;
}

}  // namespace

std::vector<double> critical_values(const Tree& tree, Worth worth) {
  std::vector<double> most(tree.size(), 0);
  for (std::size_t i = tree.size(); i-- > 0;) {
    if (!tree.leaf(i)) {
      double own = tree.gain[i];
      if (worth == Worth::gain_ratio) {
        const double bits = split_information(tree, i);
        own = bits > 0 ? own / bits : 0;
      }
      most[i] = std::max(most[i], own);
    }
    if (i > 0) {
      double& up = most[static_cast<std::size_t>(tree.parent[i])];
      up = std::max(up, most[i]);
    }
  }
  return most;
}

}  // namespace tw
