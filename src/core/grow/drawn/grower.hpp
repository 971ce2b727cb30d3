// Grows trees whose cuts are drawn between the least and the largest cell of a node (Geurts, Ernst and Wehenkel 2006). Nothing has to be in
// order for that: a node is a run of row numbers, and the cells of the columns that are drawn for it are put side by side, looked through
// for their range, and counted below the cut. Subtrees of few rows have their cells with them, where they stay in the nearest cache.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>

#include "base/hash.hpp"
#include "base/registry.hpp"
#include "grow/chooser.hpp"
#include "grow/column_draw.hpp"
#include "grow/drawn/applies.hpp"
#include "grow/drawn/cells.hpp"
#include "grow/drawn/few_columns.hpp"
#include "grow/drawn/frame.hpp"
#include "grow/drawn/rows.hpp"
#include "grow/limits.hpp"
#include "search/search.hpp"

namespace tw {

// T: what holds a cell of every column.
template <Criterion C, class T>
class DrawnGrower {
  using Stat = typename C::Stat;
  using Cell = typename Stat::Cell;

  static constexpr std::array<u32, 2> kNear{8192, 512};  // rows that have their cells with them, in the second cache and in the first
  static constexpr std::size_t kTogether = 8;            // columns whose cells are put side by side at a time

 public:
  DrawnGrower(const Table& table, const GrowSettings& settings, JobControl& job)
      : table_(table),
        settings_(settings),
        job_(job),
        chooser_(chooser_entry(settings.chooser)),
        builder_(table.target.n_classes, 2 * u64{table.n_rows}),
        columns_(table.columns.size()),
        rows_(table, settings.search) {
    std::iota(columns_.begin(), columns_.end(), Column{0});
  }

  Tree run() {
    Frame& whole = frames_[0];
    whole.ids.resize(table_.n_rows);
    std::iota(whole.ids.begin(), whole.ids.end(), Row{0});
    whole.label.assign(table_.target.class_of.begin(), table_.target.class_of.end());
    whole.value = table_.target.value;
    if (rows_.weighted()) {
      whole.weight.resize(table_.n_rows);
      for (Row row = 0; row < table_.n_rows; ++row) whole.weight[row] = table_.weights[row];
    }
    grow_below(0, {0, 0, 0, table_.n_rows, mix(settings_.seed)});
    return std::move(builder_).finish(tree_columns(table_), false);
  }

 private:
  using Frame = DrawnFrame<T>;

  struct Node {
    u32 node = 0;
    u32 depth = 0;
    u32 begin = 0;
    u32 n = 0;
    u64 path = 0;
  };

  // The cut that was drawn for a column.
  struct Found {
    Column column = 0;
    double threshold = 0;
    double score = 0;
    const T* cells = nullptr;  // of the rows of the node; null: gone
    std::size_t at = 0;        // among those of the node: where the sums of the rows below it are
  };

  // What lies on either side of a cut.
  struct Sides {
    const Cell* below = nullptr;
    const Cell* above = nullptr;
  };

  void grow_below(std::size_t level, Node root) {
    Frame& frame = frames_[level];
    std::vector<Node> open{root};
    while (!open.empty()) {
      const Node node = open.back();
      open.pop_back();
      if (level < kNear.size() && node.n <= kNear[level]) {
        narrow_to(table_, frame, frame.ids.data() + node.begin, node.n, columns_, frames_[level + 1]);
        grow_below(level + 1, {node.node, node.depth, 0, node.n, node.path});
        continue;
      }
      job_.check();
      targets_.path = node.path;
      rows_.read(frame, frame.ids.data() + node.begin, node.n, targets_);
      builder_.describe(node.node, targets_.facts);
      if (stops(settings_, node.depth, targets_) || !choose(frame, node)) {
        job_.done += node.n;
        continue;
      }
      const u32 below = divide(frame, node, chosen_.split.column);
      const u32 first = builder_.divide(node.node, chosen_.split, chosen_.gain);
      const auto add = [&](const Cell* sums, const Node& branch) {
        if (!finish_leaf(frame, branch, sums)) open.push_back(branch);
      };
      add(sides_.above, {first + 1, node.depth + 1, node.begin + below, node.n - below, child_path(node.path, 1)});
      add(sides_.below, {first, node.depth + 1, node.begin, below, child_path(node.path, 0)});
    }
  }

  // Describes a branch that is certainly a leaf, by what its rows add up to; false for any other.
  bool finish_leaf(const Frame& frame, const Node& branch, const Cell* sums) {
    if constexpr (C::kClasses) {
      const std::size_t k = targets_.classes.size();
      const auto pure = static_cast<std::size_t>(std::find(sums, sums + k, sums[k]) - sums);
      if (pure == k) return false;
      leaf_.weight = table_.weights.plain(sums[k]);
      leaf_.label = static_cast<i32>(targets_.classes[pure]);
      leaf_.classes.assign(1, {targets_.classes[pure], leaf_.weight});
    } else {
      if (branch.n > 1) return false;
      const u32 id = frame.ids[branch.begin];
      leaf_.weight = table_.weights.plain(rows_.weighted() ? frame.weight[id] : i64{1});
      leaf_.value = frame.value[id] + 0.0;
    }
    builder_.describe(branch.node, leaf_);
    job_.done += branch.n;
    return true;
  }

