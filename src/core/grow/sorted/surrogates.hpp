// Surrogates of a node's split in the sorted engine: the rows of the first branch are marked, and every other column is measured by how
// well it can tell them apart. Gives those of the plain engine (grow/surrogates.cpp).
#pragma once

#include "grow/plain/surrogates.hpp"
#include "grow/sorted/node.hpp"

namespace tw {

template <Criterion C>
class SortedSurrogates {
  using Reader = NodeReader<C>;
  using Cell = typename Reader::Cell;
  using Open = typename Reader::Open;
  using Workspace = typename Reader::Workspace;

 public:
  SortedSurrogates(const Table& table, const GrowSettings& settings, const FramePlan& plan, const Reader& reader)
      : table_(table), settings_(settings), plan_(plan), reader_(reader), count_(table) {}

  // The rows whose cell of the split is present are marked; the workspace has read the node.
  template <class Id>
  std::vector<Surrogate> find(const Frame<Id>& frame, const Open& open, const Candidate& chosen, const LostRows& lost,
                              const Workspace& workspace, unsigned threads) const {
    std::vector<Surrogate> out;
    if (settings_.surrogates.most == 0) return out;
    const TwoWays all = all_of(frame, open, chosen, lost);
    if (all.all_rows() < 4) return out;  // two rows each way
    const Here<Id> here{frame, open, all, lost};
    std::vector<FoundSurrogate> found(table_.columns.size());
    std::vector<Space> spaces(std::max(1U, threads));
    for_each(found.size(), threads, [&](std::size_t j, unsigned worker) {
      if (j != chosen.split.column) found[j] = look(here, static_cast<Column>(j), spaces[worker]);
    });
    for (const FoundSurrogate& one : ranked(std::move(found), all, settings_.surrogates))
      out.push_back(finish(here, one, workspace, spaces[0]));
    return out;
  }

  // Where a row goes whose cell is missing, as the first surrogate says that can; which has sent one more.
  template <class Id>
  i32 send(const Frame<Id>& frame, std::vector<Surrogate>& surrogates, u32 id) const {
    for (Surrogate& surrogate : surrogates) {
      const i32 branch = branch_of(frame, surrogate, id);
      if (branch == kNowhere) continue;
      surrogate.sent += table_.weights.plain(frame.weight_of(id));
      return branch;
    }
    return kNowhere;
  }

 private:
  template <class Id>
  struct Here {
    const Frame<Id>& frame;
    const Open& open;
    const TwoWays& all;
    const LostRows& lost;
  };

  struct Group {
    TwoWays ways;
    bool there = false;
  };

  // Work space of one thread.
  struct Space {
    std::vector<Group> groups;  // by code
    std::vector<u64> pairs;
    std::vector<TwoWays> levels;
  };

  template <class Id>
  TwoWays all_of(const Frame<Id>& frame, const Open& open, const Candidate& chosen, const LostRows& lost) const {
    TwoWays all;
    all.of[0] = chosen.branch_present[0];
    all.of[1] = chosen.branch_present[1];
    all.rows[0] = all.of[0];  // where every row weighs one
    all.rows[1] = all.of[1];
    if (frame.weight.empty()) return all;
    all = TwoWays{};
    const Id* source = frame.list(plan_.source()) + open.begin;
    const Here<Id> here{frame, open, all, lost};
    for (u32 i = 0; i < open.n; ++i) add(here, Frame<Id>::id_of(source[i]), all);
    return all;
  }

  template <class Id>
  static u32 side(const Here<Id>& here, u32 id) {
    return 1 - static_cast<u32>(here.frame.bitmap[id >> 6] >> (id & 63) & 1);
  }
  template <class Id>
  void add(const Here<Id>& here, u32 id, TwoWays& ways) const {
    if (!here.lost.ids.empty() && here.lost.holds(id)) return;
    const i64 w = here.frame.weight_of(id);
    ways.add(static_cast<i32>(side(here, id)), w, count_(w));
  }

