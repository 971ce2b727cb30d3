// Sorts keys of rows, and counts the levels of many columns in one pass.
#include "search/column_rows.hpp"

#include <array>
#include <bit>
#include <span>
#include <utility>

#include "base/prefetch.hpp"
#include "search/search.hpp"

namespace tw {

NumbersAsColumn::NumbersAsColumn(const std::vector<double>& numbers, const NodeRows& node, Cuts cuts) {
  column.cells = {reinterpret_cast<const std::byte*>(numbers.data()), sizeof(double), Type::F64};
  encode_numeric({&column}, static_cast<Row>(numbers.size()), 0, 1, JobControl());
  if (cuts != Cuts::all) list_values(column, kLeastGap);
  rows.rows.resize(numbers.size());
  std::iota(rows.rows.begin(), rows.rows.end(), Row{0});
  rows.weights = node.weights;
}

void sort_keys(std::vector<u64>& keys, std::vector<u64>& spare, u32 n_codes) {
  constexpr std::size_t kSmall = 512;
  if (keys.size() <= kSmall) {
    std::sort(keys.begin(), keys.end());
    return;
  }
  // Keys arrive with ascending instances, so a stable sort of the code alone is enough.
  constexpr int kBits = 11;
  const int bits = static_cast<int>(std::bit_width(n_codes));
  spare.resize(keys.size());
  for (int shift = 32; shift < 32 + bits; shift += kBits) {
    std::array<u32, 1 << kBits> starts{};
    constexpr u64 mask = (1 << kBits) - 1;
    for (const u64 key : keys) ++starts[(key >> shift) & mask];
    if (starts[(keys[0] >> shift) & mask] == keys.size()) continue;
    u32 at = 0;
    for (u32& s : starts) at += std::exchange(s, at);
    for (const u64 key : keys) spare[starts[(key >> shift) & mask]++] = key;
    keys.swap(spare);
  }
}

namespace {

// The most common of the codes (lowest if equal), or the lowest one at which half of the weight is reached. `keys` are in order.
Code typical(std::span<const u64> keys, const NodeRows& node, bool median) {
  const auto weight = [&](u64 key) { return node.weights[static_cast<u32>(key)]; };
  Code best = kMissing;
  i64 total = 0;
  for (const u64 key : keys) total += weight(key);
  i64 most = 0;
  i64 sum = 0;
  for (std::size_t i = 0; i < keys.size();) {
    const auto code = static_cast<Code>(keys[i] >> 32);
    i64 here = 0;
    for (; i < keys.size() && keys[i] >> 32 == code; ++i) here += weight(keys[i]);
    sum += here;
    if (median) {
      if (2 * sum >= total) return code;
    } else if (here > most) {
      most = here;
      best = code;
    }
  }
  return best;
}

Fill fill_of(std::span<const u64> present, const NodeRows& node, const NodeTargets& targets, Missing policy, bool median) {
  Fill fill;
  fill.overall = typical(present, node, median);
  if (policy != Missing::most_common_in_class) return fill;
  std::vector<std::vector<u64>> of_class(targets.classes.size());
  for (const u64 key : present) of_class[static_cast<std::size_t>(targets.classes_of[static_cast<u32>(key)])].push_back(key);
  for (const auto& one : of_class) fill.of_class.push_back(one.empty() ? fill.overall : typical(one, node, median));
  return fill;
}

}  // namespace

void list_cells(const EncodedColumn& column, const NodeRows& node, bool missing_too, std::vector<u64>& cells, std::vector<u64>& spare) {
  cells.clear();
  cells.reserve(node.rows.size());
  std::vector<u64> missing;
  const std::size_t n = node.rows.size();
  for (std::size_t i = 0; i < n; ++i) {
    if (i + kPrefetchDistance < n) prefetch(column.codes.data() + node.rows[i + kPrefetchDistance]);
    const Code code = column.codes[node.rows[i]];
    if (code != kMissing)
      cells.push_back(u64{code} << 32 | i);
    else if (missing_too)
      missing.push_back(u64{code} << 32 | i);
  }
  sort_keys(cells, spare, column.n_codes);
  cells.insert(cells.end(), missing.begin(), missing.end());
}

Fill fill_cells(const std::vector<u64>& cells, const NodeRows& node, const NodeTargets& targets, Missing policy, std::vector<u64>& keys) {
  const auto first_missing = std::partition_point(cells.begin(), cells.end(), [](u64 key) { return key >> 32 != kMissing; });
  Fill fill = fill_of({cells.begin(), first_missing}, node, targets, policy, true);
  keys.clear();
  if (first_missing == cells.begin()) return fill;
  std::vector<u64> filled;
  filled.reserve(static_cast<std::size_t>(cells.end() - first_missing));
  for (auto key = first_missing; key != cells.end(); ++key) {
    const auto i = static_cast<u32>(*key);
    filled.push_back(u64{fill.of(targets, i)} << 32 | i);
  }
  if (!fill.of_class.empty()) std::sort(filled.begin(), filled.end());
  keys.resize(cells.size());
  std::merge(cells.begin(), first_missing, filled.begin(), filled.end(), keys.begin());
  return fill;
}

Fill find_fill(const EncodedColumn& column, const NodeRows& node, const NodeTargets& targets, Missing policy) {
  std::vector<u64> present;
  std::vector<u64> spare;
  list_cells(column, node, false, present, spare);
  return fill_of(present, node, targets, policy, column.kind == Kind::numeric);
}

bool count_levels(const Table& table, const NodeRows& node, const NodeTargets& targets, const std::vector<Column>& columns,
                  Scratch& scratch) {
  struct Counted {
    std::size_t place;  // in a row of bytes
    i64* counts;
  };
  const ByteLevels& bytes = table.columns.byte_levels(table.n_rows);
  const std::size_t k = targets.classes.size();
  scratch.counts_begin.assign(table.columns.size(), Scratch::kNotCounted);
  std::size_t counters = 0;
  for (const Column j : columns) {
    if (!bytes.holds(j)) continue;
    scratch.counts_begin[j] = counters;
    counters += (std::size_t{table.columns[j].n_codes} + 1) * k;
  }
  if (counters == 0 || counters > 16 * node.rows.size() + 1024) return false;
  scratch.level_counts.assign(counters, 0);
  // Missing cells are counted behind the last level.
  std::vector<Counted> counted;
  for (const Column j : columns)
    if (bytes.holds(j))
      counted.push_back({static_cast<std::size_t>(bytes.place[j]), scratch.level_counts.data() + scratch.counts_begin[j]});
  const auto count = [&](auto classes) {
    for (std::size_t i = 0; i < node.rows.size(); ++i) {
      if (i + kPrefetchDistance < node.rows.size()) {
        const u8* next = bytes.levels.data() + std::size_t{node.rows[i + kPrefetchDistance]} * bytes.width;
        prefetch(next);
        prefetch(next + bytes.width - 1);
      }
      const u8* levels = bytes.levels.data() + std::size_t{node.rows[i]} * bytes.width;
      const auto label = static_cast<std::size_t>(targets.classes_of[i]);
      const i64 w = node.weights[i];
      for (const Counted& one : counted) one.counts[levels[one.place] * classes + label] += w;
    }
  };
  with_classes(k, count);
  return true;
}

}  // namespace tw
