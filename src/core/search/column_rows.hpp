// One column at one node, ready to be searched: the present rows, ordered by code or grouped by code, and the summary of the
// rows whose cell is missing. Filling policies have been applied, so that under them nothing is missing any more.
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "base/prefetch.hpp"
#include "search/searcher.hpp"

namespace tw {

// Numbers of a node's instances as a column of their own, whose rows are the instances.
struct NumbersAsColumn {
  NumbersAsColumn(const std::vector<double>& numbers, const NodeRows& node, Cuts cuts);
  EncodedColumn column;
  NodeRows rows;
};

// code << 32 | instance, ascending. Long runs are sorted digit by digit.
void sort_keys(std::vector<u64>& keys, std::vector<u64>& spare, u32 n_codes);

// Such keys of the instances of a node whose cell is present, in order; where they are asked for, the others behind them.
void list_cells(const EncodedColumn& column, const NodeRows& node, bool missing_too, std::vector<u64>& cells, std::vector<u64>& spare);

// The same where missing cells are filled, in order: nothing if all are missing. `cells` lists those of all instances.
Fill fill_cells(const std::vector<u64>& cells, const NodeRows& node, const NodeTargets& targets, Missing policy, std::vector<u64>& keys);

// Calls `use` with a number of classes: small ones as constants, which loops are made for.
template <class Use>
void with_classes(std::size_t k, const Use& use) {
  if (k == 2)
    use(std::integral_constant<std::size_t, 2>{});
  else if (k == 3)
    use(std::integral_constant<std::size_t, 3>{});
  else
    use(k);
}

template <class Stat>
struct ColumnRows {
  using Cell = typename Stat::Cell;

  Cell* present = nullptr;  // summary of the present rows, in the scratch
  Cell* missing = nullptr;  // summary of the others
  i64 present_weight = 0;
  i64 missing_weight = 0;
};

// Gathers keys of the present rows into scratch.keys and summarises present and missing rows.
template <class Stat>
ColumnRows<Stat> gather(const Stat& stat, const EncodedColumn& column, const NodeRows& node, const NodeTargets& targets, Missing policy,
                        Scratch& scratch) {
  const auto& labels = labels_of<Stat>(targets);
  ColumnRows<Stat> out;
  // Four summaries of work space: present, missing, and two for scoring.
  auto& cells = scratch.cells<typename Stat::Cell>();
  cells.assign(4 * stat.width(), 0);
  out.present = cells.data();
  out.missing = out.present + stat.width();
  const Fill fill = fills(policy) && column.n_missing > 0 ? find_fill(column, node, targets, policy) : Fill{};
  scratch.keys.clear();
  scratch.keys.reserve(node.rows.size());
  const std::size_t n = node.rows.size();
  for (std::size_t i = 0; i < n; ++i) {
    if (i + kPrefetchDistance < n) prefetch(column.codes.data() + node.rows[i + kPrefetchDistance]);
    Code code = column.codes[node.rows[i]];
    if (code == kMissing) {
      code = fill.of(targets, i);
      if (code == kMissing) {
        stat.add_row(out.missing, labels[i], node.weights[i]);
        continue;
      }
    }
    scratch.keys.push_back(u64{code} << 32 | i);
  }
  std::copy_n(total_of<Stat>(targets).begin(), stat.width(), out.present);
  subtract_cells(out.present, out.missing, stat.width());
  out.present_weight = stat.weight(out.present);
  out.missing_weight = stat.weight(out.missing);
  return out;
}

// The present rows of a node summed up per code that occurs, codes ascending.
template <class Stat>
struct Groups {
  using Cell = typename Stat::Cell;

  std::vector<Code> codes;
  std::vector<Cell> cells;
  std::vector<Row> sample;     // a row that holds the code; or, where the rows are elsewhere, ...
  std::vector<double> values;  // ... of a numeric column its value
  std::size_t width = 0;

