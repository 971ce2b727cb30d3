// One column of a node of the sorted engine: how good its best split is, and the candidate made of it.
#pragma once

#include "grow/sorted/codes.hpp"
#include "grow/sorted/drawn.hpp"
#include "grow/sorted/sparse.hpp"

namespace tw {

template <Criterion C>
class ColumnSearch {
 public:
  using Stat = typename C::Stat;
  using Cell = typename Stat::Cell;
  using Cells = std::vector<Cell>;
  using Open = SortedNode<Cell>;
  using Workspace = SortedWorkspace<C>;
  using Found = typename Workspace::Found;

  ColumnSearch(const Table& table, const GrowSettings& settings, const FramePlan& plan, const NodeReader<C>& reader)
      : table_(table),
        settings_(settings),
        plan_(plan),
        reader_(reader),
        codes_(table, plan, reader),
        drawn_(table, settings, plan, reader),
        sparse_(table, plan, reader) {}

  const CodeCounter<C>& codes() const { return codes_; }

  // Whether a column surely has no split that scores above the floor, as far as that is quickly told.
  template <class Id>
  bool hopeless(const C& c, const Frame<Id>& frame, Column j, Workspace& space, double floor) const {
    return floor > kNothing && settings_.search.cuts == Cuts::all && family_of(j) == Family::threshold &&
           codes_.hopeless(c, frame, j, space, reader_.least_side(c, space), floor);
  }

  // How good a column is, without making a candidate of it yet.
  template <class Id>
  std::optional<Found> look(const C& c, const Frame<Id>& frame, const Open& open, Column j, Workspace& space, double floor) const {
    Found found;
    found.column = j;
    const i32 f = plan_.list_of[j];
    if (plan_.is_drawn(j)) return drawn_.look(c, frame, j, space);
    if (plan_.sparse_of[j] >= 0) return sparse_.look(c, frame, open, j, space, floor);
    if (f < 0 && plan_.bit_of[j] >= 0) {
      codes_.count_bits(c, frame, open, space);
      const auto at = reader_.at_column(c, j, space.targets, reader_.whole(c, space), space);
      const auto score = codes_.score_of_bits(at, codes_.bits_of(c, space, j));
      if (!score) return std::nullopt;
      found.score = *score;
      return found;
    }
    if (f < 0 && settings_.search.cuts == Cuts::all && family_of(j) == Family::threshold) {
      const auto counted = codes_.best_cut(c, frame, open, j, space, reader_.least_side(c, space), floor);
      if (counted.known && !counted.score) return std::nullopt;
      if (counted.known && !reader_.order_of(j, space)) {
        found.score = *counted.score;
        return found;
      }
    }
    ColumnRows<Stat> rows;
    if (f >= 0) {
      rows = rows_of_list(c, frame, open, static_cast<std::size_t>(f), space);
    } else {
      space.all_present = false;
      rows = reader_.summaries(c, space);
      codes_.count(c, frame, open, j, space, rows);
    }
    if (rows.present_weight == 0 || (f < 0 && falls_short(c, rows, space.groups, floor))) return std::nullopt;
    const auto at = reader_.at_column(c, j, space.targets, rows, space);
    std::optional<double> best;
    if (f >= 0) {
      found.place = scan(at, frame, open, static_cast<std::size_t>(f), space, floor);
      if (found.place.any) best = found.place.score;
    } else {
      best = score_of_groups(at, family_of(j), space.groups);
    }
    if (at.tries_missing_branches() && at.presence_fits()) {
      const double presence = score_of_pair(c, at.rows.present, at.rows.missing);
      best = best ? std::max(*best, presence) : presence;
    }
    if (!best) return std::nullopt;
    found.score = *best;
    return found;
  }

  // The finished candidate of a column.
  template <class Id>
  std::optional<Candidate> finish(const C& c, const Frame<Id>& frame, const Open& open, const Found& found, Workspace& space) const {
    const Column j = found.column;
    const i32 f = plan_.list_of[j];
    if (plan_.is_drawn(j)) return drawn_.finish(c, frame, found, space);
    if (plan_.sparse_of[j] >= 0) return sparse_.finish(c, frame, open, found, space);
    if (f < 0) {
      space.all_present = false;
      auto rows = reader_.summaries(c, space);
      codes_.count(c, frame, open, j, space, rows);
      if (table_.columns[j].kind == Kind::numeric) codes_.find_values(frame, open, j, space);
      return search_groups(reader_.at_column(c, j, space.targets, rows, space), family_of(j), space.groups);
    }
    const auto rows = rows_of_list(c, frame, open, static_cast<std::size_t>(f), space);
    const auto at = reader_.at_column(c, j, space.targets, rows, space);
    if (!found.place.any)
      return at.presence(AtColumn<C>::Scale::pairs, 0, false, open.n - open.missing_in(static_cast<std::size_t>(f)) < 2);
    const Id* entries = frame.list(static_cast<std::size_t>(f)) + open.begin;
    const auto position = static_cast<u32>(found.place.position);
    Cells branches(2 * at.width, 0);
    if (found.lower.empty())
      sum_below(c, frame, rows, entries, open.n - open.missing_in(static_cast<std::size_t>(f)), position, space, branches.data());
    else
      std::copy_n(found.lower.begin(), at.width, branches.begin());
    const auto value_at = [&](u32 i) { return frame.cell(at.column.cells, static_cast<std::size_t>(f), Frame<Id>::id_of(entries[i])); };
    const u64 tried = keeps_some(settings_) ? count_cuts(at, frame, open, static_cast<std::size_t>(f), space) : found.tried;
    return cut_candidate<C>(at, std::move(branches), found.place, value_at(position - 1), value_at(position), tried);
  }

