// Rows in one place as the levels divide them, and subtrees put in their places.
#include "grow/binned/levels.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

#include "base/errors.hpp"
#include "base/registry.hpp"
#include "grow/binned/applies.hpp"
#include "grow/grow.hpp"
#include "table/bins.hpp"
#include "tree/read.hpp"

namespace tw {

void put_in_place(const Tree& piece, u32 node, Builder& builder) {
  std::vector<u32> number(piece.size());
  number[0] = node;
  for (std::size_t i = 0; i < piece.size(); ++i) {
    builder.describe(number[i], facts_of(piece, i));
    if (piece.leaf(i)) continue;
    const u32 first = builder.divide(number[i], split_of(piece, i), piece.gain[i]);
    for (u32 b = 0; b < piece.n_children[i]; ++b) number[piece.first_child[i] + b] = first + b;
  }
}

namespace {

const BinnedCriterion& unit_for(const Table& table, const GrowSettings& settings) {
  if (!binned_applies(table, settings)) throw Invalid("trees are grown level by level by the binned engine, which does not apply here");
  return *binned_unit_of(settings.search);
}

// Settings as the whole table has them.
GrowSettings fitted_to(TableFacts& facts, GrowSettings settings) {
  fit_settings(facts.table, {facts.class_totals.begin(), facts.class_totals.end()}, settings);
  return settings;
}

// 128 bits as four counters of 32, which may be added up over 2^31 rows.
void add_in_four(i64* at, i128 x) {
  for (unsigned i = 0; i < 3; ++i) at[i] += static_cast<i64>(x >> (32 * i) & 0xffffffff);
  at[3] += static_cast<i64>(x >> 96);
}
i128 of_four(const i64* at) {
  u128 x = 0;
  for (unsigned i = 0; i < 4; ++i) x += static_cast<u128>(i128{at[i]}) << (32 * i);
  return static_cast<i128>(x);
}

constexpr u64 kSign = u64{1} << 63;

}  // namespace

TargetSums sums_of(const i64* counters) { return {of_four(counters), of_four(counters + 4), of_four(counters + 8)}; }

TargetRange range_of_keys(const i64* keys, i64 total) {
  const auto number = [](i64 key) { return number_of_key(static_cast<u64>(key) ^ kSign, Type::F64); };
  return {number(keys[0]), number(~keys[1]), total};
}

std::size_t answer_length(const BinnedFrame& frame, const LevelQuestion& question, std::size_t at) {
  if (question.ranges) return 2;
  const LevelQuestion::OfNode& of = question.nodes[at];
  std::size_t slots = of.all_columns ? frame.n_slots() : 0;
  for (const Column j : of.columns) slots += frame.begin[j + 1] - frame.begin[j];
  return 1 + (frame.n_classes > 0 ? 0 : kSumCounters) + slots * frame.per_slot();
}

std::unique_ptr<LevelGrower> grow_by_levels(TableFacts facts, const GrowSettings& settings, const LevelRoom& room) {
  const GrowSettings fitted = fitted_to(facts, settings);
  const BinnedCriterion& unit = unit_for(facts.table, fitted);
  if (unit.by_levels == nullptr || fitted.max_leaves > 0) throw Invalid("these settings do not grow level by level");
  return unit.by_levels(std::move(facts), fitted, room);
}

Tree grow_subtree(Table table, TableFacts facts, const GrowSettings& settings, const SubtreeRoot& root, JobControl& job) {
  const GrowSettings fitted = fitted_to(facts, settings);
  return unit_for(table, fitted).grow_below(table, fitted, job, root);
}

BinnedShard::BinnedShard(BinnedFrame frame, std::span<const double> values, std::span<Row> rows)
    : frame_(std::move(frame)), values_(values), columns_(frame_.columns()) {
  std::iota(columns_.begin(), columns_.end(), Column{0});
  frame_.rows = rows;
  runs_.push_back({0, static_cast<u32>(rows.size())});
}

void BinnedShard::divide(std::span<const LevelDivision> divisions) {
  std::vector<Row> spare;
  for (const LevelDivision& division : divisions) {
    const Run run = run_of(division.node);
    const std::size_t last = std::size_t{division.first_child} + 1;
    if (runs_.size() <= last) runs_.resize(last + 1);
    const u32 first = divide_rows(frame_, frame_.rows.subspan(run.begin, run.n), division.column, division.branch, spare);
    runs_[division.first_child] = {run.begin, first};
    runs_[last] = {run.begin + first, run.n - first};
  }
}

void BinnedShard::tell_range(u32 node, i64* out) const {
  out[0] = out[1] = std::numeric_limits<i64>::max();
  for (const Row row : rows_of(node)) {
    const auto key = static_cast<i64>(bin_key(values_[row]) ^ kSign);
    out[0] = std::min(out[0], key);
    out[1] = std::min(out[1], ~key);
  }
}

TargetSums BinnedShard::read_numbers(const LevelQuestion::OfNode& of, std::vector<i64>& steps) const {
  const std::span<const Row> rows = rows_of(of.node);
  const TargetScale scale(of.range);
  TargetSums sums;
  steps.resize(rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    steps[i] = scale.step_of(values_[rows[i]]);
    scale.add(values_[rows[i]], frame_.weight_of(rows[i]), sums);
  }
  return sums;
}

std::vector<i64> BinnedShard::answer(const LevelQuestion& question) const {
  std::size_t length = 0;
  for (std::size_t i = 0; i < question.nodes.size(); ++i) length += answer_length(frame_, question, i);
  std::vector<i64> out(length, 0);
  i64* to = out.data();
  BinnedCounts counts;
  std::vector<i64> steps;
  for (std::size_t i = 0; i < question.nodes.size(); to += answer_length(frame_, question, i++)) {
    const LevelQuestion::OfNode& of = question.nodes[i];
    if (question.ranges) {
      tell_range(of.node, to);
      continue;
    }
    const std::span<const Row> rows = rows_of(of.node);
    i64* at = to;
    *at++ = static_cast<i64>(rows.size());
    if (frame_.n_classes == 0) {
      const TargetSums sums = read_numbers(of, steps);
      for (const i128 sum : {sums.sum, sums.squares, sums.finest}) add_in_four(std::exchange(at, at + 4), sum);
    }
    const std::vector<Column>& columns = of.all_columns ? columns_ : of.columns;
    clear_counts(frame_, columns, counts);
    count_rows(frame_, rows, columns, frame_.n_classes == 0 ? steps.data() : nullptr, 1, counts);
    for (const Column j : columns)
      for (std::size_t c = frame_.begin[j] * frame_.per_slot(); c < frame_.begin[j + 1] * frame_.per_slot(); ++c) *at++ = counts.at(c);
  }
  return out;
}

std::span<const Row> BinnedShard::rows_of(u32 node) const {
  const Run run = run_of(node);
  return frame_.rows.subspan(run.begin, run.n);
}

}  // namespace tw
