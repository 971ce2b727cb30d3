// When the engine of drawn cuts applies: columns are numbers that are all there, nothing but the best of them is wanted, and one thread
// grows the tree. The sorted engine draws the same cuts where it does not.
#include "grow/drawn/applies.hpp"

#include <algorithm>

#include "base/registry.hpp"
#include "grow/chooser.hpp"
#include "grow/engine.hpp"
#include "grow/limits.hpp"

namespace tw {

namespace {

bool drawn_applies(const Table& table, const GrowSettings& settings) {
  const SearchSettings& search = settings.search;
  if (!search.drawn || !settings.shortcuts() || settings.refuses_some() || !settings.columns_alone() || settings.calls_python() ||
      keeps_some(settings) || counts_cuts(settings) || chooser_entry(settings.chooser).foreseen != Foreseen::best ||
      search.numeric != Family::threshold)
    return false;
  if (search.decides() || !search.reweighted.empty() || search.significance > 0 || settings.min_every > 0 || settings.min_branch > 0 ||
      settings.early_pruning || settings.order() != Order::depth_first || settings.threads > 1)
    return false;
  const auto numbers = [](const EncodedColumn& column) {
    return column.kind == Kind::numeric && !column.discretised && column.n_missing == 0 && !column.sparse();
  };
  return table.target.n_classes <= 256 && std::all_of(table.columns.begin(), table.columns.end(), numbers) &&
         Registry<DrawnCriterion>::find(search.criterion) != nullptr;
}

Tree grow_drawn(Table& table, const GrowSettings& settings, JobControl& job) {
  return Registry<DrawnCriterion>::find(settings.search.criterion)->grow(table, settings, job);
}

const Enrol<EngineEntry> drawn({"drawn", 2, &drawn_applies, &grow_drawn});

}  // namespace

}  // namespace tw