  // ---- one node ----

  // Finds the split of a node that was read, and what it gains; false if it is to be a leaf.
  bool choose(const Frame& frame, const Node& node) {
    const C c(targets_, settings_.search, table_.target.n_classes);
    const std::size_t width = c.stat.width();
    space_.assign(6 * width, 0);
    std::copy_n(total_of<Stat>(targets_).begin(), width, space_.begin());
    best_.clear();
    if (settings_.max_features == 0 || settings_.max_features >= columns_.size()) {
      look(c, frame, node, columns_);
    } else {
      const bool few = settings_.max_features <= FewColumns::kMost;
      if (few) look(c, frame, node, few_.draw(columns_, node.path, settings_.max_features));
      if (best_.empty()) draw_.start(columns_, node.path);
      if (best_.empty() && few) draw_.next(settings_.max_features);  // those that were looked at
      while (best_.empty() && draw_.any_left()) look(c, frame, node, draw_.next(settings_.max_features));
    }
    if (best_.empty()) return false;
    if (best_.size() > 1) {  // almost never
      std::vector<Candidate> candidates;
      for (const Found& found : best_) candidates.push_back(finish(c, frame, node, found));
      const std::size_t pick = chooser_.choose(candidates, {settings_, node.path, {}, {}});
      if (pick >= best_.size()) return false;
      best_ = {best_[pick]};
    }
    settle(c, best_[0], cells_of(frame, node, best_[0]), node.n);
    return enough(settings_, chosen_, targets_.facts.weight, table_.weights.plain(table_.weights.total));
  }

  // Makes the best cut the split that is chosen: what `finish` does where no cell is missing, without asking for memory.
  void settle(const C& c, const Found& found, const T* cells, u32 n) {
    const std::size_t width = c.stat.width();
    const Cell* below = sums_.data() + found.at * width;
    Cell* above = space_.data() + 5 * width;
    std::copy_n(space_.data(), width, above);
    subtract_cells(above, below, width);
    sides_ = {below, above};
    const bool heavier = c.stat.weight(above) > c.stat.weight(below);
    double worth = 0;
    double noise = 0;
    if constexpr (C::kClasses) {
      worth = c.worth(below) + c.worth(above) - c.worth(space_.data());
      noise = std::max(kNoise * targets_.facts.impurity * static_cast<double>(targets_.weight), c.rounding(targets_.weight));
    } else {
      worth = found.score;
    }
    const double fall = worth > noise ? worth / static_cast<double>(targets_.weight) : 0;
    chosen_.gain = fall > 0 ? std::min(fall * c.unit(), std::numeric_limits<double>::max()) : 0;
    const auto [low, high] = neighbours_of(cells, n, limit_of<T>(found.threshold, settings_.search.strict));
    Split& split = chosen_.split;
    split.family = Family::threshold;
    split.strict = settings_.search.strict;
    split.column = found.column;
    split.n_branches = 2;
    split.missing_to = divides_rows(settings_.search.missing) ? kAllBranches : heavier;
    split.cuts.assign(1, make_cut(settings_.search, low, high, 0));
    if (!settings_.search.observed) split.cuts[0].at = found.threshold + 0.0;
  }

  // Draws a cut in each of some columns; the best of them, and those that may be equal to it.
  void look(const C& c, const Frame& frame, const Node& node, std::span<const Column> columns) {
    found_.clear();
    double best = kNone;
    sums_.resize(std::max(sums_.size(), columns.size() * c.stat.width()));
    const std::size_t apart = filled(node.n);
    cells_.resize(std::max(cells_.size(), std::min(columns.size(), kTogether) * apart));
    for (std::size_t at = 0; at < columns.size(); at += kTogether) {
      const auto some = columns.subspan(at, std::min(kTogether, columns.size() - at));
      fetch_cells<T>(table_, frame, frame.ids.data() + node.begin, node.n, some, apart, cells_.data());
      for (Found& found : found_) found.cells = nullptr;
      for (std::size_t i = 0; i < some.size(); ++i) {
        T* cells = cells_.data() + i * apart;
        std::fill(cells + node.n, cells + apart, cells[0]);
        if (const auto found = draw(c, some[i], cells, node.n)) {
          found_.push_back(*found);
          best = std::max(best, found->score);
        }
      }
    }
    const double floor = best - margin(c, best);
    double highest = kNone;
    for (const Found& found : found_) {
      if (found.score < floor || (settings_.ties == Ties::first && found.score <= highest)) continue;
      highest = std::max(highest, found.score);
      best_.push_back(found);
    }
  }