  template <class Id>
  const Id* slice(const Here<Id>& here, std::size_t f) const {
    return here.frame.list(f) + here.open.begin;
  }

  // ---- how well a column agrees with the split ----

  template <class Id>
  FoundSurrogate look(const Here<Id>& here, Column j, Space& space) const {
    if (plan_.list_of[j] >= 0) return look_at_list(here, j, static_cast<std::size_t>(plan_.list_of[j]));
    TwoWays present;
    if (table_.columns[j].kind == Kind::nominal) {
      space.levels.clear();
      each_code(here, j, space, [&](Code, const Group& group) {
        space.levels.push_back(group.ways);
        present.add_all(group.ways);
      });
      return surrogate_by_levels(j, space.levels, present, settings_.surrogates);
    }
    each_code(here, j, space, [&](Code, const Group& group) { present.add_all(group.ways); });
    CutSurrogate cut(j, present);
    Code before = kMissing;
    each_group(here, j, space, [&](Code code, const Group& group) {
      if (before != kMissing && cut.better()) cut.take(before);
      cut.move_group(group.ways);
      before = code;
    });
    return cut.best();
  }

  template <class Id>
  FoundSurrogate look_at_list(const Here<Id>& here, Column j, std::size_t f) const {
    const Id* entries = slice(here, f);
    const u32 present = here.open.n - here.open.missing_in(f);
    TwoWays ways = here.all;
    for (u32 i = present; i < here.open.n; ++i) {
      TwoWays one;
      add(here, Frame<Id>::id_of(entries[i]), one);
      ways.add_all(one, -1);
    }
    CutSurrogate cut(j, ways);
    const auto same = reader_.same_value(here.frame, table_.columns[j].cells, f, entries);
    if (here.lost.ids.empty() && here.frame.weight.empty()) {
      for (u32 i = 1; i < present; ++i) {
        cut.move(static_cast<i32>(side(here, Frame<Id>::id_of(entries[i - 1]))), 1, 1);
        if (cut.better() && !same(i - 1, i)) cut.take(i);
      }
      return cut.best();
    }
    for (u32 i = 1; i < present; ++i) {
      TwoWays one;
      add(here, Frame<Id>::id_of(entries[i - 1]), one);
      cut.move_group(one);
      if (cut.better() && !same(i - 1, i)) cut.take(i);
    }
    return cut.best();
  }

  // Sums up the rows of a column of codes, then visits the codes that occur, ascending.
  template <class Id, class Visit>
  void each_code(const Here<Id>& here, Column j, Space& space, Visit&& visit) const {
    const Id* source = slice(here, plan_.source());
    const u32 n_codes = table_.columns[j].n_codes;
    space.pairs.clear();
    space.groups.clear();
    if (n_codes <= 4 * here.open.n + 16) {
      space.groups.resize(n_codes);
      for (u32 i = 0; i < here.open.n; ++i) {
        const u32 id = Frame<Id>::id_of(source[i]);
        const Code code = reader_.code_of(here.frame, j, id);
        if (code == kMissing) continue;
        space.groups[code].there = true;
        add(here, id, space.groups[code].ways);
      }
    } else {
      for (u32 i = 0; i < here.open.n; ++i) {
        const u32 id = Frame<Id>::id_of(source[i]);
        const Code code = reader_.code_of(here.frame, j, id);
        if (code != kMissing) space.pairs.push_back(u64{code} << 32 | id);
      }
      std::sort(space.pairs.begin(), space.pairs.end());
    }
    each_group(here, j, space, visit);
  }

