// Runs enrolled pruners: what they need is checked, and what they decide is carried out.
#include "prune/pruner.hpp"

#include <cmath>

#include "base/errors.hpp"

namespace tw {

namespace {

void check(const PrunerEntry& pruner, const PruneInput& input, bool needs_loss) {
  const auto refuse = [&](const char* why) { throw Invalid("'" + pruner.name + "' " + why); };
  input.costs.check(input.tree);
  if (pruner.classes_only && input.tree.n_classes == 0) refuse("is defined for classes");
  if (!pruner.losses && !input.costs.loss.empty()) refuse("takes every error for the same");
  if (pruner.errors == ErrorsNeeded::squares && input.tree.n_classes == 0 && input.costs.measure != Measure::squares)
    refuse("is defined by variances");
  for (const PrunerOption& option : pruner.options)
    if (option.numbers_only && input.tree.n_classes > 0 && input.options.given(option.name)) refuse("has options for numbers only");
  if (needs_loss && input.loss.size() != input.tree.size()) refuse("needs the losses of a pruning set, one number per node");
  if (pruner.rows == RowsNeeded::training && input.rows == nullptr) refuse("needs the rows the tree was grown from");
}

Plan by_keys(const PrunerEntry& pruner, const PruneInput& input, double value) {
  const std::vector<double> keys = keys_of(pruner, input);
  std::vector<u8> ends(keys.size());
  for (std::size_t i = 0; i < keys.size(); ++i) ends[i] = pruner.above_keys ? keys[i] < value : keys[i] <= value;
  return {input.tree, ends};
}

Plan plan_of(const PrunerEntry& pruner, const PruneInput& input) {
  for (const PrunerOption& option : pruner.options) {
    if (!input.options.given(option.name)) continue;
    if (option.role == OptionRole::key) return by_keys(pruner, input, input.options.number(option.name));
    if (!option.path_end.empty() && input.options.text(option.name) == option.path_end)
      return by_keys(pruner, input, std::numeric_limits<double>::max());
  }
  if (pruner.plan == nullptr) throw Invalid("'" + pruner.name + "' chooses from a path: an option must say how far to go");
  check(pruner, input, pruner.rows == RowsNeeded::pruning);
  return pruner.plan(input);
}

}  // namespace

const PrunerEntry& pruner_entry(const std::string& name) {
  const PrunerEntry* found = Registry<PrunerEntry>::find(name);
  if (found == nullptr) throw Invalid("pruner '" + name + "' is unknown");
  return *found;
}

std::vector<double> keys_of(const PrunerEntry& pruner, const PruneInput& input) {
  if (pruner.keys == nullptr) throw Invalid("'" + pruner.name + "' has no path of nested trees");
  check(pruner, input, pruner.keys_by_rows);
  return pruner.keys(input);
}

Tree pruned(const PrunerEntry& pruner, const PruneInput& input, bool anew) {
  const Plan plan = plan_of(pruner, input);
  if (input.rows == nullptr) return cut_back(input.tree, plan.ends);
  std::string criterion;
  for (const PrunerOption& option : pruner.options)
    if (option.kind == OptionKind::criterion) criterion = input.options.text(option.name);
  if (criterion.empty() && (anew || plan.raises())) throw Invalid("'" + pruner.name + "' does not describe nodes anew");
  return carried_out(input.tree, plan, *input.rows, {criterion, input.costs.factor}, anew, input.job);
}

}  // namespace tw