  std::size_t size() const { return codes.size(); }
  const Cell* operator[](std::size_t g) const { return cells.data() + g * width; }
  double value(const EncodedColumn& column, std::size_t g) const { return values.empty() ? column.cells.number(sample[g]) : values[g]; }
};

template <class Stat>
Groups<Stat> group(const Stat& stat, const EncodedColumn& column, const NodeRows& node, const NodeTargets& targets, Scratch& scratch) {
  const auto& labels = labels_of<Stat>(targets);
  Groups<Stat> out;
  out.width = stat.width();
  const auto add = [&](std::size_t g, u64 key) {
    const std::size_t i = static_cast<u32>(key);
    stat.add_row(out.cells.data() + g * out.width, labels[i], node.weights[i]);
    // A filled cell counts under the code but does not hold it.
    if (column.codes[node.rows[i]] == static_cast<Code>(key >> 32)) out.sample[g] = node.rows[i];
  };
  // Counting over all codes when they are few compared with the rows, sorting otherwise.
  if (column.n_codes <= 4 * scratch.keys.size() + 16) {
    scratch.instance.assign(column.n_codes, -1);
    for (const u64 key : scratch.keys) scratch.instance[key >> 32] = 0;
    for (u32 code = 0; code < column.n_codes; ++code) {
      if (scratch.instance[code] < 0) continue;
      scratch.instance[code] = static_cast<i32>(out.codes.size());
      out.codes.push_back(code);
    }
    out.cells.assign(out.codes.size() * out.width, 0);
    out.sample.resize(out.codes.size());
    for (const u64 key : scratch.keys) add(static_cast<std::size_t>(scratch.instance[key >> 32]), key);
    return out;
  }
  sort_keys(scratch.keys, scratch.spare, column.n_codes);
  for (const u64 key : scratch.keys) {
    const auto code = static_cast<Code>(key >> 32);
    if (out.codes.empty() || out.codes.back() != code) {
      out.codes.push_back(code);
      out.cells.resize(out.cells.size() + out.width, 0);
      out.sample.push_back(node.rows[static_cast<u32>(key)]);
    }
    add(out.codes.size() - 1, key);
  }
  return out;
}

// The summaries alone, from keys of the present rows.
template <class Stat>
ColumnRows<Stat> summarise_keys(const Stat& stat, const std::vector<u64>& keys, const NodeRows& node, const NodeTargets& targets,
                                Scratch& scratch) {
  const auto& labels = labels_of<Stat>(targets);
  auto& cells = scratch.cells<typename Stat::Cell>();
  cells.assign(4 * stat.width(), 0);
  ColumnRows<Stat> out;
  out.present = cells.data();
  out.missing = out.present + stat.width();
  const auto& total = total_of<Stat>(targets);
  if (keys.size() == node.rows.size()) {
    std::copy_n(total.begin(), stat.width(), out.present);
  } else {
    for (const u64 key : keys) stat.add_row(out.present, labels[static_cast<u32>(key)], node.weights[static_cast<u32>(key)]);
    std::copy_n(total.begin(), stat.width(), out.missing);
    subtract_cells(out.missing, out.present, stat.width());
  }
  out.present_weight = stat.weight(out.present);
  out.missing_weight = stat.weight(out.missing);
  return out;
}

// Summaries and groups of a nominal column: from the counts of its node if it was prepared, otherwise in one pass over the rows.
template <class Stat>
std::pair<ColumnRows<Stat>, Groups<Stat>> counted_rows(const Stat& stat, const EncodedColumn& column, Column index, const NodeRows& node,
                                                       const NodeTargets& targets, Scratch& scratch) {
  const std::size_t width = stat.width();
  auto& cells = scratch.cells<typename Stat::Cell>();
  cells.assign(4 * width, 0);
  std::pair<ColumnRows<Stat>, Groups<Stat>> out;
  auto& [rows, groups] = out;
  rows.present = cells.data();
  rows.missing = rows.present + width;
  groups.width = width;
  groups.cells.assign((std::size_t{column.n_codes} + 1) * width, 0);  // the last for missing cells
  bool counted = false;
  if constexpr (std::is_same_v<Stat, ClassStat>) {
    counted = scratch.counted(index);
    if (counted) {
      const i64* from = scratch.counts_of(index);
      for (std::size_t code = 0; code <= column.n_codes; ++code, from += width - 1) {
        i64* to = groups.cells.data() + code * width;
        for (std::size_t k = 0; k + 1 < width; ++k) {
          to[k] = from[k];
          to[width - 1] += from[k];
        }
      }
    }
  }
  if (!counted) {
    const auto& labels = labels_of<Stat>(targets);
    for (std::size_t i = 0; i < node.rows.size(); ++i) {
      const Code code = std::min(column.codes[node.rows[i]], column.n_codes);
      stat.add_row(groups.cells.data() + code * width, labels[i], node.weights[i]);
    }
  }
  std::copy_n(groups.cells.data() + column.n_codes * width, width, rows.missing);
  std::copy_n(total_of<Stat>(targets).begin(), width, rows.present);
  subtract_cells(rows.present, rows.missing, width);
  rows.present_weight = stat.weight(rows.present);
  rows.missing_weight = stat.weight(rows.missing);
  for (Code code = 0; code < column.n_codes; ++code) {
    if (stat.weight(groups.cells.data() + code * width) == 0) continue;
    if (groups.codes.size() < code)
      std::copy_n(groups.cells.data() + code * width, width, groups.cells.data() + groups.codes.size() * width);
    groups.codes.push_back(code);
  }
  groups.cells.resize(groups.codes.size() * width);
  return out;
}

}  // namespace tw