  template <class Id, class Visit>
  void each_group(const Here<Id>& here, Column, const Space& space, Visit&& visit) const {
    for (std::size_t code = 0; code < space.groups.size(); ++code)
      if (space.groups[code].there) visit(static_cast<Code>(code), space.groups[code]);
    for (std::size_t i = 0; i < space.pairs.size();) {
      Group group;
      const u64 code = space.pairs[i] >> 32;
      for (; i < space.pairs.size() && space.pairs[i] >> 32 == code; ++i) add(here, static_cast<u32>(space.pairs[i]), group.ways);
      visit(static_cast<Code>(code), group);
    }
  }

  // ---- from there to a surrogate ----

  template <class Id>
  Surrogate finish(const Here<Id>& here, const FoundSurrogate& one, const Workspace& workspace, Space& space) const {
    const Column j = one.column;
    Surrogate out = surrogate_of(one, here.all, settings_.surrogates);
    const i32 f = plan_.list_of[j];
    if (f >= 0) {
      const Id* entries = slice(here, static_cast<std::size_t>(f));
      const auto value_at = [&](std::size_t i) {
        return here.frame.cell(table_.columns[j].cells, static_cast<std::size_t>(f), Frame<Id>::id_of(entries[i]));
      };
      out.cut = make_cut(settings_.search, value_at(one.position - 1), value_at(one.position), 0);
    } else if (table_.columns[j].kind == Kind::nominal) {
      each_code(here, j, space, [&](Code code, const Group& group) {
        if (group.ways.all_rows() == 0) return;
        out.levels.push_back(code);
        out.branch_of.push_back(branch_of_level(group.ways, one.present));
      });
    } else {
      out.cut = cut_of_codes(here, j, static_cast<Code>(one.position), space);
    }
    out.gain = gain_of(here, out, workspace);
    return out;
  }

  // The cut above a code, from the values of two rows beside it.
  template <class Id>
  Cut cut_of_codes(const Here<Id>& here, Column j, Code below, Space& space) const {
    Code above = kMissing;
    each_code(here, j, space, [&](Code code, const Group&) {
      if (above == kMissing && code > below) above = code;
    });
    const Id* source = slice(here, plan_.source());
    const auto value_of = [&](Code code) {
      u32 i = 0;
      while (reader_.code_of(here.frame, j, Frame<Id>::id_of(source[i])) != code) ++i;
      return table_.columns[j].cells.number(here.frame.row_of(Frame<Id>::id_of(source[i])));
    };
    return make_cut(settings_.search, value_of(below), value_of(above), below);
  }

  template <class Id>
  double gain_of(const Here<Id>& here, const Surrogate& surrogate, const Workspace& workspace) const {
    const C c(workspace.targets, settings_.search, table_.target.n_classes);
    std::vector<Cell> branches(2 * c.stat.width(), 0);
    const Id* source = slice(here, plan_.source());
    for (u32 i = 0; i < here.open.n; ++i) {
      const u32 id = Frame<Id>::id_of(source[i]);
      const i32 branch = branch_of(here.frame, surrogate, id);
      if (branch != kNowhere)
        reader_.add(c, here.frame, workspace, id, branches.data() + static_cast<std::size_t>(branch) * c.stat.width());
    }
    return fall_of(c, settings_.search, table_.columns[surrogate.column], surrogate.column, workspace.targets, branches);
  }

  template <class Id>
  i32 branch_of(const Frame<Id>& frame, const Surrogate& surrogate, u32 id) const {
    const i32 f = plan_.list_of[surrogate.column];
    if (f < 0) return branch_of_code(surrogate, reader_.code_of(frame, surrogate.column, id));
    const double x = frame.cell(table_.columns[surrogate.column].cells, static_cast<std::size_t>(f), id);
    if (std::isnan(x)) return kNowhere;
    const bool below = settings_.search.strict ? x < surrogate.cut.at : x <= surrogate.cut.at;
    return static_cast<i32>(below ? surrogate.below : 1 - surrogate.below);
  }

  const Table& table_;
  const GrowSettings& settings_;
  const FramePlan& plan_;
  const Reader& reader_;
  const RowCount count_;
};

}  // namespace tw
