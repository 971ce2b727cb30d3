// Ties the families to a criterion: `Search<C>` searches a column of a node with the plain engine.
#pragma once

#include <numeric>

#include "base/errors.hpp"
#include "search/families.hpp"

namespace tw {

// The facts of a node whose classes, and the weight of each in `class_total`, are known; the total is put behind them.
void weigh_classes(const Table& table, NodeTargets& targets);

// Reads the targets of a node: classes renumbered among those that occur, or numbers on the node's grid.
void read_classes(const Table& table, const NodeRows& node, NodeTargets& targets);
void read_numbers(const Table& table, const NodeRows& node, NodeTargets& targets);

// Facts of a node whose targets are these numbers: grid, steps, mean, variance. `weights` may be null: one each.
void describe_numbers(const Table& table, const double* values, const i64* weights, std::size_t n, i64 total, NodeTargets& targets);

// Counts all columns of byte levels among these in one pass over the rows; not if the counters would be many more than the rows.
bool count_levels(const Table& table, const NodeRows& node, const NodeTargets& targets, const std::vector<Column>& columns,
                  Scratch& scratch);

// The answer of least expected loss, the first of equals.
struct Decision {
  double loss = 0;
  u32 label = 0;
};
Decision least_loss(const SearchSettings& settings, u32 n_classes, const std::vector<u32>& classes, const i64* cells);

// Impurity, label and class weights of a node whose classes have been counted.
template <Criterion C>
void describe_classes(NodeTargets& targets, const SearchSettings& settings, u32 n_classes) {
  const C c(targets, settings, n_classes);
  const auto& cells = targets.class_total;
  targets.facts.impurity = c.impurity(cells.data());
  if (targets.classes.size() == 1) targets.facts.impurity = 0;  // heavy weights would leave a trace of rounding
  const auto end = cells.begin() + static_cast<std::ptrdiff_t>(targets.classes.size());
  const i64 enough = *std::max_element(cells.begin(), end) - rounding_of(settings.missing, targets.weight);
  const auto most = std::find_if(cells.begin(), end, [&](i64 weight) { return weight >= enough; }) - cells.begin();
  targets.facts.label = static_cast<i32>(targets.classes[static_cast<std::size_t>(most)]);
  if (settings.decides()) targets.facts.label = static_cast<i32>(least_loss(settings, n_classes, targets.classes, cells.data()).label);
  if (!settings.priors.empty())
    for (auto& [k, weight] : targets.facts.classes) weight *= settings.priors[k];
}

// Refuses a column whose summaries, one per code, would take gigabytes.
inline void check_room(const EncodedColumn& column, Column index, const NodeRows& node, std::size_t width) {
  constexpr u64 kMostCells = u64{1} << 28;
  const u64 codes = column.kind == Kind::nominal ? column.n_codes : std::min<u64>(column.n_codes, node.rows.size());
  if (codes > kMostCells / width) throw TooManyCells(index, codes, width - 1);
}

// Fall of impurity by two branches of present rows.
template <Criterion C>
double fall_of(const C& c, const SearchSettings& settings, const EncodedColumn& column, Column index, const NodeTargets& targets,
               const std::vector<typename C::Stat::Cell>& branches) {
  const std::size_t width = c.stat.width();
  std::vector<typename C::Stat::Cell> cells(4 * width, 0);
  ColumnRows<typename C::Stat> rows;
  rows.present = cells.data();
  rows.missing = rows.present + width;
  add_cells(rows.present, branches.data(), width);
  add_cells(rows.present, branches.data() + width, width);
  std::copy_n(total_of<typename C::Stat>(targets).begin(), width, rows.missing);
  subtract_cells(rows.missing, rows.present, width);
  rows.present_weight = c.stat.weight(rows.present);
  rows.missing_weight = c.stat.weight(rows.missing);
  const AtColumn<C> at{c, settings, column, index, targets, rows, width, rows.missing + width, rows.missing + 2 * width};
  Split split;
  split.family = Family::threshold;
  const auto found = at.finish(std::move(split), branches, 0, 1, kNowhere);
  return found ? found->gain : 0;
}

template <Criterion C>
class Search final : public Searcher {
 public:
  Search(const Table& table, const SearchSettings& settings) : table_(table), settings_(settings) {}

