// Blocks and levels of the rows that are left.
#include "grow/shortcuts/shrinking_rows.hpp"

#include <algorithm>
#include <numeric>

#include "grow/criterion_entry.hpp"
#include "grow/shortcuts/cutter.hpp"
#include "search/column_rows.hpp"

namespace tw {

// A column as `Cutter` reads it.
class ShrinkingRows::Blocks {
 public:
  Blocks(const Ordered& column, const ClearCodes& clear, const std::vector<i64>& left, const std::vector<u32>& class_of,
         std::size_t classes)
      : column_(column), clear_(clear), left_(left), class_of_(class_of), k_(classes) {}

  std::size_t blocks() const { return column_.cuts.size(); }
  const i64* moved(std::size_t block) const { return column_.moved.data() + block * k_; }
  u32 cuts(std::size_t block) const { return column_.cuts[block]; }

  bool begins_apart(std::size_t block) const {
    bool first = false;
    walk(block, [&](bool apart, i64) {
      first = apart;
      return false;
    });
    return first;
  }

  template <class Look>
  void walk(std::size_t block, const Look& look) const {
    const std::size_t begin = block << column_.shift;
    const std::size_t end = std::min(column_.keys.size(), begin + (std::size_t{1} << column_.shift));
    for (std::size_t i = begin; i < end; ++i) {
      const auto row = static_cast<u32>(column_.keys[i]);
      if (left_[row] == 0) continue;
      const u32 before = column_.before[i];
      const bool apart = before != kNoPlace && clear_.apart(column_.keys[before] >> 32, column_.keys[i] >> 32);
      if (!look(apart, left_[row] << 16 | class_of_[row])) return;
    }
  }

 private:
  const Ordered& column_;
  const ClearCodes& clear_;
  const std::vector<i64>& left_;
  const std::vector<u32>& class_of_;
  const std::size_t k_;
};

ShrinkingRows::ShrinkingRows(const Table& table, const GrowSettings& settings)
    : table_(table),
      settings_(settings),
      searcher_(make_searcher(table, settings.search)),
      k_(table.target.n_classes),
      left_(table.n_rows),
      ordered_(table.columns.size()),
      counts_(table.columns.size()),
      columns_(table.columns.size()) {
  constexpr std::size_t kMostClasses = 64;  // all are kept in every block, whether they occur or not
  std::iota(columns_.begin(), columns_.end(), Column{0});
  NodeRows all;
  for (Row row = 0; row < table.n_rows; ++row) {
    left_[row] = table.weights[row];
    rows_left_ += left_[row] != 0;
    all.rows.push_back(row);
  }
  if (!EntropyEstimator::applies(table, settings) || k_ > kMostClasses) return;
  estimator_.emplace(table, settings, *searcher_);
  std::vector<u64> spare;
  for (const Column j : columns_) {
    const EncodedColumn& column = table.columns[j];
    if (column.kind == Kind::numeric) {
      list_cells(column, all, false, ordered_[j].keys, spare);  // instances are rows
      order(j);
      continue;
    }
    const std::size_t counters = (std::size_t{column.n_codes} + 1) * k_;
    if (counters > std::size_t{16} * table.n_rows + 1024) continue;
    counts_[j].assign(counters, 0);
    for (Row row = 0; row < table.n_rows; ++row)
      counts_[j][std::min(column.codes[row], column.n_codes) * k_ + table.target.class_of[row]] += left_[row];
  }
}

NodeRows ShrinkingRows::rest() const {
  NodeRows out;
  out.rows.reserve(rows_left_);
  out.weights.reserve(rows_left_);
  for (Row row = 0; row < left_.size(); ++row) {
    if (left_[row] == 0) continue;
    out.rows.push_back(row);
    out.weights.push_back(left_[row]);
  }
  return out;
}

ShrinkingRows::Blocks ShrinkingRows::blocks_of(Column index) const {
  return {ordered_[index], estimator_->clear(index), left_, table_.target.class_of, k_};
}

// Makes the blocks of the rows that are left.
void ShrinkingRows::order(Column index) {
  Ordered& column = ordered_[index];
  std::erase_if(column.keys, [&](u64 key) { return left_[static_cast<u32>(key)] == 0; });
  column.shift = block_shift(column.keys.size(), k_);
  column.place.assign(left_.size(), kNoPlace);
  const std::size_t blocks = (column.keys.size() >> column.shift) + 1;
  column.moved.assign(blocks * k_, 0);
  column.cuts.assign(blocks, 0);
  column.before.resize(column.keys.size());
  column.next.resize(column.keys.size());
  for (std::size_t i = 0; i < column.keys.size(); ++i) {
    const auto row = static_cast<u32>(column.keys[i]);
    const std::size_t block = i >> column.shift;
    column.place[row] = static_cast<u32>(i);
    column.before[i] = i > 0 ? static_cast<u32>(i - 1) : kNoPlace;
    column.next[i] = i + 1 < column.keys.size() ? static_cast<u32>(i + 1) : kNoPlace;
    column.moved[block * k_ + table_.target.class_of[row]] += left_[row];
    if (i > 0) column.cuts[block] += estimator_->clear(index).apart(column.keys[i - 1] >> 32, column.keys[i] >> 32);
  }
  rows_listed_ = rows_left_;
}

// A row is gone: the cuts on either side of it go, and one between its neighbours may come.
void ShrinkingRows::unlink(Column index, u32 place) {
  Ordered& column = ordered_[index];
  const u32 before = column.before[place];
  const u32 next = column.next[place];
  const auto apart = [&](u32 a, u32 b) { return u32{estimator_->clear(index).apart(column.keys[a] >> 32, column.keys[b] >> 32)}; };
  if (before != kNoPlace) {
    column.cuts[place >> column.shift] -= apart(before, place);
    column.next[before] = next;
  }
  if (next != kNoPlace) {
    column.cuts[next >> column.shift] -= apart(place, next);
    column.before[next] = before;
  }
  if (before != kNoPlace && next != kNoPlace) column.cuts[next >> column.shift] += apart(before, next);
}

void ShrinkingRows::take(std::span<const Row> rows, std::span<const i64> weights) {
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Row row = rows[i];
    left_[row] -= weights[i];
    const bool gone = left_[row] == 0;
    rows_left_ -= gone;
    if (!estimator_) continue;
    const std::size_t label = table_.target.class_of[row];
    for (const Column j : columns_) {
      const EncodedColumn& column = table_.columns[j];
      if (!counts_[j].empty()) counts_[j][std::min(column.codes[row], column.n_codes) * k_ + label] -= weights[i];
      if (column.kind != Kind::numeric || ordered_[j].place[row] == kNoPlace) continue;
      const std::size_t block = ordered_[j].place[row] >> ordered_[j].shift;
      ordered_[j].moved[block * k_ + label] -= weights[i];
      if (gone) unlink(j, ordered_[j].place[row]);
    }
  }
}

