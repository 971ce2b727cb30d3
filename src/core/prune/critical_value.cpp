// Critical-value pruning (Mingers 1987): a split stays if it, or one below it, was worth enough when the tree was grown.
#include <algorithm>

#include "base/numbers.hpp"
#include "prune/pruner.hpp"

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

// The most that a split there or below was worth; a node ends where the critical value is larger. Leaves have 0. The split information of
// "gain_ratio" counts the rows of the branches.
std::vector<double> keys(const PruneInput& input) {
  const Tree& tree = input.tree;
  const bool ratio = input.options.text("measure") == "gain_ratio";
  std::vector<double> most(tree.size(), 0);
  for (std::size_t i = tree.size(); i-- > 0;) {
    if (!tree.leaf(i)) {
      double own = tree.gain[i];
      if (ratio) {
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

const Enrol<PrunerEntry> enrol({
    .name = "critical_value",
    .summary = "a split stays if it, or one below it, was worth a critical value when the tree was grown (Mingers 1987)",
    .rows = RowsNeeded::pruning,
    .options = {{.name = "value",
                 .doc = "the critical value; without it, the one whose tree errs least on the pruning set",
                 .role = OptionRole::key},
                {.name = "measure",
                 .doc = "what a split was worth",
                 .kind = OptionKind::choice,
                 .usual = "gain",
                 .choices = {"gain", "gain_ratio"},
                 .of_path = true},
                rule_option()},
    .keys = &keys,
    .above_keys = true,
});

}  // namespace

}  // namespace tw
