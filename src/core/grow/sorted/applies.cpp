// When the sorted engine applies, and by which unit it then grows a tree.
#include "grow/sorted/applies.hpp"

#include <algorithm>

#include "base/registry.hpp"
#include "grow/chooser.hpp"
#include "grow/criterion_entry.hpp"
#include "grow/engine.hpp"
#include "grow/limits.hpp"
#include "grow/sorted/frame.hpp"

namespace tw {

const SortedCriterion* sorted_unit_of(const SearchSettings& search) {
  if (search.callback) return nullptr;
  const bool reweighted = !search.reweighted.empty() && !criterion_entry(search.criterion).priors;
  return Registry<SortedCriterion>::find(reweighted ? reweighted_name(search.criterion) : search.criterion);
}

namespace {

// Whether candidates are kept, of columns that are all searched to their end: nobody counts the cuts that an order of answers leaves.
bool may_keep(const GrowSettings& settings) {
  return !counts_cuts(settings) && !settings.search.keeps_order() && !settings.search.drawn && settings.max_features == 0 &&
         settings.min_every <= 0 && !settings.early_pruning;
}

// What the settings alone say. A Python tie-breaker wants to know the path.
bool may_apply(const GrowSettings& settings) {
  const SearchSettings& search = settings.search;
  const ChooserEntry& chooser = chooser_entry(settings.chooser);
  if (!settings.shortcuts() || (search.drawn && (counts_cuts(settings) || search.missing == Missing::surrogate)) ||
      sorted_unit_of(search) == nullptr || !settings.columns_alone() || chooser.refits || search.numeric != Family::threshold ||
      settings.calls_python() || (keeps_some(settings) && !may_keep(settings)))
    return false;
  if (!counts_cuts(settings)) return search.nominal == Family::subset || search.nominal == Family::one_vs_rest;
  return !settings.refuses_some() && chooser.foreseen != Foreseen::no &&
         (search.criterion == "gain_ratio" || search.criterion == "info_gain") && search.reweighted.empty() && search.significance <= 0 &&
         settings.min_every <= 0 && settings.max_features == 0 && settings.max_leaves == 0;
}

// Rows are not divided, and where cuts are counted all columns are numbers and all rows weigh the same.
bool may_apply(const Table& table, const GrowSettings& settings) {
  const SearchSettings& search = settings.search;
  const auto any = [&](auto question) { return std::any_of(table.columns.begin(), table.columns.end(), question); };
  const bool holes = any([](const EncodedColumn& column) { return column.n_missing > 0; });
  if (counts_cuts(settings))
    return !holes && table.weights.quanta.empty() && table.weights.unit == 1 &&
           !any([](const EncodedColumn& column) { return column.kind == Kind::nominal; });
  if (holes && sorted_unit_of(search)->in_order) return false;
  return search.missing == Missing::learned || search.missing == Missing::majority || search.missing == Missing::surrogate ||
         search.missing == Missing::refuse || !holes;
}

}  // namespace

bool sorted_applies(const Table& table, const GrowSettings& settings) {
  // Labels are bytes; entries keep one of 32 bits for the label.
  return may_apply(settings) && may_apply(table, settings) && table.target.n_classes <= 256 && table.n_rows < (Row{1} << 31);
}

Tree grow_by_sorted(Table& table, const GrowSettings& settings, JobControl& job) {
  const SearchSettings& search = settings.search;
  // Lists without the common value say nothing of who stands in for whom, nor of cuts that were not chosen, nor of what both sides answer.
  if (keeps_some(settings) || search.keeps_order() || search.drawn || search.cuts != Cuts::all || search.missing == Missing::surrogate) {
    refuse_dense(table.columns, table.n_rows);
    for (std::size_t j = 0; j < table.columns.size(); ++j)
      if (table.columns[j].sparse()) rank_rows(table.columns.edit(j));
  }
  for (std::size_t j = 0; j < table.columns.size(); ++j) {
    const EncodedColumn& column = table.columns[j];
    if (search.cuts != Cuts::all && !column.codes.empty() && column.crowd == 0) list_values(table.columns.edit(j), kLeastGap);
  }
  return sorted_unit_of(search)->grow(table, settings, job);
}

namespace {

const Enrol<EngineEntry> sorted({"sorted", 1, &sorted_applies, &grow_by_sorted});

}  // namespace

u32 order_from(const GrowSettings& settings, bool nominal_columns, bool weighted) {
  return may_apply(settings) && !(counts_cuts(settings) && (nominal_columns || weighted)) ? kListFrom : 0;
}

}  // namespace tw