  // The split of two rows by a column in which they differ; the position is 1 if the first of `ids` goes to the first branch.
  template <class Id>
  std::optional<Candidate> pair_of(const C& c, const Frame<Id>& frame, const Open& open, Column j, Workspace& space,
                                   const std::array<u32, 2>& ids) const {
    if (plan_.is_drawn(j)) return drawn_.pair(c, frame, j, space);
    return plan_.list_of[j] >= 0 || plan_.sparse_of[j] >= 0 ? pair_of_list(c, frame, j, space, ids)
                                                            : pair_of_codes(c, frame, open, j, space, ids);
  }

  template <class Id>
  std::optional<Candidate> pair_of_list(const C& c, const Frame<Id>& frame, Column j, Workspace& space,
                                        const std::array<u32, 2>& ids) const {
    const View& cells = table_.columns[j].cells;
    const std::size_t f = plan_.sparse_of[j] >= 0 ? Frame<Id>::kInTable : static_cast<std::size_t>(plan_.list_of[j]);
    const double a = frame.cell(cells, f, ids[0]);
    const double b = frame.cell(cells, f, ids[1]);
    if (a == b) return std::nullopt;
    const bool ascending = a < b;
    const auto at = reader_.at_column(c, j, space.targets, reader_.whole(c, space), space);
    Cells branches(2 * at.width, 0);
    reader_.add(c, frame, space, ids[ascending ? 0 : 1], branches.data());
    std::copy_n(at.rows.present, at.width, at.two);
    subtract_cells(at.two, branches.data(), at.width);
    if (!at.in_order(branches.data(), at.two)) return std::nullopt;
    Place place{score_of_pair(c, branches.data(), at.two), 1, kNowhere, true, true};
    auto candidate = cut_candidate<C>(at, std::move(branches), place, std::min(a, b), std::max(a, b));
    if (candidate) candidate->position = ascending;
    return candidate;
  }

  template <class Id>
  std::optional<Candidate> pair_of_codes(const C& c, const Frame<Id>& frame, const Open& open, Column j, Workspace& space,
                                         const std::array<u32, 2>& ids) const {
    const Code first = reader_.code_of(frame, j, ids[0]);
    if (first == reader_.code_of(frame, j, ids[1])) return std::nullopt;
    Found found;
    found.column = j;
    auto candidate = finish(c, frame, open, found, space);
    if (candidate) candidate->position = branch_of_code(candidate->split, first) == 0;
    return candidate;
  }

 private:
  // Whether no two branches of these groups can score above the floor: impurities are concave, so the groups one by one, and the missing
  // rows, are worth at least as much as any two branches put together from them.
  bool falls_short(const C& c, const ColumnRows<Stat>& rows, const Groups<Stat>& groups, double floor) const {
    if constexpr (JudgesPairs<C> || !C::kConcave) {
      return false;
    } else {
      if (floor == kNothing) return false;
      double most = rows.missing_weight > 0 ? c.worth(rows.missing) : 0;
      for (std::size_t g = 0; g < groups.size(); ++g) most += c.worth(groups[g]);
      const double rounding = static_cast<double>(groups.size() + 4) * c.rounding(rows.present_weight + rows.missing_weight);
      return most + 1e-9 * std::fabs(most) + rounding < floor;
    }
  }

  // What lies below a position of a list, from the shorter side.
  template <class Id>
  void sum_below(const C& c, const Frame<Id>& frame, const ColumnRows<Stat>& rows, const Id* entries, u32 present, u32 position,
                 const Workspace& space, Cell* cells) const {
    const bool from_above = position > present / 2;
    const u32 end = from_above ? present : position;
    if (C::kClasses && frame.two_classes && !frame.weighted()) {
      u32 ones = 0;
      for (u32 i = from_above ? position : 0; i < end; ++i) ones += static_cast<u32>(entries[i] & 1);
      const u32 all = from_above ? present - position : position;
      c.stat.add_row(cells, space.local_class[0], all - ones);
      c.stat.add_row(cells, space.local_class[1], ones);
    } else {
      for (u32 i = from_above ? position : 0; i < end; ++i) reader_.add(c, frame, space, Frame<Id>::id_of(entries[i]), cells);
    }
    if (!from_above) return;
    for (std::size_t k = 0; k < c.stat.width(); ++k) cells[k] = rows.present[k] - cells[k];
  }