// Counts of levels for those who estimate and search: of the classes that occur.
void ShrinkingRows::prepare(const NodeTargets& targets, Scratch& scratch) const {
  scratch.counts_begin.assign(columns_.size(), Scratch::kNotCounted);
  scratch.level_counts.clear();
  for (const Column j : columns_) {
    if (counts_[j].empty()) continue;
    scratch.counts_begin[j] = scratch.level_counts.size();
    for (std::size_t level = 0; level < counts_[j].size(); level += k_)
      for (const u32 label : targets.classes) scratch.level_counts.push_back(counts_[j][level + label]);
  }
  scratch.prepared = true;
}

// The cells of a column as a node lists them.
void ShrinkingRows::list(Column index, const NodeRows& node, std::vector<u64>& cells) const {
  std::vector<u32> instance(left_.size());
  for (std::size_t i = 0; i < node.rows.size(); ++i) instance[node.rows[i]] = static_cast<u32>(i);
  for (const u64 key : ordered_[index].keys)
    if (left_[static_cast<u32>(key)] != 0) cells.push_back((key & ~u64{0xffffffff}) | instance[static_cast<u32>(key)]);
}

ShrinkingRows::Look ShrinkingRows::look(NodeRows& node, const NodeTargets& targets, Scratch& scratch) {
  if (!estimator_) return {};
  if (2 * rows_left_ < rows_listed_)
    for (const Column j : columns_)
      if (table_.columns[j].kind == Kind::numeric) order(j);
  prepare(targets, scratch);
  const Predicted found = estimator_->look(node, targets, columns_, scratch, [&](Column index) {
    const Blocks blocks = blocks_of(index);
    return Cutter(blocks, k_, targets, settings_.search, scratch.cut_search).run(table_.target.n_classes);
  });
  if (!found.certain) return {};
  if (!found.column) return {true, std::nullopt};
  if (table_.columns[*found.column].kind == Kind::numeric) {
    node.sorted.resize(columns_.size());
    list(*found.column, node, node.sorted[*found.column]);
  }
  auto chosen = searcher_->best(node, targets, *found.column, scratch);
  node.sorted = {};
  if (!chosen) return {};
  return {true, std::move(chosen)};
}

}  // namespace tw
