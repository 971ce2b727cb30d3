// Rows in one place as the levels divide them, and subtrees put in their places.
#include "grow/binned/levels.hpp"

#include <algorithm>
#include <numeric>

#include "base/errors.hpp"
#include "base/registry.hpp"
#include "grow/binned/applies.hpp"
#include "grow/grow.hpp"
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
  return *Registry<BinnedCriterion>::find(settings.search.criterion);
}

}  // namespace

std::unique_ptr<LevelGrower> grow_by_levels(TableFacts facts, const GrowSettings& settings, u64 small) {
  GrowSettings fitted = settings;
  fit_settings(facts.table, fitted);
  const BinnedCriterion& unit = unit_for(facts.table, fitted);
  if (unit.by_levels == nullptr || fitted.max_leaves > 0) throw Invalid("these settings do not grow level by level");
  return unit.by_levels(std::move(facts), fitted, small);
}

Tree grow_subtree(Table table, const GrowSettings& settings, const SubtreeRoot& root, JobControl& job) {
  GrowSettings fitted = settings;
  fit_settings(table, fitted);
  return unit_for(table, fitted).grow_below(table, fitted, job, root);
}

BinnedShard::BinnedShard(BinnedFrame frame, std::span<Row> rows) : frame_(std::move(frame)), columns_(frame_.columns()) {
  std::iota(rows.begin(), rows.end(), Row{0});
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

std::vector<i64> BinnedShard::count(std::span<const u32> nodes) const {
  const std::size_t each = frame_.n_slots() * frame_.per_slot();
  std::vector<i64> out(nodes.size() * each);
  BinnedCounts counts;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    clear_counts(frame_, counts);
    count_rows(frame_, rows_of(nodes[i]), columns_, nullptr, 1, counts);
    for (std::size_t c = 0; c < each; ++c) out[i * each + c] = counts.at(c);
  }
  return out;
}

std::span<const Row> BinnedShard::rows_of(u32 node) const {
  const Run run = run_of(node);
  return frame_.rows.subspan(run.begin, run.n);
}

}  // namespace tw
