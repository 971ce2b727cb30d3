// Finishes a grown tree as its recipe says.
#include "prune/finish.hpp"

#include "prune/collapse.hpp"
#include "prune/cost_complexity.hpp"
#include "prune/held_out.hpp"
#include "prune/rpart.hpp"
#include "tree/thresholds.hpp"

namespace tw {

namespace {

std::vector<u8> beyond_complexity(const Tree& tree, double cp, const GrowSettings& settings) {
  const std::vector<double> risk = own_risk(tree, Risk::error, Costs({}, settings.search.loss, "variance"));
  if (settings.after.cp_as_rpart) return rpart_complexity(tree, risk, cp, settings.loss_sums).ends;
  const std::vector<double> cost = cost_complexity(tree, risk);
  std::vector<u8> ends(tree.size());
  for (std::size_t i = 0; i < ends.size(); ++i) ends[i] = cost[i] <= cp * risk[0];
  return ends;
}

}  // namespace

Tree finish(Tree tree, const GrowSettings& settings, const std::vector<View>& cells, u64 n_rows) {
  if (settings.after.collapse) tree = cut_back(tree, useless_splits(tree));
  if (settings.after.at_training_values) tree = at_training_values(std::move(tree), cells, n_rows);
  if (settings.after.cp) tree = cut_back(tree, beyond_complexity(tree, *settings.after.cp, settings));
  return tree;
}

}  // namespace tw
