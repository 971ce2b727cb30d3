// The exact search from the root down to the last two levels, which `PairSolver` does. The first split of a node may be at any border of
// any view; intervals of borders wait with a bound of what a tree costs that begins inside them, and the least bound is looked at first, in
// its middle. What is found there bounds the intervals on both sides. (The intervals and their bounds are those of ConTree; that the
// interval of the least bound comes first makes the bound of the whole rise steadily, so that a search that is ended early knows one.)
#pragma once

#include <queue>

#include "optimal/borders.hpp"
#include "optimal/pairs.hpp"

namespace tw {

template <class Losses>
class OptimalSearch {
 public:
  using Node = SearchNode<Losses>;
  using Sums = typename Losses::Sums;

  OptimalSearch(const Table& table, const Views& views, const RowLosses& prices, const Losses& losses, Cost per_split, u64 cache_bytes,
                Meter& meter)
      : table_(prices),
        losses_(losses),
        rows_(views, losses, table.n_rows, meter),
        reader_(table, rows_, prices, losses, meter),
        pairs_(rows_, prices, losses, per_split, meter),
        per_split_(per_split),
        slack_(prices.slack),
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
    meter_.tell(static_cast<double>(greedy.upper), 0);
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
    NodeBorders of;
    std::vector<Splits> shares;
    std::vector<End> ends;
    std::vector<Cost> costs;
    std::vector<Interval> waiting;
  };

  Known solve(const Node& node, Limits limits, Cost below) {
    limits = limits.fitted();
    if (!limits.full()) limits = Limits{limits.depth, std::min(limits.splits, node.n - 1)}.fitted();  // no part is empty
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

  Frame& frame(u32 level) {
    while (frames_.size() <= level) frames_.push_back(std::make_unique<Frame>());
    Frame& out = *frames_[level];
    out.shares.clear();
    out.ends.clear();
    out.costs.clear();
    out.waiting.clear();
    return out;
  }

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
    while (in.first < in.last && least_at(frame, in, frame.of.borders[in.first].worth) >= limit) ++in.first;
    while (in.first < in.last && least_at(frame, in, frame.of.borders[in.last - 1].worth) >= limit) --in.last;
    if (in.first == in.last) return;
    in.bound = kNoCost;
    for (u32 b = in.first; b < in.last; ++b) in.bound = std::min(in.bound, least_at(frame, in, frame.of.borders[b].worth));
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
    if (!reader_.read(node, here.of)) return out;
    if (here.of.views.empty()) {
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
    for (u32 v = 0; v < here.of.views.size(); ++v) {
      const NodeBorders::OfView& view = here.of.views[v];
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
      if (node.level == 0) meter_.tell(static_cast<double>(limit), static_cast<double>(std::min(in.bound, limit)));
      if (in.bound >= limit) break;
      while (in.first < in.last && least_at(here, in, here.of.borders[in.first].worth) >= limit) ++in.first;
      while (in.first < in.last && least_at(here, in, here.of.borders[in.last - 1].worth) >= limit) --in.last;
      if (in.first == in.last) continue;
      // A node is begun where greedy induction would begin.
      const u32 at = began ? in.first + (in.last - in.first) / 2 : here.of.views[in.order].best;
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
    const NodeBorders::Border border = here.of.borders[at];
    const u32 view = here.of.views[in.order].view;
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
    if (!reader_.read(node, here.of) || here.of.views.empty()) return out;
    const NodeBorders::OfView best = here.of.views[0];
    const u32 border = here.of.borders[best.best].group;
    Node front;
    Node behind;
    rows_.divide(node, best.view, border, front, behind);
    if (limits.depth > 1) rows_.divide_lists(node);
    if (meter_.stopped()) return out;
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
  BorderReader<Losses> reader_;
  PairSolver<Losses> pairs_;
  Cost per_split_;
  Cost slack_;
  bool bounded_;  // whether what is known at one border bounds others
  Meter& meter_;
  RowSetCache cache_;
  std::vector<std::unique_ptr<Frame>> frames_;
};

}  // namespace tw
