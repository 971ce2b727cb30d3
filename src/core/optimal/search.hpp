// The exact search from the root down to the last two levels, which `PairSolver` does. The first split of a node may be at any border of
// any view; intervals of borders wait with a bound of what a tree costs that begins inside them, and the least bound is looked at first, in
// its middle. What is found there bounds the intervals on both sides. (The intervals and their bounds are those of ConTree; that the
// interval of the least bound comes first makes the bound of the whole rise steadily, so that a search that is ended early knows one.)
#pragma once

#include <queue>

#include "optimal/pairs.hpp"

namespace tw {

template <class Losses>
class OptimalSearch {
 public:
  using Node = SearchNode<Losses>;
  using Sums = typename Losses::Sums;

  OptimalSearch(const Views& views, const RowLosses& table, const Losses& losses, const std::vector<i64>& present_weight, Cost per_split,
                u64 cache_bytes, Meter& meter)
      : table_(table),
        losses_(losses),
        rows_(views, losses, static_cast<u32>(views.each.empty() ? 0 : views.each[0].group.size())),
        pairs_(rows_, table, losses, per_split, meter),
        present_(present_weight),
        per_split_(per_split),
        slack_(table.slack),
        bounded_(!views.by_majority),
        meter_(meter),
        cache_(cache_bytes) {}

  struct Found {
    Known best;
    Cost greedy = 0;
  };

  Found run(u32 max_depth, u32 max_splits) {
    const Node root = rows_.root();
    const Limits limits = Limits{max_depth, max_splits}.fitted();
    Found out;
    const Known greedy = greedy_tree(root, limits);
    out.greedy = greedy.upper;
    out.best = solve(root, limits, greedy.upper);
    if (out.best.upper >= greedy.upper) {
      out.best.upper = greedy.upper;
      out.best.plan = greedy.plan;
    }
    out.best.lower = std::min(out.best.lower, out.best.upper);
    return out;
  }

  u64 cache_peak() const { return cache_.peak(); }

 private:
  // A border of a node: the first group of its view in front of it, and what lies there.
  struct Border {
    u32 group = 0;
    i64 worth = 0;
    double mixed = 0;  // of both sides together
  };
  struct ViewBorders {
    u32 view = 0;
    u32 first = 0, last = 0;  // of the borders, and one behind
    u32 best = 0;             // the border whose sides are mixed least
    double mixed = 0;
  };
  struct Splits {
    u32 front, behind;
  };
  struct End {
    i64 worth = 0;
    std::size_t costs = 0;  // bounds in front and behind for every way to share the splits
  };
  struct Interval {
    Cost bound;
    u32 order;  // of its view
    u32 first, last;
    u32 low, high;
    u32 at;                                        // where it is looked at
    bool operator<(const Interval& other) const {  // the greatest comes first
      if (bound != other.bound) return bound > other.bound;
      if (order != other.order) return order > other.order;
      return first > other.first;
    }
  };

  // The work space of a level. Its borders stay while the levels below are searched.
  struct Frame {
    std::vector<Border> borders;
    std::vector<ViewBorders> views;
    std::vector<Splits> shares;
    std::vector<End> ends;
    std::vector<Cost> costs;
    std::vector<Interval> waiting;
  };

  Known solve(const Node& node, Limits limits, Cost below) {
    limits = limits.fitted();
    Known out;
    out.upper = losses_.leaf(node.sums);
    out.lower = std::min(out.upper, per_split_);
    if (limits.depth == 0 || out.upper <= per_split_) {
      out.lower = out.upper;
      return out;
    }
    if (out.lower >= below || meter_.stopped()) return out;
    if (node.level > 0 && limits.depth >= 2) {
      if (const Known* known = cache_.find(node.key, limits); known != nullptr) {
        if (known->lower >= known->upper || known->lower >= below) return *known;
      }
    }
    if (!bounded_)
      out = general(node, limits, below);
    else if (limits.depth == 1)
      out = pairs_.single(node, below);
    else if (limits.depth == 2)
      out = pairs_.solve(node, limits.splits, below);
    else
      out = general(node, limits, below);
    if (node.level > 0 && limits.depth >= 2 && !meter_.stopped()) cache_.keep(node.key, limits, out);
    return out;
  }

  // -- borders of a node -------------------------------------------------------------------------------------------------