  // The cut that is drawn for a column, scored.
  std::optional<Found> draw(const C& c, Column j, const T* cells, u32 n) {
    const std::size_t at = found_.size();
    const auto [least, most] = range_of(cells, n);
    if (!(least < most)) return std::nullopt;
    Found found{j, drawn_threshold(least, most, drawn_for(targets_, j), settings_.search.strict), 0, cells, at};
    const Sides sides = divided(c, cells, n, found.threshold);
    const i64 minimum = std::max<i64>(settings_.search.min_leaf, 1);
    if (c.stat.weight(sides.below) < minimum || c.stat.weight(sides.above) < minimum) return std::nullopt;
    found.score = score_of_pair(c, sides.below, sides.above);
    std::copy_n(sides.below, c.stat.width(), sums_.data() + at * c.stat.width());
    return found;
  }

  // What lies on either side of a threshold, in the work space.
  Sides divided(const C& c, const T* cells, u32 n, double threshold) {
    const std::size_t width = c.stat.width();
    Cell* below = space_.data() + 4 * width;
    Cell* above = space_.data() + 5 * width;
    rows_.add_below(targets_, cells, n, limit_of<T>(threshold, settings_.search.strict), below);
    std::copy_n(space_.data(), width, above);
    subtract_cells(above, below, width);
    return {below, above};
  }

  // The candidate of a cut, as `AtColumn` makes them.
  Candidate finish(const C& c, const Frame& frame, const Node& node, const Found& found) {
    const T* cells = cells_of(frame, node, found);
    const u32 n = node.n;
    const std::size_t width = c.stat.width();
    ColumnRows<Stat> rows;
    rows.present = space_.data();
    rows.missing = rows.present + width;
    rows.present_weight = targets_.weight;
    const AtColumn<C> at{c,     settings_.search,     table_.columns[found.column], found.column, targets_, rows,
                         width, rows.missing + width, rows.missing + 2 * width};
    const Sides sides = divided(c, cells, n, found.threshold);
    typename ThresholdSearch<C>::Sides kept(at);
    std::copy_n(sides.below, width, kept.left.data());
    std::copy_n(sides.above, width, kept.right.data());
    const auto [low, high] = neighbours_of(cells, n, limit_of<T>(found.threshold, settings_.search.strict));
    return *ThresholdSearch<C>::finish_drawn(at, kept, found.threshold, low, high, 0);
  }

  const T* cells_of(const Frame& frame, const Node& node, const Found& found) {
    if (found.cells != nullptr) return found.cells;
    again_.resize(filled(node.n));
    fetch_cells<T>(table_, frame, frame.ids.data() + node.begin, node.n, {&found.column, 1}, again_.size(), again_.data());
    std::fill(again_.begin() + node.n, again_.end(), again_[0]);
    return again_.data();
  }

  // Scores this far below the best may be equal to it once they are finished.
  double margin(const C& c, double best) const {
    if constexpr (C::kClasses) {
      const double parent = c.worth(targets_.class_total.data());
      return 1e-9 * std::fabs(best - parent) + 4 * c.rounding(targets_.weight) +
             2 * kNoise * targets_.facts.impurity * static_cast<double>(targets_.weight);
    } else {
      return best > 0 ? 1e-9 * best : 1;
    }
  }

  // Puts the rows of the first branch before the others, both in the order they are in; how many there are.
  u32 divide(Frame& frame, const Node& node, Column column) {
    const auto found = std::find_if(found_.begin(), found_.end(), [&](const Found& one) { return one.column == column; });
    const T* cells = cells_of(frame, node, *found);
    const T limit = limit_of<T>(found->threshold, settings_.search.strict);
    u32* ids = frame.ids.data() + node.begin;
    spare_.resize(std::max<std::size_t>(spare_.size(), node.n));
    u32 below = 0;
    for (u32 i = 0; i < node.n; ++i) {
      const u32 id = ids[i];
      ids[below] = id;
      spare_[i - below] = id;
      below += cells[i] <= limit;
    }
    std::copy_n(spare_.begin(), node.n - below, ids + below);
    return below;
  }

  static constexpr double kNone = -std::numeric_limits<double>::infinity();

  const Table& table_;
  const GrowSettings& settings_;
  JobControl& job_;
  const ChooserEntry& chooser_;
  Builder builder_;
  std::vector<Column> columns_;
  std::array<Frame, kNear.size() + 1> frames_;
  ColumnDraw draw_;
  FewColumns few_;

  // Of the node in hand.
  DrawnRows<C> rows_;
  NodeTargets targets_;
  std::vector<Cell> space_;  // six summaries: of all rows, of none, two that others work with, of the two sides of a cut
  std::vector<T> cells_, again_;
  std::vector<Found> found_;
  std::vector<Found> best_;
  std::vector<Cell> sums_;  // of what lies below the cuts that were drawn
  Candidate chosen_;        // its split and its gain
  Sides sides_;             // of that split
  NodeFacts leaf_;
  std::vector<u32> spare_;
};

template <Criterion C>
Tree grow_drawn(Table& table, const GrowSettings& settings, JobControl& job) {
  const auto single = [](const EncodedColumn& column) { return column.cells.type == Type::F32; };
  if (std::all_of(table.columns.begin(), table.columns.end(), single)) return DrawnGrower<C, float>(table, settings, job).run();
  return DrawnGrower<C, double>(table, settings, job).run();
}

}  // namespace tw
