// Sorts keys of rows, and counts the levels of many columns in one pass.
#include "search/column_rows.hpp"

#include <array>
#include <bit>
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

// The most common of the codes (lowest if equal), or the lowest one at which half of the weight is reached.
Code typical(const std::vector<std::pair<Code, i64>>& sorted, bool median) {
  Code best = kMissing;
  i64 total = 0;
  for (const auto& [code, w] : sorted) total += w;
  i64 most = 0;
  i64 sum = 0;
  for (std::size_t i = 0; i < sorted.size();) {
    const Code code = sorted[i].first;
    i64 here = 0;
    for (; i < sorted.size() && sorted[i].first == code; ++i) here += sorted[i].second;
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

}  // namespace

Fill find_fill(const EncodedColumn& column, const NodeRows& node, const NodeTargets& targets, Missing policy) {
  const bool median = column.kind == Kind::numeric;
  std::vector<std::pair<Code, i64>> all;
  std::vector<std::vector<std::pair<Code, i64>>> of_class(policy == Missing::most_common_in_class ? targets.classes.size() : 0);
  for (std::size_t i = 0; i < node.rows.size(); ++i) {
    const Code code = column.codes[node.rows[i]];
    if (code == kMissing) continue;
    all.emplace_back(code, node.weights[i]);
    if (!of_class.empty()) of_class[static_cast<std::size_t>(targets.classes_of[i])].emplace_back(code, node.weights[i]);
  }
  std::sort(all.begin(), all.end());
  Fill fill;
  fill.overall = typical(all, median);
  for (auto& one : of_class) {
    std::sort(one.begin(), one.end());
    fill.of_class.push_back(one.empty() ? fill.overall : typical(one, median));
  }
  return fill;
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
