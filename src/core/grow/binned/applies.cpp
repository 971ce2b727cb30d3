// When the binned engine applies: all columns are codes that stand in their cells, rows go to one of two branches, and the best column
// wins. The sorted engine grows the same trees where it does not.
#include "grow/binned/applies.hpp"

#include <algorithm>

#include "base/registry.hpp"
#include "grow/chooser.hpp"
#include "grow/engine.hpp"
#include "grow/limits.hpp"
#include "grow/sorted/applies.hpp"
#include "table/binned.hpp"

namespace tw {

namespace {

constexpr std::size_t kMostCounters = 1 << 22;  // of a node

bool may_apply(const GrowSettings& settings) {
  const SearchSettings& search = settings.search;
  return settings.shortcuts() && !settings.refuses_some() && settings.columns_alone() && !settings.calls_python() &&
         !keeps_some(settings) && !counts_cuts(settings) && chooser_entry(settings.chooser).foreseen == Foreseen::best &&
         search.numeric == Family::threshold && !search.drawn &&
         (search.nominal == Family::subset || search.nominal == Family::one_vs_rest) && search.significance <= 0 &&
         settings.min_every <= 0 && settings.min_branch <= 0 && !settings.early_pruning && search.missing != Missing::surrogate &&
         binned_unit_of(search) != nullptr;
}

}  // namespace

const BinnedCriterion* binned_unit_of(const SearchSettings& search) {
  const SortedCriterion* sorted = sorted_unit_of(search);
  return sorted == nullptr ? nullptr : Registry<BinnedCriterion>::find(sorted->name);
}

bool binned_applies(const Table& table, const GrowSettings& settings) {
  if (table.columns.empty() || !may_apply(settings)) return false;
  const auto fits = [&](const EncodedColumn& column) { return in_place(column) && column.cells.type == table.columns[0].cells.type; };
  if (!std::all_of(table.columns.begin(), table.columns.end(), fits)) return false;
  std::size_t slots = 0;
  bool holes = false;
  for (const EncodedColumn& column : table.columns) {
    slots += std::size_t{column.n_codes} + 1;
    holes = holes || column.n_missing > 0;
  }
  const Missing missing = settings.search.missing;
  if (holes && missing != Missing::learned && missing != Missing::majority) return false;
  if (!table.target.nominal()) return 3 * slots <= kMostCounters && table.n_rows < (Row{1} << 31);
  return table.target.n_classes <= 256 && slots * table.target.n_classes <= kMostCounters && table.n_rows < (Row{1} << 31);
}

namespace {

Tree grow_binned(Table& table, const GrowSettings& settings, JobControl& job) {
  return binned_unit_of(settings.search)->grow(table, settings, job);
}

const Enrol<EngineEntry> binned({"binned", 3, &binned_applies, &grow_binned, true});

}  // namespace

}  // namespace tw
