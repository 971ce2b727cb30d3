// Losses and views are made, the search is run with the narrowest losses that fit, and its plan becomes a tree.
#include "optimal/optimal.hpp"

#include <cmath>

#include "optimal/planned.hpp"
#include "optimal/search.hpp"

namespace tw {

namespace {

// Where missing cells follow the heavier branch: by view and row what a row weighs, 0 where the cell is missing.
std::vector<i64> present_weights(const Table& table, const Views& views) {
  std::vector<i64> out;
  if (!views.by_majority) return out;
  out.reserve(views.each.size() * table.n_rows);
  for (const TestView& view : views.each) {
    const EncodedColumn& column = table.columns[views.tests[view.borders[0].test].column];
    for (Row row = 0; row < table.n_rows; ++row) out.push_back(column.codes[row] == kMissing ? 0 : table.weights[row]);
  }
  return out;
}

}  // namespace

OptimalOutcome optimal_tree(const Table& table, const OptimalSettings& settings, JobControl& job) {
  const RowLosses losses = row_losses(table, settings.search, settings.cost_per_leaf);
  const Views views = make_views(table, settings);
  const std::vector<i64> present = present_weights(table, views);
  const double dear = settings.cost_per_leaf / losses.scale;
  // A leaf that costs as much as all rows might never pays.
  constexpr double kMost = 0x1p60;
  const Cost per_split = static_cast<Cost>(std::llround(std::min(dear, kMost)));
  Meter meter(settings, job);
  OptimalOutcome out;
  Known best;
  Cost greedy = 0;
  with_losses(losses, [&](const auto& priced) {
    using Losses = std::remove_cvref_t<decltype(priced)>;
    if (views.each.empty()) {
      typename Losses::Sums sums;
      for (Row row = 0; row < table.n_rows; ++row) sums.add(priced.of(row));
      greedy = best.upper = best.lower = priced.leaf(sums);
      return;
    }
    OptimalSearch<Losses> search(views, losses, priced, present, per_split, settings.cache_bytes, meter);
    auto found = search.run(settings.max_depth, settings.max_splits);
    best = std::move(found.best);
    greedy = found.greedy;
    out.cache_peak = search.cache_peak();
  });
  if (meter.ended() == Ended::interrupt && !settings.keep_best) throw Interrupted();
  out.ended = meter.stopped() ? meter.ended() : Ended::proven;
  if (best.lower >= best.upper) out.ended = Ended::proven;
  out.steps = meter.steps();
  out.looks = meter.looks();
  const double first_leaf = static_cast<double>(per_split) * losses.scale;
  out.cost = static_cast<double>(best.upper) * losses.scale + first_leaf;
  out.bound = static_cast<double>(best.lower) * losses.scale + first_leaf;
  out.greedy = static_cast<double>(greedy) * losses.scale + first_leaf;
  out.tree = planned_tree(table, settings.search, views, best.plan);
  return out;
}

}  // namespace tw