  Frame& frame(u32 level) {
    while (frames_.size() <= level) frames_.push_back(std::make_unique<Frame>());
    Frame& out = *frames_[level];
    out.borders.clear();
    out.views.clear();
    out.shares.clear();
    out.ends.clear();
    out.costs.clear();
    out.waiting.clear();
    return out;
  }

  bool read_borders(const Node& node, Frame& frame) {
    for (u32 v = 0; v < rows_.n_views(); ++v) {
      const auto first = static_cast<u32>(frame.borders.size());
      if (rows_.place(v) >= 0)
        borders_of_list(node, v, frame);
      else
        borders_of_few(node, v, frame);
      const auto last = static_cast<u32>(frame.borders.size());
      if (!meter_.work(1, node.n)) return false;
      if (first == last) continue;
      ViewBorders view{v, first, last, first, frame.borders[first].mixed};
      for (u32 b = first + 1; b < last; ++b)
        if (frame.borders[b].mixed < view.mixed) {
          view.mixed = frame.borders[b].mixed;
          view.best = b;
        }
      frame.views.push_back(view);
    }
    std::stable_sort(frame.views.begin(), frame.views.end(), [](const ViewBorders& a, const ViewBorders& b) { return a.mixed < b.mixed; });
    return true;
  }

  void add_border(const Node& node, Frame& frame, u32 group, i64 worth, const Sums& front) const {
    frame.borders.push_back({group, worth, losses_.mixed(front) + losses_.mixed(node.sums.less(front))});
  }

  void borders_of_list(const Node& node, u32 v, Frame& frame) {
    const u32* list = node.list(static_cast<std::size_t>(rows_.place(v)));
    const u32* group = rows_.group(v);
    if (group[list[0]] == group[list[node.n - 1]]) return;
    Sums front{};
    i64 worth = 0;
    u32 here = group[list[0]];
    MajorityOf majority(*this, node, v);
    for (u32 i = 0; i < node.n; ++i) {
      const u32 row = list[i];
      if (group[row] != here) {
        if (majority.allows(here)) add_border(node, frame, here, worth, front);
        here = group[row];
      }
      front.add(rows_.of(row));
      worth += table_.worth_of(row);
    }
  }

  void borders_of_few(const Node& node, u32 v, Frame& frame) {
    const u8* group = rows_.small(v);
    const u32 groups = rows_.n_groups(v);
    std::array<Sums, SearchRows<Losses>::kFewGroups> sums{};
    std::array<i64, SearchRows<Losses>::kFewGroups> worth{};
    std::array<u32, SearchRows<Losses>::kFewGroups> size{};
    for (u32 i = 0; i < node.n; ++i) {
      const u32 row = node.rows()[i];
      const u8 g = group[row];
      sums[g].add(rows_.of(row));
      worth[g] += table_.worth_of(row);
      ++size[g];
    }
    MajorityOf majority(*this, node, v);
    Sums front{};
    i64 before = 0;
    u32 left = node.n;
    for (u32 g = 0; g < groups; ++g) {
      if (size[g] == 0) continue;
      left -= size[g];
      if (left == 0) break;
      front.add(sums[g]);
      before += worth[g];
      if (majority.allows(g)) add_border(node, frame, g, before, front);
    }
  }

