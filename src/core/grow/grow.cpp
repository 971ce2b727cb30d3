// What all engines have in common before they begin, and which of them does.
#include "grow/grow.hpp"

#include <algorithm>
#include <cmath>

#include "base/errors.hpp"
#include "grow/answers.hpp"
#include "grow/engine.hpp"
#include "grow/priors.hpp"
#include "table/binned.hpp"

namespace tw {

namespace {

// From how many levels on a nominal column is wide: a share of all weight, unless every column is that wide (Quinlan 1993).
double wide_levels(const Table& table, double share) {
  const double from = share * table.weights.plain(table.weights.total);
  const auto wide = [&](const EncodedColumn& column) { return column.kind == Kind::nominal && column.n_codes >= from; };
  const bool all = std::all_of(table.columns.begin(), table.columns.end(), wide);
  return all ? std::numeric_limits<double>::infinity() : from;
}

// Early pruning is left out where it could not decide what the pruner will.
void limit_early_pruning(const Table& table, GrowSettings& settings) {
  // A pruner sends rows down the tree as they would be to be answered: only so are they where they were while growing.
  const auto holes = [](const EncodedColumn& column) { return column.n_missing > 0; };
  if (!table.target.nominal() || !settings.shortcuts() || settings.refuses_some() || settings.search.decides() ||
      settings.order() != Order::depth_first ||
      (!divides_rows(settings.search.missing) && std::any_of(table.columns.begin(), table.columns.end(), holes)))
    settings.early_pruning.reset();
  // The candidates of a node are shown even where it ends; and of pieces nobody knows what those left ungrown would have saved.
  if (settings.early_pruning &&
      (settings.keep_candidates || settings.max_competitors > 0 || (settings.threads > 1 && settings.early_pruning->collapse)))
    settings.early_pruning->ends_nodes = false;
}

const EngineEntry& engine_for(const Table& table, const GrowSettings& settings) {
  const EngineEntry* best = nullptr;
  for (const EngineEntry& engine : Registry<EngineEntry>::all()) {
    const bool asked = settings.engine == "automatic" || settings.engine == engine.name;
    if (asked && engine.applies(table, settings) && (best == nullptr || engine.speed > best->speed)) best = &engine;
  }
  if (best != nullptr) return *best;
  if (Registry<EngineEntry>::find(settings.engine) == nullptr) throw Invalid("engine '" + settings.engine + "' is unknown");
  throw Invalid("the " + settings.engine + " engine does not apply to these settings");
}

}  // namespace

void fit_settings(Table& table, GrowSettings& settings) {
  const bool asked = table.target.nominal() && weighs_classes(settings);
  fit_settings(table, asked ? weights_by_class(table) : std::vector<double>(), settings);
}

void fit_settings(Table& table, const std::vector<double>& by_class, GrowSettings& settings) {
  if (settings.discretiser) {
    refuse_dense(table.columns, table.n_rows);
    for (std::size_t j = 0; j < table.columns.size(); ++j)
      if (table.columns[j].kind == Kind::numeric) {
        EncodedColumn& column = table.columns.edit(j);
        if (column.codes.empty()) rank_rows(column);
        discretise(column, *settings.discretiser, settings.bins, table.target, table.weights);
      }
  }
  // Limits count weight; sums of fractions may miss a limit by rounding.
  const double least = std::ceil(table.weights.in_quanta(settings.min_leaf - 1e-6 * std::min(1.0, settings.min_leaf)));
  settings.search.min_leaf = static_cast<i64>(std::min(least, static_cast<double>(table.weights.total + 1)));
  settings.min_split -= 1e-6 * std::min(1.0, settings.min_split);
  settings.search.wide_levels = wide_levels(table, settings.wide_share);
  set_class_factors(by_class, settings);
}

Tree grow(Table table, GrowSettings settings, JobControl& job) {
  fit_settings(table, settings);
  limit_early_pruning(table, settings);
  if (settings.calls_python()) settings.threads = 1;  // Python is called on the calling thread only
  job.total = table.n_rows;
  const EngineEntry& engine = engine_for(table, settings);
  for (std::size_t j = 0; j < table.columns.size() && !engine.reads_in_place; ++j)
    if (in_place(table.columns[j])) take_codes(table.columns.edit(j), table.n_rows);
  Tree tree = engine.grow(table, settings, job);
  keep_answers_in_range(tree, settings);
  return tree;
}

}  // namespace tw
