// The best tree of two levels, which is where nearly all work of a search is done. Every border of every view is a candidate for the first
// split; what the best second splits cost in front of it and behind it is looked up view by view. With the border nothing in front of it
// can cost less, and one more row costs at most what that row is worth: what is known at two borders bounds all between them, for each view
// of the second split apart (as ConTree does for all of them together; Brita, van der Linden and Demirovic 2025). So most borders are never
// looked at, and at the others most views.
#pragma once

#include <numeric>

#include "optimal/pair_rows.hpp"

namespace tw {

template <class Losses>
class PairSolver : PairRows<Losses> {
 public:
  using Node = SearchNode<Losses>;
  using Sums = typename Losses::Sums;

  PairSolver(const SearchRows<Losses>& rows, const RowLosses& table, const Losses& losses, Cost per_split, Meter& meter)
      : PairRows<Losses>(rows, table, losses, meter), per_split_(per_split), slack_(table.slack), width_(1 + table.n_answers / 8) {}

  // The best tree of at most `splits` splits in two levels (1, 2 or 3) that costs less than `below`; `lower` of the answer is at least
  // `below` where there is none.
  Known solve(const Node& node, u32 splits, Cost below) {
    Known out;
    out.upper = losses_.leaf(node.sums);
    if (out.upper <= per_split_) {
      out.lower = out.upper;
      return out;
    }
    read(node);
    if (!look_at_single_splits(node, out, below) || splits == 1) return out;
    const bool both = splits >= 3;
    for (const u32 a : order_) {
      if (node.level == 0) meter_.tell(static_cast<double>(std::min(out.upper, below)), static_cast<double>(out.lower));
      if (!first_split_by(a, both, out, below)) break;
    }
    if (meter_.stopped()) return out;  // its lower bound stays what a split costs at least
    out.lower = std::min(out.upper, below);
    return out;
  }

 private:
  using Base = PairRows<Losses>;
  using PairView = typename Base::PairView;
  using Base::behind_;
  using Base::border_;
  using Base::cut_of;
  using Base::divide_at;
  using Base::divided;
  using Base::each_;
  using Base::front_;
  using Base::losses_;
  using Base::meter_;
  using Base::move;
  using Base::n_;
  using Base::none_in_front;
  using Base::read;
  using Base::row_worth_;
  using Base::second_split;
  using Base::table_;
  using Base::total_;
  using Base::worth_;
  using Base::worth_by_row_;

  // -- the search ------------------------------------------------------------------------------------------------------

  // The best single split of every view; false where nothing better can be found.
  bool look_at_single_splits(const Node&, Known& out, Cost below) {
    const std::size_t views = each_.size();
    single_.resize(views);
    if (meter_.stopped() || views == 0) {
      if (!meter_.stopped())
        out.lower = out.upper;
      else
        out.lower = std::min(out.upper, per_split_);
      return false;
    }
    none_in_front();
    for (u32 i = 0; i < n_; ++i) move(i);
    divided();
    u32 best = 0;
    out.lower = std::min(out.upper, per_split_);
    for (u32 b = 0; b < views; ++b) {
      if (!meter_.goes_on(n_, width_)) return false;
      single_[b] = second_split(each_[b]).front;
      if (single_[b] < single_[best]) best = b;
    }
    if (!meter_.work(views, n_)) return false;
    if (single_[best] + per_split_ < out.upper) {
      out.upper = single_[best] + per_split_;
      out.plan = {cut_of(each_[best], 0, single_[best])};
    }
    order_.resize(views);
    std::iota(order_.begin(), order_.end(), 0U);
    std::stable_sort(order_.begin(), order_.end(), [&](u32 a, u32 b) { return single_[a] < single_[b]; });
    if (2 * per_split_ >= std::min(below, out.upper)) {  // two splits cost too much already
      out.lower = std::min(out.upper, below);
      return false;
    }
    return true;
  }

 public:
  // For searches of one level.
  Known single(const Node& node, Cost below) {
    Known out = solve(node, 1, below);
    if (!meter_.stopped()) out.lower = out.upper;
    return out;
  }

 private:
  // What is known at a border: the best second split by every view, or a bound of it, and the best of all, a leaf among them.
  struct End {
    std::vector<Cost> front, behind;
    Cost best_front = 0, best_behind = 0;  // with at most one split
    Cost leaf_front = 0, leaf_behind = 0;
    i64 worth = 0;
    u32 uses = 0;
  };
  struct Interval {
    u32 first, last;  // cuts
    u32 low, high;    // ends
  };