  // Where missing cells follow the heavier branch, a border may be taken only if it sends them there: in front if at least half of the
  // present weight lies there.
  struct MajorityOf {
    MajorityOf(const OptimalSearch& search, const Node& node, u32 v) {
      if (search.bounded_) return;
      const Views& views = search.rows_.views();
      present.assign(views.each[v].n_groups, 0);
      const TestView& view = views.each[v];
      for (u32 i = 0; i < node.n; ++i) {
        const u32 row = node.rows()[i];
        const i64 weight = search.present_[std::size_t{v} * search.rows_.n_rows() + row];
        present[view.group[row]] += weight;
        total += weight;
        holes = holes || weight == 0;
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

  // -- the search of a node ------------------------------------------------------------------------------------------------

  Cost bound(Cost near, Cost far, i64 between) const {
    if (!bounded_) return 0;
    return std::max<Cost>(std::max(near - slack_, far - table_.added_by(between) - slack_), 0);
  }
  Cost front_at(const Frame& frame, const Interval& in, i64 worth, std::size_t share) const {
    const End& low = frame.ends[in.low];
    const End& high = frame.ends[in.high];
    return bound(frame.costs[low.costs + 2 * share], frame.costs[high.costs + 2 * share], high.worth - worth);
  }
  Cost behind_at(const Frame& frame, const Interval& in, i64 worth, std::size_t share) const {
    const End& low = frame.ends[in.low];
    const End& high = frame.ends[in.high];
    return bound(frame.costs[high.costs + 2 * share + 1], frame.costs[low.costs + 2 * share + 1], worth - low.worth);
  }
  Cost least_at(const Frame& frame, const Interval& in, i64 worth) const {
    Cost least = kNoCost;
    for (std::size_t s = 0; s < frame.shares.size(); ++s)
      least = std::min(least, per_split_ + front_at(frame, in, worth, s) + behind_at(frame, in, worth, s));
    return least;
  }

  // Takes the borders away at which no tree can cost less than the limit, and puts the interval where it belongs.
  void wait(Frame& frame, Interval in, Cost limit) {
    while (in.first < in.last && least_at(frame, in, frame.borders[in.first].worth) >= limit) ++in.first;
    while (in.first < in.last && least_at(frame, in, frame.borders[in.last - 1].worth) >= limit) --in.last;
    if (in.first == in.last) return;
    in.bound = kNoCost;
    for (u32 b = in.first; b < in.last; ++b) in.bound = std::min(in.bound, least_at(frame, in, frame.borders[b].worth));
    frame.waiting.push_back(in);
    std::push_heap(frame.waiting.begin(), frame.waiting.end());
  }

  u32 add_end(Frame& frame, i64 worth) {
    frame.ends.push_back({worth, frame.costs.size()});
    frame.costs.resize(frame.costs.size() + 2 * frame.shares.size(), 0);
    return static_cast<u32>(frame.ends.size() - 1);
  }

  Known general(const Node& node, Limits limits, Cost below) {
    Frame& here = frame(node.level);
    Known out;
    out.upper = losses_.leaf(node.sums);
    out.lower = std::min(out.upper, per_split_);
    if (!read_borders(node, here)) return out;
    if (here.views.empty()) {
      out.lower = out.upper;
      return out;
    }
    const u32 most = Limits::most_splits(limits.depth - 1);
    for (u32 front = limits.splits - 1 > most ? limits.splits - 1 - most : 0; front <= std::min(most, limits.splits - 1); ++front)
      here.shares.push_back({front, limits.splits - 1 - front});
    i64 all = 0;
    for (u32 i = 0; i < node.n; ++i) all += table_.worth_of(node.rows()[i]);
    const u32 low = add_end(here, 0);
    const u32 high = add_end(here, all);
    for (u32 v = 0; v < here.views.size(); ++v) {
      const ViewBorders& view = here.views[v];
      Interval in{0, v, view.first, view.last, low, high, 0};
      wait(here, in, std::min(below, out.upper));
    }
    bool began = false;
    Cost left = kNoCost;  // least bound of what was being looked at when the search ended
    while (!here.waiting.empty() && !meter_.stopped()) {
      std::pop_heap(here.waiting.begin(), here.waiting.end());
      Interval in = here.waiting.back();
      here.waiting.pop_back();
      const Cost limit = std::min(below, out.upper);
      if (in.bound >= limit) break;
      while (in.first < in.last && least_at(here, in, here.borders[in.first].worth) >= limit) ++in.first;
      while (in.first < in.last && least_at(here, in, here.borders[in.last - 1].worth) >= limit) --in.last;
      if (in.first == in.last) continue;
      // A node is begun where greedy induction would begin.
      const u32 at = began ? in.first + (in.last - in.first) / 2 : here.views[in.order].best;
      began = true;
      const u32 end = look_at(node, here, in, at, limits, below, out);
      if (meter_.stopped()) left = in.bound;
      Interval lower = in;
      lower.last = at;
      lower.high = end;
      Interval upper = in;
      upper.first = at + 1;
      upper.low = end;
      wait(here, lower, std::min(below, out.upper));
      wait(here, upper, std::min(below, out.upper));
    }
    const Cost limit = std::min(below, out.upper);
    if (!meter_.stopped()) {
      out.lower = limit;
    } else {
      for (const Interval& in : here.waiting) left = std::min(left, in.bound);
      out.lower = std::max(out.lower, std::min(left, limit));
    }
    return out;
  }

  // Looks at one border: the best trees in front of it and behind it, or bounds that say that they cost too much.
  u32 look_at(const Node& node, Frame& here, const Interval& in, u32 at, Limits limits, Cost below, Known& out) {
    const Border border = here.borders[at];
    const u32 view = here.views[in.order].view;
    const std::size_t shares = here.shares.size();
    std::vector<Cost> costs(2 * shares);
    for (std::size_t s = 0; s < shares; ++s) {
      costs[2 * s] = front_at(here, in, border.worth, s);
      costs[2 * s + 1] = behind_at(here, in, border.worth, s);
    }
    Node front;
    Node behind;
    rows_.divide(node, view, border.group, front, behind);
    if (limits.depth > 1) rows_.divide_lists(node);
    meter_.work(1, node.n * (rows_.n_listed() + 1));
    for (std::size_t s = 0; s < shares && !meter_.stopped(); ++s) {
      const Limits in_front{limits.depth - 1, here.shares[s].front};
      const Limits in_back{limits.depth - 1, here.shares[s].behind};
      const Cost limit = std::min(below, out.upper) - per_split_;
      Cost& cost_front = costs[2 * s];
      Cost& cost_behind = costs[2 * s + 1];
      if (cost_front + cost_behind >= limit) continue;
      // The larger part first: it is more likely to cost too much.
      const bool front_first = front.n >= behind.n;
      Known one;
      Known two;
      (front_first ? one : two) = front_first ? solve(front, in_front, limit - cost_behind) : solve(behind, in_back, limit - cost_front);
      Cost& cost_first = front_first ? cost_front : cost_behind;
      cost_first = std::max(cost_first, (front_first ? one : two).lower);
      if (cost_front + cost_behind >= limit) continue;
      (front_first ? two : one) = front_first ? solve(behind, in_back, limit - cost_front) : solve(front, in_front, limit - cost_behind);
      Cost& cost_second = front_first ? cost_behind : cost_front;
      cost_second = std::max(cost_second, (front_first ? two : one).lower);
      const Cost cost = per_split_ + one.upper + two.upper;
      if (cost < out.upper) {
        out.upper = cost;
        out.plan = joined(view, border.group, one.plan, two.plan);
      }
    }
    const u32 end = add_end(here, border.worth);
    std::copy(costs.begin(), costs.end(), here.costs.begin() + static_cast<std::ptrdiff_t>(here.ends[end].costs));
    return end;
  }

  // The tree that greedy induction makes: at every node the border whose sides are mixed least. Splits that save nothing are left out.
  Known greedy_tree(const Node& node, Limits limits) {
    Known out;
    out.upper = losses_.leaf(node.sums);
    limits = limits.fitted();
    if (limits.depth == 0 || out.upper <= per_split_) return out;
    Frame& here = frame(node.level);
    if (!read_borders(node, here) || here.views.empty()) return out;
    const ViewBorders best = here.views[0];
    const u32 border = here.borders[best.best].group;
    Node front;
    Node behind;
    rows_.divide(node, best.view, border, front, behind);
    if (limits.depth > 1) rows_.divide_lists(node);
    const u32 most = Limits::most_splits(limits.depth - 1);
    const u32 left = limits.splits - 1;
    const u32 for_front = std::min(most, left - left / 2);
    Known one = greedy_tree(front, {limits.depth - 1, for_front});
    Known two = greedy_tree(behind, {limits.depth - 1, std::min<u32>(most, left - static_cast<u32>(one.plan.size()))});
    const Cost cost = per_split_ + one.upper + two.upper;
    if (cost < out.upper) {
      out.upper = cost;
      out.plan = joined(best.view, border, one.plan, two.plan);
    }
    return out;
  }

  const RowLosses& table_;
  const Losses& losses_;
  SearchRows<Losses> rows_;
  PairSolver<Losses> pairs_;
  const std::vector<i64>& present_;
  Cost per_split_;
  Cost slack_;
  bool bounded_;  // whether what is known at one border bounds others
  Meter& meter_;
  RowSetCache cache_;
  std::vector<std::unique_ptr<Frame>> frames_;
};

}  // namespace tw
