// Losses and views are made, the search is run with the narrowest losses that fit, and its plan becomes a tree.
#include "optimal/optimal.hpp"

#include <cmath>

#include "optimal/planned.hpp"
#include "optimal/search.hpp"

namespace tw {

OptimalOutcome optimal_tree(const Table& table, const OptimalSettings& settings, JobControl& job) {
  const RowLosses losses = row_losses(table, settings.search, settings.cost_per_leaf);
  Meter meter(settings, job);
  const Views views = make_views(table, settings, meter);
  const double dear = settings.cost_per_leaf / losses.scale;
  // A leaf that costs as much as all rows might never pays.
  constexpr double kMost = 0x1p60;
  const Cost per_split = static_cast<Cost>(std::llround(std::min(dear, kMost)));
  const double first_leaf = settings.cost_per_leaf;
  meter.in_unit(losses.scale, first_leaf);
  OptimalOutcome out;
  Known best;
  Cost greedy = 0;
  with_losses(losses, [&](const auto& priced) {
    using Losses = std::remove_cvref_t<decltype(priced)>;
    if (views.each.empty()) {
      typename Losses::Sums sums;
      for (Row row = 0; row < table.n_rows; ++row) sums.add(priced.of(row));
      greedy = best.upper = priced.leaf(sums);
      best.lower = meter.stopped() ? 0 : best.upper;
      return;
    }
    OptimalSearch<Losses> search(table, views, losses, priced, per_split, settings.cache_bytes, meter);
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
  // What rounding may have hidden is not proven: of rows, and of the cost of leaves.
  const u32 splits = Limits{settings.max_depth, std::min(settings.max_splits, table.n_rows)}.fitted().splits;
  const Cost leaves = (Cost{splits} + 1) * ((static_cast<double>(per_split) == dear ? 0 : 1) + (table.target.nominal() ? 0 : 4));
  const Cost sure = std::max<Cost>(best.lower - losses.rounding - leaves, 0);
  out.cost = static_cast<double>(best.upper) * losses.scale + first_leaf;
  out.bound = static_cast<double>(sure) * losses.scale + first_leaf;
  out.greedy = static_cast<double>(greedy) * losses.scale + first_leaf;
  out.tree = planned_tree(table, settings.search, views, best.plan);
  return out;
}

}  // namespace tw