  u32 new_end() {
    if (free_.empty()) {
      ends_.emplace_back();
      free_.push_back(static_cast<u32>(ends_.size() - 1));
    }
    const u32 at = free_.back();
    free_.pop_back();
    ends_[at].front.resize(each_.size());
    ends_[at].behind.resize(each_.size());
    ends_[at].uses = 0;
    return at;
  }
  void release(u32 end) {
    if (--ends_[end].uses == 0) free_.push_back(end);
  }

  // A bound between two ends: `near` holds everywhere further on, `far` less what lies between.
  Cost bound(Cost near, Cost far, i64 between) const {
    return std::max<Cost>(std::max(near - slack_, far - table_.added_by(between) - slack_), 0);
  }

  // The least a tree can cost whose first split lies at a place of this worth.
  Cost least_at(const End& low, const End& high, i64 worth, bool both) const {
    const Cost front = bound(low.best_front, high.best_front, high.worth - worth);
    const Cost behind = bound(high.best_behind, low.best_behind, worth - low.worth);
    if (both) return per_split_ + front + behind;
    const Cost leaf_front = bound(low.leaf_front, high.leaf_front, high.worth - worth);
    const Cost leaf_behind = bound(high.leaf_behind, low.leaf_behind, worth - low.worth);
    return per_split_ + std::min(front + leaf_behind, leaf_front + behind);
  }

  bool first_split_by(u32 a, bool both, Known& out, Cost below) {
    const PairView& view = each_[a];
    none_in_front();
    const i64 all = worth_by_row_ ? std::accumulate(row_worth_.begin(), row_worth_.begin() + n_, i64{0}) : n_ * table_.fine;
    const u32 low = new_end();
    const u32 high = new_end();
    const Cost leaf = losses_.leaf(total_);
    const Cost best = std::min(leaf, per_split_ + single_[order_[0]]);
    std::fill(ends_[low].front.begin(), ends_[low].front.end(), 0);
    std::fill(ends_[high].behind.begin(), ends_[high].behind.end(), 0);
    ends_[low].behind = single_;
    ends_[high].front = single_;
    set(ends_[low], 0, 0, best, leaf, 0);
    set(ends_[high], best, leaf, 0, 0, all);
    ends_[low].uses = ends_[high].uses = 1;
    intervals_.assign(1, {0, view.cuts - 1, low, high});
    while (!intervals_.empty()) {
      Interval at = intervals_.back();
      intervals_.pop_back();
      const Cost limit = std::min(below, out.upper);
      const i64* worth = worth_.data() + view.first;
      while (at.first <= at.last && least_at(ends_[at.low], ends_[at.high], worth[at.first], both) >= limit) ++at.first;
      while (at.first <= at.last && at.last < kNever && least_at(ends_[at.low], ends_[at.high], worth[at.last], both) >= limit) --at.last;
      if (at.first <= at.last && at.last < kNever) {
        const u32 middle = at.first + (at.last - at.first) / 2;
        const u32 here = look_at(a, middle, at, both, out, below);
        if (meter_.stopped()) {
          intervals_.clear();
          ends_.clear();
          free_.clear();
          return false;
        }
        if (middle < at.last) {
          ++ends_[here].uses;
          ++ends_[at.high].uses;
          intervals_.push_back({middle + 1, at.last, here, at.high});
        }
        if (middle > at.first) {
          ++ends_[here].uses;
          ++ends_[at.low].uses;
          intervals_.push_back({at.first, middle - 1, at.low, here});
        }
        if (ends_[here].uses == 0) free_.push_back(here);
      }
      release(at.low);
      release(at.high);
    }
    return true;
  }

  static void set(End& end, Cost best_front, Cost leaf_front, Cost best_behind, Cost leaf_behind, i64 worth) {
    end.best_front = best_front;
    end.leaf_front = leaf_front;
    end.best_behind = best_behind;
    end.leaf_behind = leaf_behind;
    end.worth = worth;
  }

