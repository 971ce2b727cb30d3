// Which column an exact search would choose, from estimates with bounds.
#include "grow/shortcuts/column_estimate.hpp"

#include <algorithm>
#include <cmath>

#include "base/numbers.hpp"
#include "grow/chooser.hpp"
#include "search/cut_rules.hpp"

namespace tw {

namespace {

// Of a gain in bits, from estimates that are within 1.1e-8 of x for x log2 x; four of those meet in a gain or a split information.
constexpr double kDoubt = 1e-7;

}  // namespace

ColumnEstimate estimate_of(const GrowSettings& settings, const NodeTargets& targets, double gained, i64 present, double bits, u64 tried,
                           u64 tried_least) {
  ColumnEstimate out;
  const auto all = static_cast<double>(targets.weight);
  out.gain = std::max(0.0, gained / all);
  out.split_info = std::max(0.0, bits / all);
  out.doubt = kDoubt * static_cast<double>(present) / all;
  out.worth = out.gain;
  out.any = true;
  if (tried > 0) {
    if (settings.search.penalty) {
      const double most = log2_of(static_cast<double>(tried)) / targets.facts.weight;
      const double least = tried_least > 0 ? log2_of(static_cast<double>(tried_least)) / targets.facts.weight : most;
      out.worth -= (most + least) / 2;
      out.doubt += (most - least) / 2;
    }
    const double least = least_gain(settings.search);
    if (std::fabs(out.worth - least) <= out.doubt) out.doubtful = true;
    if (out.worth <= least) out.any = false;
  }
  if (settings.search.criterion == "info_gain") {
    out.rank = out.worth;
    out.rank_doubt = out.doubt;
    return out;
  }
  if (out.split_info < 1e-4) out.doubtful = true;
  out.rank = out.worth / out.split_info;
  out.rank_doubt = 2 * (out.doubt + std::fabs(out.rank) * kDoubt) / out.split_info;
  return out;
}

ColumnEstimate estimate_of(const std::optional<Candidate>& found) {
  ColumnEstimate out;
  if (!found) return out;
  out.any = true;
  out.wide = found->wide;
  out.gain = found->gain;
  out.worth = found->gain - found->penalty;
  out.split_info = found->split_info;
  out.rank = found->rank;
  out.rank_doubt = 1e-9 * std::fabs(found->rank);  // further than ties reach
  return out;
}

Predicted predict_column(const GrowSettings& settings, const std::vector<Column>& columns, const std::vector<ColumnEstimate>& estimates) {
  const Foreseen as = chooser_entry(settings.chooser).foreseen;
  const bool above_average = as == Foreseen::above_average;
  const bool averages = as != Foreseen::best;
  const bool quinlan = as == Foreseen::quinlan;
  double sum = 0;
  double count = 0;
  double doubt = 0;
  bool any = false;
  for (const ColumnEstimate& o : estimates) {
    if (!o.any) continue;
    any = true;
    doubt = std::max(doubt, o.doubt);
    if (!above_average && o.wide) continue;
    sum += above_average ? o.gain : o.worth;
    count += 1;
  }
  if (!any) return {true, std::nullopt, {}};
  double floor = -std::numeric_limits<double>::infinity();
  if (above_average)
    floor = sum / count * (1 - kAverageMargin);
  else if (averages)
    floor = count > 0 ? sum / count - kAverageMargin : std::numeric_limits<double>::infinity();
  const double margin = 2 * doubt + 1e-12;
  std::vector<std::size_t> eligible;
  for (std::size_t i = 0; i < estimates.size(); ++i) {
    const ColumnEstimate& o = estimates[i];
    if (!o.any) continue;
    const double measure = above_average ? o.gain : o.worth;
    if (averages && std::fabs(measure - floor) <= margin) return {};
    if (averages && measure < floor) continue;
    if (quinlan) {
      if (std::fabs(o.split_info - kLeastInformation) <= 1e-6) return {};
      if (o.split_info < kLeastInformation) continue;
    }
    eligible.push_back(i);
  }
  const auto unsure = [&](const ColumnEstimate& a, const ColumnEstimate& b) {
    return a.rank_doubt + b.rank_doubt + 1e-9 * std::fabs(a.rank);
  };
  std::optional<std::size_t> best;
  if (as == Foreseen::weka) {
    // In the order of the columns: a later one must be better by a step.
    for (const std::size_t i : eligible) {
      const ColumnEstimate before = best ? estimates[*best] : ColumnEstimate{};
      if (std::fabs(estimates[i].rank - before.rank - kWekaTie) <= unsure(estimates[i], before)) return {};
      if (estimates[i].rank - before.rank > kWekaTie) best = i;
    }
  } else {
    for (const std::size_t i : eligible)
      if (!best || estimates[i].rank > estimates[*best].rank) best = i;
    for (const std::size_t i : eligible)
      if (i != *best && estimates[*best].rank - estimates[i].rank <= unsure(estimates[*best], estimates[i])) return {};
  }
  if (!best) return {true, std::nullopt, {}};
  return {true, columns[*best], estimates[*best]};
}

}  // namespace tw
