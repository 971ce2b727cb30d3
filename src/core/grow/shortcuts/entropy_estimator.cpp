// Estimates of all columns of a node, and the split of the one that will be chosen.
#include "grow/shortcuts/entropy_estimator.hpp"

#include <algorithm>

#include "base/numbers.hpp"
#include "base/prefetch.hpp"
#include "grow/chooser.hpp"
#include "grow/plain/divide.hpp"
#include "search/column_rows.hpp"

namespace tw {

bool EntropyEstimator::applies(const Table& table, const GrowSettings& settings) {
  const SearchSettings& search = settings.search;
  const bool holes =
      std::any_of(table.columns.begin(), table.columns.end(), [](const EncodedColumn& column) { return column.n_missing > 0; });
  const bool policy = !holes || search.missing == Missing::fraction || search.missing == Missing::majority;
  return settings.shortcuts() && !search.keeps_order() && !search.drawn && settings.columns_alone() &&
         chooser_entry(settings.chooser).foreseen != Foreseen::no && !search.callback && search.reweighted.empty() &&
         (search.criterion == "gain_ratio" || search.criterion == "info_gain") && policy && search.numeric == Family::threshold &&
         search.nominal == Family::multiway && search.significance <= 0 && !settings.keep_candidates && settings.max_competitors == 0 &&
         settings.min_every <= 0 && settings.max_features == 0 && !settings.discretiser;
}

ColumnEstimate EntropyEstimator::nominal(const NodeTargets& targets, Column index, Scratch& scratch) const {
  const EstimatedLog& log = estimated_log();
  const EncodedColumn& column = table_.columns[index];
  const std::size_t k = targets.classes.size();
  const i64 least = std::max<i64>(settings_.search.min_leaf, 1);
  const i64* counts = scratch.counts_of(index);
  const i64* missing = counts + std::size_t{column.n_codes} * k;
  ColumnEstimate out;
  i64 present = 0;
  int filled = 0;
  int enough = 0;
  double worth = 0;
  double bits = 0;
  const auto add_up = [&](auto classes) {
    for (const i64* level = counts; level < missing; level += classes) {
      i64 weight = 0;
      for (std::size_t c = 0; c < classes; ++c) weight += level[c];
      if (weight == 0) continue;
      present += weight;
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
  worth += log.x_log2_x(present);
  bits += log.x_log2_x(targets.weight) - log.x_log2_x(absent);
  out = estimate_of(settings_, targets, worth, present, bits, 0);
  out.wide = column.n_codes >= settings_.search.wide_levels;
  return out;
}

EstimatedCut EntropyEstimator::cut_of(const NodeRows& node, const NodeTargets& targets, Column index, Scratch& scratch) const {
  const EncodedColumn& column = table_.columns[index];
  const bool listed = index < node.sorted.size() && !node.sorted[index].empty();
  if (!listed) {
    gather(ClassStat{static_cast<u32>(targets.classes.size())}, column, node, targets, settings_.search.missing, scratch);
    sort_keys(scratch.keys, scratch.spare, column.n_codes);
  }
  return estimated_cut(listed ? node.sorted[index] : scratch.keys, clear_[index], targets, settings_.search, table_.target.n_classes,
                       scratch.cut_search);
}

ColumnEstimate EntropyEstimator::numeric(const NodeTargets& targets, const EstimatedCut& cut) const {
  ColumnEstimate out;
  if (!cut.any) return out;
  const EstimatedLog& log = estimated_log();
  const double bits = log.x_log2_x(targets.weight) - log.x_log2_x(cut.below) - log.x_log2_x(cut.present - cut.below) -
                      log.x_log2_x(targets.weight - cut.present);
  out = estimate_of(settings_, targets, cut.gained, cut.present, bits, cut.tried);
  out.doubtful = out.doubtful || cut.doubtful;
  return out;
}

Predicted EntropyEstimator::look(const NodeRows& node, const NodeTargets& targets, const std::vector<Column>& columns,
                                 Scratch& scratch) const {
  return look(node, targets, columns, scratch, [&](Column index) { return cut_of(node, targets, index, scratch); });
}

std::optional<Candidate> EntropyEstimator::sketch(const Predicted& predicted, const NodeRows& node, const NodeTargets& targets,
                                                  const Scratch& scratch) const {
  const Column index = *predicted.column;
  // Far from where a gain is taken for rounding, or a split for none.
  constexpr double kClear = 1e-6;
  const bool clear = predicted.estimate.gain > kClear && predicted.estimate.split_info > kClear;
  if (!clear || !scratch.counted(index) || settings_.min_gain > 0 || settings_.min_decrease > 0 || settings_.max_leaves > 0)
    return std::nullopt;
  const EncodedColumn& column = table_.columns[index];
  if (!Division::counts_classes(column.n_codes, targets.classes.size(), node.rows.size())) return std::nullopt;
  Candidate out;
  out.sketch = true;
  out.gain = predicted.estimate.gain;
  out.split.family = Family::multiway;
  out.split.column = index;
  out.split.n_branches = column.n_codes;
  out.split.missing_to = kAllBranches;
  const std::size_t k = targets.classes.size();
  const i64* counts = scratch.counts_of(index);
  out.branch_present.resize(column.n_codes);
  for (std::size_t level = 0; level < column.n_codes; ++level)
    for (std::size_t c = 0; c < k; ++c) out.branch_present[level] += counts[level * k + c];
  return out;
}

}  // namespace tw