  // Looks at one border, at as many views as it takes to know that no tree below the limit begins with it, or the best that does.
  u32 look_at(u32 a, u32 cut, const Interval& within, bool both, Known& out, Cost below) {
    const u32 at = new_end();
    const PairView& view = each_[a];
    const std::size_t views = each_.size();
    divide_at(view, cut);
    End& here = ends_[at];
    const End& low = ends_[within.low];
    const End& high = ends_[within.high];
    const i64 worth = worth_[view.first + cut];
    here.worth = worth;
    here.leaf_front = losses_.leaf(front_);
    here.leaf_behind = losses_.leaf(behind_);
    const Cost to_high = table_.added_by(high.worth - worth) + slack_;
    const Cost to_low = table_.added_by(worth - low.worth) + slack_;
    u32 hint_front = 0;
    u32 hint_behind = 0;
    for (u32 b = 0; b < views; ++b) {
      here.front[b] = std::max(low.front[b] - slack_, high.front[b] - to_high);
      here.behind[b] = std::max(high.behind[b] - slack_, low.behind[b] - to_low);
      if (here.front[b] < here.front[hint_front]) hint_front = b;
      if (here.behind[b] < here.behind[hint_behind]) hint_behind = b;
    }
    Cost best_front = here.leaf_front;
    Cost best_behind = here.leaf_behind;
    u32 by_front = kNever;
    u32 by_behind = kNever;
    Cost passed_front = kNoCost;  // least bound of the views that were not looked at
    Cost passed_behind = kNoCost;
    Cost least_front = std::min(best_front, per_split_ + here.front[hint_front]);
    Cost least_behind = std::min(best_behind, per_split_ + here.behind[hint_behind]);
    u64 looked = 0;
    const auto look = [&](u32 b) {
      const Cost limit = std::min(below, out.upper) - per_split_;
      const Cost front = per_split_ + here.front[b];
      const Cost behind = per_split_ + here.behind[b];
      const bool helps_front = front < best_front;
      const bool helps_behind = behind < best_behind;
      const bool may_front = helps_front && front + (both ? least_behind : here.leaf_behind) < limit;
      const bool may_behind = helps_behind && behind + (both ? least_front : here.leaf_front) < limit;
      if ((!may_front && !may_behind) || !meter_.goes_on(n_, width_)) {
        if (helps_front) passed_front = std::min(passed_front, front);
        if (helps_behind) passed_behind = std::min(passed_behind, behind);
        return;
      }
      const BothSides found = second_split(each_[b]);
      ++looked;
      here.front[b] = found.front;
      here.behind[b] = found.behind;
      if (per_split_ + found.front < best_front) {
        best_front = per_split_ + found.front;
        by_front = b;
      }
      if (per_split_ + found.behind < best_behind) {
        best_behind = per_split_ + found.behind;
        by_behind = b;
      }
    };
    look(hint_front);
    if (hint_behind != hint_front) look(hint_behind);
    const auto least_left = [&](const std::vector<Cost>& costs, Cost best) {
      for (u32 b = 0; b < views; ++b) best = std::min(best, per_split_ + costs[b]);
      return best;
    };
    least_front = least_left(here.front, here.leaf_front);
    least_behind = least_left(here.behind, here.leaf_behind);
    for (u32 b = 0; b < views; ++b)
      if (b != hint_front && b != hint_behind) look(b);
    here.best_front = std::min(best_front, passed_front);
    here.best_behind = std::min(best_behind, passed_behind);
    const Cost two = per_split_ + best_front + best_behind;
    const Cost left = per_split_ + best_front + here.leaf_behind;
    const Cost right = per_split_ + here.leaf_front + best_behind;
    const Cost cost = both ? two : std::min(left, right);
    if (cost < out.upper) {
      const bool use_front = by_front != kNever && (both || left <= right);
      const bool use_behind = by_behind != kNever && (both || !use_front);
      out.upper = cost;
      const Plan front = use_front ? Plan{cut_of(each_[by_front], 0, here.front[by_front])} : Plan{};
      const Plan behind = use_behind ? Plan{cut_of(each_[by_behind], 1, here.behind[by_behind])} : Plan{};
      out.plan = joined(view.view, border_[view.first + cut], front, behind);
    }
    meter_.work(looked + 1, n_);
    return at;
  }

  static constexpr u32 kNever = std::numeric_limits<u32>::max();
  Cost per_split_;
  Cost slack_;
  u64 width_;  // of a row's costs: how long it takes to add them up

  std::vector<Cost> single_;
  std::vector<u32> order_;
  std::vector<End> ends_;
  std::vector<u32> free_;
  std::vector<Interval> intervals_;
};

}  // namespace tw