  void read(const NodeRows& node, NodeTargets& targets) const override {
    if constexpr (C::kClasses) {
      read_classes(table_, node, targets);
      describe_classes<C>(targets, settings_, table_.target.n_classes);
    } else {
      read_numbers(table_, node, targets);
      const C c(targets, settings_, table_.target.n_classes);
      targets.moment_total.assign(c.stat.width(), 0);
      for (std::size_t i = 0; i < node.rows.size(); ++i) c.stat.add_row(targets.moment_total.data(), targets.steps_of[i], node.weights[i]);
    }
  }

  void describe(NodeTargets& targets) const override {
    if constexpr (C::kClasses) {
      weigh_classes(table_, targets);
      describe_classes<C>(targets, settings_, table_.target.n_classes);
    }
  }

  void prepare(const NodeRows& node, const NodeTargets& targets, const std::vector<Column>& columns, Scratch& scratch) const override {
    scratch.prepared = false;
    if constexpr (C::kClasses)
      if (!fills(settings_.missing)) scratch.prepared = count_levels(table_, node, targets, columns, scratch);
  }

  std::optional<Candidate> best(const NodeRows& node, const NodeTargets& targets, Column index, Scratch& scratch) const override {
    return best_in(table_.columns[index], node, targets, index, scratch);
  }

  std::optional<Candidate> best_cut(const NodeRows& node, const NodeTargets& targets, const std::vector<double>& numbers, Column index,
                                    Scratch& scratch) const override {
    if (settings_.numeric != Family::threshold) return std::nullopt;
    scratch.prepared = false;
    const NumbersAsColumn own(numbers, node, settings_.cuts);
    return best_in(own.column, own.rows, targets, index, scratch);
  }

  std::optional<Candidate> of_division(const NodeRows& node, const NodeTargets& targets, const std::vector<u32>& branch, u32 n_branches,
                                       Scratch& scratch) const override {
    EncodedColumn column;
    column.kind = Kind::nominal;
    column.codes.assign(branch.begin(), branch.end());
    column.n_codes = n_branches;
    column.seen.assign(n_branches, 1);
    NodeRows own;
    own.rows.resize(node.rows.size());
    std::iota(own.rows.begin(), own.rows.end(), Row{0});
    own.weights = node.weights;
    const C c(targets, settings_, table_.target.n_classes);
    const auto rows = gather(c.stat, column, own, targets, settings_.missing, scratch);
    auto* spare = rows.missing + c.stat.width();
    const AtColumn<C> at{c, settings_, column, 0, targets, rows, c.stat.width(), spare, spare + c.stat.width()};
    return search_groups(at, Family::multiway, group(c.stat, column, own, targets, scratch));
  }

  ColumnSummary summarise(const NodeRows& some, const NodeTargets& targets, Column index, Scratch& scratch) const override {
    if (fills(settings_.missing)) throw Invalid("missing cells that are filled are filled by all rows of a node");
    const C c(targets, settings_, table_.target.n_classes);
    const EncodedColumn& column = table_.columns[index];
    NodeTargets own = targets;  // of these rows alone
    total_of<typename C::Stat>(own).assign(c.stat.width(), 0);
    const auto& labels = labels_of<typename C::Stat>(targets);
    for (std::size_t i = 0; i < some.rows.size(); ++i) c.stat.add_row(total_of<typename C::Stat>(own).data(), labels[i], some.weights[i]);
    const auto rows = gather(c.stat, column, some, own, settings_.missing, scratch);
    auto groups = group(c.stat, column, some, own, scratch);
    ColumnSummary out;
    if (column.kind == Kind::numeric)
      for (std::size_t g = 0; g < groups.size(); ++g) out.values.push_back(groups.value(column, g));
    out.codes = std::move(groups.codes);
    auto& cells = out.template cells<typename C::Stat::Cell>();
    cells = std::move(groups.cells);
    cells.insert(cells.end(), rows.missing, rows.missing + c.stat.width());
    return out;
  }

  std::optional<Candidate> choose(const ColumnSummary& all, const NodeTargets& targets, Column index) const override {
    using Cell = typename C::Stat::Cell;
    const C c(targets, settings_, table_.target.n_classes);
    const EncodedColumn& column = table_.columns[index];
    const std::size_t width = c.stat.width();
    Groups<typename C::Stat> groups;
    groups.codes = all.codes;
    groups.values = all.values;
    groups.width = width;
    const auto& cells = all.template cells<Cell>();
    groups.cells.assign(cells.begin(), cells.end() - static_cast<std::ptrdiff_t>(width));
    std::vector<Cell> space(4 * width, 0);
    ColumnRows<typename C::Stat> rows;
    rows.present = space.data();
    rows.missing = rows.present + width;
    std::copy_n(cells.end() - static_cast<std::ptrdiff_t>(width), width, rows.missing);
    for (std::size_t g = 0; g < groups.size(); ++g) add_cells(rows.present, groups[g], width);
    rows.present_weight = c.stat.weight(rows.present);
    rows.missing_weight = c.stat.weight(rows.missing);
    if (rows.present_weight == 0) return std::nullopt;
    const AtColumn<C> at{c, settings_, column, index, targets, rows, width, rows.missing + width, rows.missing + 2 * width};
    return search_groups(at, family_of(column), groups);
  }

