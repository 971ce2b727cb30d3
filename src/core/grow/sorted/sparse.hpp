// Columns in which most rows hold one value: a node has a list of the others alone, those below the common value and those above it
// behind them. A cut divides one of the two parts, or lies between a part and the common value. The place of a cut counts all rows of the
// node, as in a list of all of them.
#pragma once

#include "grow/sorted/node.hpp"

namespace tw {

template <Criterion C>
class SparseCuts {
 public:
  using Stat = typename C::Stat;
  using Cell = typename Stat::Cell;
  using Cells = std::vector<Cell>;
  using Open = SortedNode<Cell>;
  using Workspace = SortedWorkspace<C>;
  using Found = typename Workspace::Found;

  SparseCuts(const Table& table, const FramePlan& plan, const NodeReader<C>& reader) : table_(table), plan_(plan), reader_(reader) {}

  // The best cut of a column. Scores not above `floor` do not matter.
  template <class Id>
  std::optional<Found> look(const C& c, const Frame<Id>& frame, const Open& open, Column j, Workspace& space, double floor) const {
    const SparseSlice& slice = slice_of(open, j);
    if (slice.size() == 0) return std::nullopt;
    Found found;
    found.column = j;
    found.place.score = floor;
    const auto rows = reader_.whole(c, space);
    const std::size_t width = c.stat.width();
    space.sides.resize(2 * width);
    Cell* left = space.sides.data();
    Cell* right = left + width;
    const Id* below = entries_of(frame, open, j);
    const Id* above = below + slice.below;
    const u32 common = open.n - slice.size();
    const i64 least = reader_.least_side(c, space);
    const auto between = [&](u32 position) {
      if (c.stat.weight(left) < least || c.stat.weight(right) < least) return;
      const double score = score_of_pair(c, left, right);
      if (score > found.place.score) found.place = {score, position, kNowhere, true, false};
    };
    if (slice.below > 0) {
      within(c, frame, j, below, slice.below, 0, nullptr, rows.present, space, found.place);
      if (common > 0 || slice.above > 0) {
        sum_up(c, frame, below, slice.below, space, left);
        std::copy_n(rows.present, width, right);
        subtract_cells(right, left, width);
        between(slice.below);
      }
    }
    if (slice.above > 0) {
      sum_up(c, frame, above, slice.above, space, right);
      std::copy_n(rows.present, width, left);
      subtract_cells(left, right, width);
      if (common > 0) between(open.n - slice.above);
      within(c, frame, j, above, slice.above, open.n - slice.above, left, right, space, found.place);
    }
    if (!found.place.any) return std::nullopt;
    found.score = found.place.score;
    return found;
  }

  // The candidate of a column that was looked at.
  template <class Id>
  std::optional<Candidate> finish(const C& c, const Frame<Id>& frame, const Open& open, const Found& found, Workspace& space) const {
    const auto rows = reader_.whole(c, space);
    const auto at = reader_.at_column(c, found.column, space.targets, rows, space);
    const SparseSlice& slice = slice_of(open, found.column);
    const Id* entries = entries_of(frame, open, found.column);
    const auto position = static_cast<u32>(found.place.position);
    const u32 from = open.n - slice.above;  // here the entries above begin
    Cells branches(2 * at.width, 0);
    if (position <= slice.below) {
      sum_up(c, frame, entries, position, space, branches.data());
    } else {
      sum_up(c, frame, entries + slice.below + (position - from), open.n - position, space, branches.data() + at.width);
      std::copy_n(rows.present, at.width, branches.data());
      subtract_cells(branches.data(), branches.data() + at.width, at.width);
    }
    const auto value_at = [&](u32 i) {
      if (i >= slice.below && i < from) return plan_.sparse[static_cast<std::size_t>(plan_.sparse_of[found.column])].common;
      const Id entry = entries[i < slice.below ? i : slice.below + (i - from)];
      return at.column.cells.number(frame.row_of(Frame<Id>::id_of(entry)));
    };
    return cut_candidate<C>(at, std::move(branches), found.place, value_at(position - 1), value_at(position));
  }

 private:
  const SparseSlice& slice_of(const Open& open, Column j) const { return open.sparse[static_cast<std::size_t>(plan_.sparse_of[j])]; }

  template <class Id>
  const Id* entries_of(const Frame<Id>& frame, const Open& open, Column j) const {
    return frame.sparse[static_cast<std::size_t>(plan_.sparse_of[j])].data() + slice_of(open, j).begin;
  }

  template <class Id>
  void sum_up(const C& c, const Frame<Id>& frame, const Id* entries, u32 n, const Workspace& space, Cell* sum) const {
    std::fill_n(sum, c.stat.width(), Cell{0});
    for (u32 i = 0; i < n; ++i) reader_.add(c, frame, space, Frame<Id>::id_of(entries[i]), sum);
  }

  // The best cut between n entries, `before` rows of the node being below them, if it is better than the best so far.
  template <class Id>
  void within(const C& c, const Frame<Id>& frame, Column j, const Id* entries, u32 n, u32 before, const Cell* left, const Cell* right,
              Workspace& space, Place& best) const {
    if (n < 2) return;
    auto slice = reader_.template slice_of<Id>(c, reader_.whole(c, space), n, space);
    slice.entries = entries;
    slice.left = left;
    slice.right = right;
    slice.n_values = table_.columns[j].n_codes;
    slice.floor = best.score;
    const Place place = reader_.best_cut(c, frame, slice, reader_.same_value(frame, table_.columns[j].cells, Frame<Id>::kInTable, entries));
    if (!place.any) return;
    best = place;
    best.position += before;
  }

  const Table& table_;
  const FramePlan& plan_;
  const NodeReader<C>& reader_;
};

}  // namespace tw
