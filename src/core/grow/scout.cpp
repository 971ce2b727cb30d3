#include "grow/scout.hpp"

#include <algorithm>
#include <cmath>

#include "base/ahead.hpp"
#include "base/numbers.hpp"
#include "grow/chooser.hpp"
#include "search/column_rows.hpp"
#include "search/cut_rules.hpp"

namespace tw {

namespace {

// Of a gain in bits, from estimates that are within 1.1e-8 of x for x log2 x; four of those meet in a gain or a split information.
constexpr double kDoubt = 1e-7;

}  // namespace

bool Scout::applies(const Table& table, const GrowSettings& settings) {
  const SearchSettings& search = settings.search;
  const bool holes =
      std::any_of(table.columns.begin(), table.columns.end(), [](const EncodedColumn& column) { return column.n_missing > 0; });
  const bool policy = !holes || search.missing == Missing::fraction || search.missing == Missing::majority;
  return settings.engine != EngineKind::plain && !search.judge && search.altered.empty() &&
         (search.criterion == "gain_ratio" || search.criterion == "info_gain") && policy && search.numeric == Family::threshold &&
         search.nominal == Family::multiway && search.significance <= 0 && !settings.keep_candidates && settings.max_competitors == 0 &&
         settings.min_every <= 0 && settings.max_features == 0 && !settings.discretiser;
}

// From what a division is worth to what it is compared by. `gained`: fall of the weighted entropy of the known rows; `bits`: split
// information; both summed over weight.
void Scout::finish(Outlook& out, const NodeTargets& targets, double gained, i64 known, double bits, u64 tried) const {
  const auto all = static_cast<double>(targets.weight);
  out.gain = std::max(0.0, gained / all);
  out.split_info = std::max(0.0, bits / all);
  out.doubt = kDoubt * static_cast<double>(known) / all;
  out.worth = out.gain;
  out.any = true;
  if (tried > 0) {
    if (settings_.search.penalty) out.worth -= log2_of(static_cast<double>(tried)) / targets.facts.weight;
    const double least = least_gain(settings_.search);
    if (std::fabs(out.worth - least) <= out.doubt) out.doubtful = true;
    if (out.worth <= least) out.any = false;
  }
  if (settings_.search.criterion == "info_gain") {
    out.rank = out.worth;
    out.rank_doubt = out.doubt;
    return;
  }
  if (out.split_info < 1e-4) out.doubtful = true;
  out.rank = out.worth / out.split_info;
  out.rank_doubt = 2 * (out.doubt + std::fabs(out.rank) * kDoubt) / out.split_info;
}

Scout::Outlook Scout::exact(const NodeRows& node, const NodeTargets& targets, Column index, Scratch& scratch) const {
  Outlook out;
  if (const auto found = searcher_.best(node, targets, index, scratch)) {
    out.any = true;
    out.wide = found->wide;
    out.gain = found->gain;
    out.worth = found->gain - found->penalty;
    out.split_info = found->split_info;
    out.rank = found->rank;
    out.rank_doubt = 1e-9 * std::fabs(found->rank);  // further than ties reach
  }
  return out;
}

Scout::Outlook Scout::nominal(const NodeTargets& targets, Column index, Scratch& scratch) const {
  const EstimatedLog& log = estimated_log();
  const EncodedColumn& column = table_.columns[index];
  const std::size_t k = targets.classes.size();
  const i64 least = std::max<i64>(settings_.search.min_leaf, 1);
  const i64* counts = scratch.level_counts.data() + scratch.counts_begin[index];
  const i64* missing = counts + std::size_t{column.n_codes} * k;
  Outlook out;
  i64 known = 0;
  int filled = 0;
  int enough = 0;
  double worth = 0;
  double bits = 0;
  for (const i64* level = counts; level < missing; level += k) {
    i64 weight = 0;
    for (std::size_t c = 0; c < k; ++c) weight += level[c];
    if (weight == 0) continue;
    known += weight;
    ++filled;
    enough += weight >= least;
    const double whole = log.x_log2_x(weight);
    bits -= whole;
    // A level of one class is worth nothing, to the last bit.
    bool mixed = true;
    for (std::size_t c = 0; c < k; ++c) mixed = mixed && level[c] != weight;
    if (!mixed) continue;
    worth -= whole;
    for (std::size_t c = 0; c < k; ++c) worth += log.x_log2_x(level[c]);
  }
  if (filled < 2 || enough < 2) return out;
  i64 absent = 0;
  for (std::size_t c = 0; c < k; ++c) {
    absent += missing[c];
    worth -= log.x_log2_x(targets.class_total[c] - missing[c]);
  }
  worth += log.x_log2_x(known);
  bits += log.x_log2_x(targets.weight) - log.x_log2_x(absent);
  finish(out, targets, worth, known, bits, 0);
  out.wide = column.n_codes >= settings_.search.wide_levels;
  return out;
}

Scout::Outlook Scout::numeric(const NodeRows& node, const NodeTargets& targets, Column index, Scratch& scratch, SweepSpace& sweep) const {
  const EncodedColumn& column = table_.columns[index];
  const bool listed = index < node.sorted.size() && !node.sorted[index].empty();
  if (!listed) {
    gather(ClassStat{static_cast<u32>(targets.classes.size())}, column, node, targets, settings_.search.missing, scratch);
    sort_keys(scratch.keys, scratch.spare, column.n_codes);
  }
  const EstimatedCut cut =
      estimated_cut(listed ? node.sorted[index] : scratch.keys, column, targets, settings_.search, table_.target.n_classes, sweep);
  Outlook out;
  if (!cut.any) return out;
  const EstimatedLog& log = estimated_log();
  const double bits = log.x_log2_x(targets.weight) - log.x_log2_x(cut.below) - log.x_log2_x(cut.known - cut.below) -
                      log.x_log2_x(targets.weight - cut.known);
  finish(out, targets, cut.gained, cut.known, bits, cut.tried);
  out.doubtful = out.doubtful || cut.doubtful;
  return out;
}

Foreseen Scout::decide(const std::vector<Column>& columns, const std::vector<Outlook>& outlooks) const {
  double sum = 0;
  double count = 0;
  double doubt = 0;
  bool any = false;
  for (const Outlook& o : outlooks) {
    if (!o.any) continue;
    any = true;
    doubt = std::max(doubt, o.doubt);
    if (settings_.chooser != ChooserKind::above_average && o.wide) continue;
    sum += settings_.chooser == ChooserKind::above_average ? o.gain : o.worth;
    count += 1;
  }
  if (!any) return {true, std::nullopt};
  double floor = -std::numeric_limits<double>::infinity();
  const bool averages = settings_.chooser != ChooserKind::best;
  if (settings_.chooser == ChooserKind::above_average)
    floor = sum / count * (1 - kAverageMargin);
  else if (averages)
    floor = count > 0 ? sum / count - kAverageMargin : std::numeric_limits<double>::infinity();
  const double margin = 2 * doubt + 1e-12;
  std::vector<std::size_t> eligible;
  for (std::size_t i = 0; i < outlooks.size(); ++i) {
    const Outlook& o = outlooks[i];
    if (!o.any) continue;
    const double measure = settings_.chooser == ChooserKind::above_average ? o.gain : o.worth;
    if (averages && std::fabs(measure - floor) <= margin) return {};
    if (averages && measure < floor) continue;
    if (settings_.chooser == ChooserKind::quinlan) {
      if (std::fabs(o.split_info - kLeastInformation) <= 1e-6) return {};
      if (o.split_info < kLeastInformation) continue;
    }
    eligible.push_back(i);
  }
  const auto unsure = [&](const Outlook& a, const Outlook& b) { return a.rank_doubt + b.rank_doubt + 1e-9 * std::fabs(a.rank); };
  std::optional<std::size_t> best;
  if (settings_.chooser == ChooserKind::weka) {
    // In the order of the columns: a later one must be better by a step.
    for (const std::size_t i : eligible) {
      const Outlook before = best ? outlooks[*best] : Outlook{};
      if (std::fabs(outlooks[i].rank - before.rank - kWekaTie) <= unsure(outlooks[i], before)) return {};
      if (outlooks[i].rank - before.rank > kWekaTie) best = i;
    }
  } else {
    for (const std::size_t i : eligible)
      if (!best || outlooks[i].rank > outlooks[*best].rank) best = i;
    for (const std::size_t i : eligible)
      if (i != *best && outlooks[*best].rank - outlooks[i].rank <= unsure(outlooks[*best], outlooks[i])) return {};
  }
  return {true, best ? std::optional<Column>(columns[*best]) : std::nullopt};
}

Foreseen Scout::look(const NodeRows& node, const NodeTargets& targets, const std::vector<Column>& columns, Scratch& scratch,
                     SweepSpace& sweep) const {
  if (targets.packed.empty()) return {};
  std::vector<Outlook> outlooks(columns.size());
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const Column index = columns[i];
    if (table_.columns[index].kind == Kind::numeric)
      outlooks[i] = numeric(node, targets, index, scratch, sweep);
    else if (scratch.prepared && scratch.counts_begin[index] != Scratch::kNotCounted)
      outlooks[i] = nominal(targets, index, scratch);
    else
      outlooks[i].doubtful = true;
    if (outlooks[i].doubtful) outlooks[i] = exact(node, targets, index, scratch);
  }
  return decide(columns, outlooks);
}

}  // namespace tw
