// Cuts drawn at random between the least and the largest cell of a node (Geurts, Ernst and Wehenkel 2006). Nothing has to be in order for
// that: the columns have no lists, and the cells of the node's rows are looked at one after the other.
#pragma once

#include <array>
#include <cmath>
#include <limits>

#include "grow/sorted/node.hpp"

namespace tw {

template <Criterion C>
class DrawnCuts {
 public:
  using Stat = typename C::Stat;
  using Cell = typename Stat::Cell;
  using Cells = std::vector<Cell>;
  using Workspace = SortedWorkspace<C>;
  using Found = typename Workspace::Found;

  DrawnCuts(const Table& table, const GrowSettings& settings, const FramePlan& plan, const NodeReader<C>& reader)
      : table_(table), settings_(settings), plan_(plan), reader_(reader) {}

  // The cut that is drawn for a column, scored.
  template <class Id>
  std::optional<Found> look(const C& c, const Frame<Id>& frame, Column j, Workspace& space) const {
    const DrawnCells& cells = read_cells(frame, j, space);
    const auto rows = rows_of(c, frame, j, space);
    if (rows.present_weight == 0) return std::nullopt;
    const auto at = reader_.at_column(c, j, space.targets, rows, space);
    Found found;
    found.column = j;
    if (cells.low < cells.high) {
      found.threshold = drawn_threshold(cells.low, cells.high, drawn_for(space.targets, j), settings_.search.strict);
      space.sides.assign(2 * at.width, 0);
      Cell* below = space.sides.data();
      sum_below(c, frame, found.threshold, space, below);
      std::copy_n(rows.present, at.width, below + at.width);
      subtract_cells(below + at.width, below, at.width);
      const auto judged = at.score_two(below, below + at.width);
      if (judged.allowed) found.place = {judged.score, 0, judged.missing_branch, true, false};
    }
    found.score = found.place.any ? found.place.score : kNothing;
    if (at.tries_missing_branches() && at.presence_fits())
      found.score = std::max(found.score, score_of_pair(c, rows.present, rows.missing));
    return found.score > kNothing ? std::optional<Found>(found) : std::nullopt;
  }

  // The candidate of a column that was looked at.
  template <class Id>
  std::optional<Candidate> finish(const C& c, const Frame<Id>& frame, const Found& found, Workspace& space) const {
    const DrawnCells& cells = read_cells(frame, found.column, space);
    const auto rows = rows_of(c, frame, found.column, space);
    const auto at = reader_.at_column(c, found.column, space.targets, rows, space);
    if (!found.place.any) return at.presence(AtColumn<C>::Scale::pairs, 0, false, !(cells.low < cells.high));
    typename ThresholdSearch<C>::Sides sides(at);
    sum_below(c, frame, found.threshold, space, sides.left.data());
    subtract_cells(sides.right.data(), sides.left.data(), at.width);
    double below = cells.low;
    double above = cells.high;
    const double limit = limit_of(found.threshold);
    for (const double value : cells.numbers) {
      const bool is_below = value <= limit;
      below = is_below && value > below ? value : below;
      above = !is_below && value < above ? value : above;
    }
    return ThresholdSearch<C>::finish_drawn(at, sides, found.threshold, below, above, 0);
  }

  // Of two rows; the position is 1 if the first goes to the first branch.
  template <class Id>
  std::optional<Candidate> pair(const C& c, const Frame<Id>& frame, Column j, Workspace& space) const {
    const auto found = look(c, frame, j, space);
    if (!found) return std::nullopt;
    const bool ascending = space.drawn.numbers[0] <= limit_of(found->threshold);
    auto candidate = finish(c, frame, *found, space);
    if (candidate) candidate->position = ascending;
    return candidate;
  }

 private:
  // The largest number below a threshold: one comparison tells the side of a cell, and NaN is on neither.
  double limit_of(double threshold) const {
    return settings_.search.strict ? std::nextafter(threshold, -std::numeric_limits<double>::infinity()) : threshold;
  }

  template <class Id>
  const DrawnCells& read_cells(const Frame<Id>& frame, Column j, Workspace& space) const {
    DrawnCells& cells = space.drawn;
    if (cells.column == j) return cells;
    cells.column = j;
    cells.numbers.resize(space.ids.size());
    frame.with_cells(table_.columns[j].cells, static_cast<std::size_t>(plan_.cells_of[j]), [&](const auto& cell) {
      constexpr double kInfinite = std::numeric_limits<double>::infinity();
      std::array<double, 2> low{kInfinite, kInfinite};  // of every other row: one comparison need not wait for the one before it
      std::array<double, 2> high{-kInfinite, -kInfinite};
      const u32* ids = space.ids.data();
      const std::size_t n = space.ids.size();
      double* numbers = cells.numbers.data();
      const auto take = [&](std::size_t i, std::size_t k) {
        const double value = cell(ids[i]);
        numbers[i] = value;
        low[k] = value < low[k] ? value : low[k];
        high[k] = value > high[k] ? value : high[k];
      };
      std::size_t i = 0;
      for (; i + 1 < n; i += 2) {
        take(i, 0);
        take(i + 1, 1);
      }
      if (i < n) take(i, 0);
      cells.low = std::min(low[0], low[1]);
      cells.high = std::max(high[0], high[1]);
    });
    return cells;
  }

  template <class Id>
  ColumnRows<Stat> rows_of(const C& c, const Frame<Id>& frame, Column j, Workspace& space) const {
    if (table_.columns[j].n_missing == 0) return reader_.whole(c, space);
    space.all_present = false;
    auto rows = reader_.summaries(c, space);
    for (std::size_t i = 0; i < space.ids.size(); ++i)
      if (std::isnan(space.drawn.numbers[i])) reader_.add(c, frame, space, space.ids[i], rows.missing);
    reader_.complete(c, space.targets, rows);
    return rows;
  }

  // Adds up the rows below a threshold, without a branch that could be foretold as badly as a coin.
  template <class Id>
  void sum_below(const C& c, const Frame<Id>& frame, double threshold, const Workspace& space, Cell* below) const {
    const std::size_t n = space.ids.size();
    const double limit = limit_of(threshold);
    const double* numbers = space.drawn.numbers.data();
    if constexpr (C::kClasses) {
      const u8* labels = space.labels.data();
      if (!frame.weighted() && c.stat.k == 2) {
        u32 all = 0;
        u32 ones = 0;
        for (std::size_t i = 0; i < n; ++i) {
          const u32 one = (numbers[i] <= limit);
          all += one;
          ones += one & labels[i];
        }
        below[0] = all - ones;
        below[1] = ones;
        below[2] = all;
        return;
      }
      for (std::size_t i = 0; i < n; ++i) c.stat.add_row(below, labels[i], frame.weight_of(space.ids[i]) & -i64{(numbers[i] <= limit)});
    } else if (!frame.weighted()) {
      i64 all = 0;
      i64 sum = 0;
      for (std::size_t i = 0; i < n; ++i) {
        const i64 one = (numbers[i] <= limit);
        all += one;
        sum += space.targets.steps_of[i] & -one;
      }
      below[0] = all;
      below[1] = sum;
    } else {
      for (std::size_t i = 0; i < n; ++i)
        c.stat.add_row(below, space.targets.steps_of[i], frame.weight_of(space.ids[i]) & -i64{(numbers[i] <= limit)});
    }
  }

  const Table& table_;
  const GrowSettings& settings_;
  const FramePlan& plan_;
  const NodeReader<C>& reader_;
};

}  // namespace tw
