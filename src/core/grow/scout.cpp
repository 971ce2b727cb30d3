#include "grow/scout.hpp"

#include <algorithm>

#include "base/ahead.hpp"
#include "base/numbers.hpp"
#include "grow/divide.hpp"
#include "search/column_rows.hpp"

namespace tw {

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

Outlook Scout::nominal(const NodeTargets& targets, Column index, Scratch& scratch) const {
  const EstimatedLog& log = estimated_log();
  const EncodedColumn& column = table_.columns[index];
  const std::size_t k = targets.classes.size();
  const i64 least = std::max<i64>(settings_.search.min_leaf, 1);
  const i64* counts = scratch.counts_of(index);
  const i64* missing = counts + std::size_t{column.n_codes} * k;
  Outlook out;
  i64 known = 0;
  int filled = 0;
  int enough = 0;
  double worth = 0;
  double bits = 0;
  const auto add_up = [&](auto classes) {
    for (const i64* level = counts; level < missing; level += classes) {
      i64 weight = 0;
      for (std::size_t c = 0; c < classes; ++c) weight += level[c];
      if (weight == 0) continue;
      known += weight;
      ++filled;
      enough += weight >= least;
      const double whole = log.x_log2_x(weight);
      bits -= whole;
      // A level of one class is worth nothing, to the last bit.
      bool mixed = true;
      for (std::size_t c = 0; c < classes; ++c) mixed = mixed && level[c] != weight;
      if (!mixed) continue;
      worth -= whole;
      for (std::size_t c = 0; c < classes; ++c) worth += log.x_log2_x(level[c]);
    }
  };
  with_classes(k, add_up);
  if (filled < 2 || enough < 2) return out;
  i64 absent = 0;
  for (std::size_t c = 0; c < k; ++c) {
    absent += missing[c];
    worth -= log.x_log2_x(targets.class_total[c] - missing[c]);
  }
  worth += log.x_log2_x(known);
  bits += log.x_log2_x(targets.weight) - log.x_log2_x(absent);
  out = outlook_of(settings_, targets, worth, known, bits, 0);
  out.wide = column.n_codes >= settings_.search.wide_levels;
  return out;
}

Outlook Scout::numeric(const NodeRows& node, const NodeTargets& targets, Column index, Scratch& scratch, SweepSpace& sweep) const {
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
  out = outlook_of(settings_, targets, cut.gained, cut.known, bits, cut.tried);
  out.doubtful = out.doubtful || cut.doubtful;
  return out;
}

Foreseen Scout::look(const NodeRows& node, const NodeTargets& targets, const std::vector<Column>& columns, Scratch& scratch,
                     SweepSpace& sweep) const {
  std::vector<Outlook> outlooks(columns.size());
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const Column index = columns[i];
    if (table_.columns[index].kind == Kind::numeric && !targets.packed.empty())
      outlooks[i] = numeric(node, targets, index, scratch, sweep);
    else if (scratch.counted(index))
      outlooks[i] = nominal(targets, index, scratch);
    else
      outlooks[i].doubtful = true;
    if (outlooks[i].doubtful) outlooks[i] = outlook_of(searcher_.best(node, targets, index, scratch));
  }
  return foresee(settings_, columns, outlooks);
}

std::optional<Candidate> Scout::sketch(const Foreseen& foreseen, const NodeRows& node, const NodeTargets& targets,
                                       const Scratch& scratch) const {
  const Column index = *foreseen.column;
  // Far from where a gain is taken for rounding, or a split for none.
  constexpr double kClear = 1e-6;
  const bool clear = foreseen.outlook.gain > kClear && foreseen.outlook.split_info > kClear;
  if (!clear || !scratch.counted(index) || settings_.min_gain > 0 || settings_.min_decrease > 0 || settings_.max_leaves > 0)
    return std::nullopt;
  const EncodedColumn& column = table_.columns[index];
  if (!Division::counts_classes(column.n_codes, targets.classes.size(), node.rows.size())) return std::nullopt;
  Candidate out;
  out.sketch = true;
  out.gain = foreseen.outlook.gain;
  out.split.family = Family::multiway;
  out.split.column = index;
  out.split.n_branches = column.n_codes;
  out.split.missing_to = kAllBranches;
  const std::size_t k = targets.classes.size();
  const i64* counts = scratch.counts_of(index);
  out.branch_known.resize(column.n_codes);
  for (std::size_t level = 0; level < column.n_codes; ++level)
    for (std::size_t c = 0; c < k; ++c) out.branch_known[level] += counts[level * k + c];
  return out;
}

}  // namespace tw