  double gain_of(const NodeRows& node, const NodeTargets& targets, Column index, const std::vector<i8>& branch) const override {
    const C c(targets, settings_, table_.target.n_classes);
    std::vector<typename C::Stat::Cell> branches(2 * c.stat.width(), 0);
    for (std::size_t i = 0; i < branch.size(); ++i)
      if (branch[i] >= 0)
        c.stat.add_row(branches.data() + static_cast<std::size_t>(branch[i]) * c.stat.width(), labels_of<typename C::Stat>(targets)[i],
                       node.weights[i]);
    return fall_of(c, settings_, table_.columns[index], index, targets, branches);
  }

 private:
  std::optional<Candidate> best_in(const EncodedColumn& column, const NodeRows& node, const NodeTargets& targets, Column index,
                                   Scratch& scratch) const {
    const C c(targets, settings_, table_.target.n_classes);
    const Family family = family_of(column);
    if (family != Family::threshold) check_room(column, index, node, c.stat.width());
    const auto look_at = [&](const ColumnRows<typename C::Stat>& rows) {
      auto* spare = rows.missing + c.stat.width();
      return AtColumn<C>{c, settings_, column, index, targets, rows, c.stat.width(), spare, spare + c.stat.width()};
    };
    const bool listed = index < node.sorted.size() && !node.sorted[index].empty();
    if (family == Family::threshold && fills(settings_.missing) && column.n_missing > 0) {
      if (!listed) list_cells(column, node, true, scratch.listed, scratch.spare);
      const std::vector<u64>& cells = listed ? node.sorted[index] : scratch.listed;
      const Fill fill = fill_cells(cells, node, targets, settings_.missing, scratch.keys);
      if (scratch.keys.empty()) return std::nullopt;
      auto found = ThresholdSearch<C>::run(look_at(summarise_keys(c.stat, scratch.keys, node, targets, scratch)), node, scratch.keys);
      if (found && cells.back() >> 32 == kMissing) send_filled(fill, *found);
      return found;
    }
    if (listed) {
      const auto at = look_at(summarise_keys(c.stat, node.sorted[index], node, targets, scratch));
      return ThresholdSearch<C>::run(at, node, node.sorted[index]);
    }
    if (column.kind == Kind::nominal && !fills(settings_.missing) && column.n_codes <= 4 * node.rows.size() + 16) {
      const auto counted = counted_rows(c.stat, column, index, node, targets, scratch);
      if (counted.first.present_weight == 0) return std::nullopt;
      return search_groups(look_at(counted.first), family, counted.second);
    }
    const auto rows = gather(c.stat, column, node, targets, settings_.missing, scratch);
    if (rows.present_weight == 0) return std::nullopt;
    const auto at = look_at(rows);
    if (family == Family::threshold) sort_keys(scratch.keys, scratch.spare, column.n_codes);
    auto found = family == Family::threshold ? ThresholdSearch<C>::run(at, node, scratch.keys)
                                             : search_groups(at, family, group(c.stat, column, node, targets, scratch));
    // A filled cell goes where the value it is filled with goes.
    if (found && fills(settings_.missing) && column.n_missing > 0) {
      const Fill fill = find_fill(column, node, targets, settings_.missing);
      const bool some = std::any_of(node.rows.begin(), node.rows.end(), [&](Row row) { return column.codes[row] == kMissing; });
      if (some) send_filled(fill, *found);
    }
    return found;
  }

  static void send_filled(const Fill& fill, Candidate& found) {
    found.split.missing_to = static_cast<i32>(branch_of_code(found.split, fill.overall));
    found.split.missing_seen = true;
  }

  Family family_of(const EncodedColumn& column) const {
    const Family family = column.kind == Kind::nominal ? settings_.nominal : settings_.numeric;
    return family == Family::grouped && column.n_codes <= 2 ? Family::multiway : family;  // nothing to group
  }

  const Table& table_;
  const SearchSettings& settings_;
};

}  // namespace tw
