// The borders of a node: where its rows may be divided in two, view by view, and how mixed both sides are.
#pragma once

#include "optimal/losses.hpp"
#include "optimal/meter.hpp"
#include "optimal/rows.hpp"

namespace tw {

struct NodeBorders {
  struct Border {
    u32 group = 0;  // the last in front
    i64 worth = 0;  // of the rows in front
  };
  struct OfView {
    u32 view = 0;
    u32 first = 0, last = 0;  // of the borders, and one behind
    u32 best = 0;             // the border whose sides are mixed least
    double mixed = std::numeric_limits<double>::infinity();
  };
  std::vector<Border> borders;
  std::vector<OfView> views;  // the purest first
};

template <class Losses>
class BorderReader {
 public:
  using Node = SearchNode<Losses>;
  using Sums = typename Losses::Sums;

  BorderReader(const Table& table, const SearchRows<Losses>& rows, const RowLosses& prices, const Losses& losses, Meter& meter)
      : table_(table), rows_(rows), prices_(prices), losses_(losses), meter_(meter) {}

  // False where the search was stopped meanwhile.
  bool read(const Node& node, NodeBorders& out) const {
    out.borders.clear();
    out.views.clear();
    out.borders.reserve(rows_.most_borders(node.n));
    for (u32 v = 0; v < rows_.n_views(); ++v) {
      if (meter_.stopped()) return false;
      NodeBorders::OfView view{v, static_cast<u32>(out.borders.size())};
      if (rows_.place(v) >= 0)
        of_list(node, view, out);
      else
        of_few(node, view, out);
      view.last = static_cast<u32>(out.borders.size());
      if (!meter_.work(1, node.n)) return false;
      if (view.first != view.last) out.views.push_back(view);
    }
    std::stable_sort(out.views.begin(), out.views.end(),
                     [](const NodeBorders::OfView& a, const NodeBorders::OfView& b) { return a.mixed < b.mixed; });
    return true;
  }

 private:
  void add(const Node& node, u32 group, i64 worth, const Sums& front, NodeBorders::OfView& view, NodeBorders& out) const {
    const double mixed = losses_.mixed(front) + losses_.mixed(node.sums.less(front));
    if (mixed < view.mixed) {
      view.mixed = mixed;
      view.best = static_cast<u32>(out.borders.size());
    }
    out.borders.push_back({group, worth});
  }

  void of_list(const Node& node, NodeBorders::OfView& view, NodeBorders& out) const {
    const u32 v = view.view;
    const u32* list = node.list(static_cast<std::size_t>(rows_.place(v)));
    const u32* group = rows_.many(v);
    if (group[list[0]] == group[list[node.n - 1]]) return;
    Sums front{};
    i64 worth = 0;
    u32 here = group[list[0]];
    const ByMajority majority(*this, node, v);
    for (u32 i = 0; i < node.n; ++i) {
      const u32 row = list[i];
      if (group[row] != here) {
        if (majority.allows(here)) add(node, here, worth, front, view, out);
        here = group[row];
      }
      front.add(rows_.of(row));
      worth += prices_.worth_of(row);
    }
  }

  void of_few(const Node& node, NodeBorders::OfView& view, NodeBorders& out) const {
    const u32 v = view.view;
    const u8* group = rows_.few(v);
    const u32 groups = rows_.n_groups(v);
    std::array<Sums, TestView::kFew> sums{};
    std::array<i64, TestView::kFew> worth{};
    std::array<u32, TestView::kFew> size{};
    for (u32 i = 0; i < node.n; ++i) {
      const u32 row = node.rows()[i];
      const u8 g = group[row];
      sums[g].add(rows_.of(row));
      worth[g] += prices_.worth_of(row);
      ++size[g];
    }
    const ByMajority majority(*this, node, v);
    Sums front{};
    i64 before = 0;
    u32 left = node.n;
    for (u32 g = 0; g < groups; ++g) {
      if (size[g] == 0) continue;
      left -= size[g];
      if (left == 0) break;
      front.add(sums[g]);
      before += worth[g];
      if (majority.allows(g)) add(node, g, before, front, view, out);
    }
  }

  // Where missing cells follow the heavier branch, a border may be taken only if it sends them there: in front if at least half of the
  // present weight lies there.
  struct ByMajority {
    ByMajority(const BorderReader& reader, const Node& node, u32 v) {
      const Views& views = reader.rows_.views();
      if (!views.by_majority) return;
      const TestView& view = views.each[v];
      const std::vector<Code>& codes = reader.table_.columns[views.tests[view.borders[0].test].column].codes;
      present.assign(view.n_groups, 0);
      for (u32 i = 0; i < node.n; ++i) {
        const u32 row = node.rows()[i];
        if (codes[row] == kMissing) {
          holes = true;
          continue;
        }
        present[view.group(row)] += reader.table_.weights[row];
        total += reader.table_.weights[row];
      }
      for (std::size_t g = 1; g < present.size(); ++g) present[g] += present[g - 1];
      for (const TestView::Border& border : view.borders) {
        first.push_back(views.tests[border.test].missing_first);
        flipped.push_back(border.flipped);
        either = views.tests[border.test].family == Family::subset;
      }
    }
    bool allows(u32 group) const {
      if (present.empty() || !holes) return true;
      const i64 front = present[group];
      const i64 branch = flipped[group] ? total - front : front;  // of branch 0
      if (branch == 0 || branch == total) return false;
      if (either && 2 * branch == total) return true;
      return first[group] == (2 * branch >= total);
    }
    std::vector<i64> present;
    std::vector<bool> first, flipped;
    i64 total = 0;
    bool holes = false;
    bool either = false;  // neither of two sets of levels is the first: of two that weigh the same any may be the heavier
  };

  const Table& table_;
  const SearchRows<Losses>& rows_;
  const RowLosses& prices_;
  const Losses& losses_;
  Meter& meter_;
};

}  // namespace tw