  // How many cuts of a list may be taken, those with the missing rows on either side apart. Where no two rows of the node have the same
  // value, as was seen here or above, the places tell it.
  template <class Id>
  u64 count_cuts(const AtColumn<C>& at, const Frame<Id>& frame, const Open& open, std::size_t f, Workspace& space) const {
    const u32 present = open.n - open.missing_in(f);
    const Id* entries = frame.list(f) + open.begin;
    const i64 least = at.least_side();
    const i64 all = at.rows.present_weight;
    const bool sides = at.tries_missing_branches();
    const i64 missing = sides ? at.rows.missing_weight : 0;
    u32& close = space.close[f];
    if (close == 0 && !frame.weighted()) {
      const auto places = [&](i64 below, i64 above) {
        return std::max<i64>(0, std::min<i64>(all - 1, all - above) - std::max<i64>(1, below) + 1);
      };
      return static_cast<u64>(missing == 0 ? places(least, least) : places(least - missing, least) + places(least, least - missing));
    }
    const auto allowed = [&](i64 left, i64 right) { return left >= least && right >= least; };
    return frame.with_cells(at.column.cells, f, [&](const auto& cell) {
      u64 tried = 0;
      i64 below = 0;
      close = 0;
      double last = cell(Frame<Id>::id_of(entries[0]));
      for (u32 i = 1; i < present; ++i) {
        if (i + kPrefetchDistance < present) cell.prefetch_cell(Frame<Id>::id_of(entries[i + kPrefetchDistance]));
        below += frame.weight_of(Frame<Id>::id_of(entries[i - 1]));
        const double value = cell(Frame<Id>::id_of(entries[i]));
        const bool differs = last < value;
        last = value;
        close += !differs;
        if (!differs) continue;
        if (missing == 0) {
          tried += allowed(below, all - below);
        } else {
          tried += allowed(below + missing, all - below);
          tried += allowed(below, all - below + missing);
        }
      }
      return tried;
    });
  }

  template <class Id>
  ColumnRows<Stat> rows_of_list(const C& c, const Frame<Id>& frame, const Open& open, std::size_t f, Workspace& space) const {
    const u32 missing = open.missing_in(f);
    if (missing == 0) return reader_.whole(c, space);
    space.all_present = false;
    auto rows = reader_.summaries(c, space);
    const Id* slice = frame.list(f) + open.begin;
    for (u32 i = open.n - missing; i < open.n; ++i) reader_.add(c, frame, space, Frame<Id>::id_of(slice[i]), rows.missing);
    reader_.complete(c, space.targets, rows);
    return rows;
  }

  // The best cut of a list. Scores not above `floor` do not matter.
  template <class Id>
  Place scan(const AtColumn<C>& at, const Frame<Id>& frame, const Open& open, std::size_t f, Workspace& space, double floor) const {
    auto slice = reader_.template slice_of<Id>(at.c, at.rows, open.n - open.missing_in(f), space);
    if (slice.present < 2) return {};
    slice.entries = frame.list(f) + open.begin;
    slice.n_values = at.column.n_codes;
    slice.floor = floor;
    const auto order = reader_.order_of(at.index, space);
    slice.order = order ? &*order : nullptr;
    const auto same = reader_.same_value(frame, at.column.cells, f, slice.entries);
    if (!at.tries_missing_branches()) return reader_.best_cut(at.c, frame, slice, same);
    ListSlice<Id, Cell> with_left = slice;
    with_left.left = at.rows.missing;
    Cells all(at.rows.present, at.rows.present + at.width);
    add_cells(all.data(), at.rows.missing, at.width);
    slice.right = all.data();
    if (order) {
      Place left = reader_.best_cut(at.c, frame, with_left, same);
      Place right = reader_.best_cut(at.c, frame, slice, same);
      left.missing_branch = 0;
      right.missing_branch = 1;
      return Place::better_missing_branch(left, right);
    }
    return best_of_missing_branches(at.c, frame, with_left, slice, same);
  }

  Family family_of(Column j) const { return table_.columns[j].kind == Kind::nominal ? settings_.search.nominal : settings_.search.numeric; }

  const Table& table_;
  const GrowSettings& settings_;
  const FramePlan& plan_;
  const NodeReader<C>& reader_;
  const CodeCounter<C> codes_;
  const DrawnCuts<C> drawn_;
  const SparseCuts<C> sparse_;
};

}  // namespace tw
