// The best tree of two levels, which is where nearly all work of a search is done. Every border of every view is a candidate for the first
// split; what the best second splits cost in front of it and behind it is looked up view by view. With the border nothing in front of it
// can cost less, and one more row costs at most what that row is worth: what is known at two borders bounds all between them, for each view
// of the second split apart (as ConTree does for all of them together; Brita, van der Linden and Demirovic 2025). So most borders are never
// looked at, and at the others most views.
#pragma once

#include <numeric>
#include <tuple>

#include "optimal/meter.hpp"
#include "optimal/rows.hpp"
#include "optimal/sums_of_cuts.hpp"

namespace tw {

template <class Losses>
class PairSolver {
 public:
  using Node = SearchNode<Losses>;
  using Sums = typename Losses::Sums;

  PairSolver(const SearchRows<Losses>& rows, const RowLosses& table, const Losses& losses, Cost per_split, Meter& meter)
      : rows_(rows), table_(table), losses_(losses), per_split_(per_split), slack_(table.slack), meter_(meter), local_(rows.n_rows()) {
    if constexpr (kBits) {
      Sums one{};
      of_class_.assign(table.n_classes, one);
      for (u32 row = 0; row < rows.n_rows(); ++row) of_class_[table.class_of[row]] = rows.of(row);
    }
  }

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
    for (const u32 a : order_)
      if (!first_split_by(a, both, out, below)) break;
    if (meter_.stopped()) return out;  // its lower bound stays what a split costs at least
    out.lower = std::min(out.upper, below);
    return out;
  }

 private:
  static constexpr bool kBits = Losses::kUnit;  // rows that count one each are counted by the word

  struct PairView {
    u32 view = 0;
    bool bits = false;
    bool ties = false;
    u32 cuts = 0;
    std::size_t first = 0;    // of its cuts
    std::size_t entries = 0;  // or bits
  };

  // -- reading a node --------------------------------------------------------------------------------------------------

  void read(const Node& node) {
    n_ = node.n;
    any_bits_ = false;
    words_ = (n_ + 63) / 64;
    total_ = node.sums;
    each_.clear();
    border_.clear();
    worth_.clear();
    end_.clear();
    entries_.clear();
    bits_.clear();
    counts_.clear();
    of_.resize(n_);
    side_.resize(n_);
    for (u32 i = 0; i < n_; ++i) {
      local_[node.rows()[i]] = i;
      of_[i] = rows_.of(node.rows()[i]);
    }
    worth_by_row_ = !table_.worth.empty();
    if (worth_by_row_) {
      row_worth_.resize(n_);
      for (u32 i = 0; i < n_; ++i) row_worth_[i] = table_.worth[node.rows()[i]];
    }
    if constexpr (kBits) {
      class_.resize(n_);
      kind_.resize(n_);
      class_bits_.assign(std::size_t{table_.n_classes} * words_, 0);
      for (u32 i = 0; i < n_; ++i) {
        class_[i] = table_.class_of[node.rows()[i]];
        class_bits_[std::size_t{class_[i]} * words_ + i / 64] |= u64{1} << (i % 64);
      }
    }
    for (u32 v = 0; v < rows_.n_views(); ++v) {
      if (rows_.place(v) >= 0)
        read_list(node, v);
      else
        read_few(node, v);
      if (!meter_.work(1, n_)) return;
    }
  }

  void read_list(const Node& node, u32 v) {
    const u32* list = node.list(static_cast<std::size_t>(rows_.place(v)));
    const u32* group = rows_.group(v);
    if (group[list[0]] == group[list[n_ - 1]]) return;
    PairView out{v, false, false, 0, border_.size(), entries_.size()};
    entries_.resize(out.entries + n_);
    u32* entries = entries_.data() + out.entries;
    i64 worth = 0;
    u32 here = group[list[0]];
    for (u32 i = 0; i < n_; ++i) {
      const u32 row = list[i];
      const u32 at = local_[row];
      const u32 next = i + 1 < n_ ? group[list[i + 1]] : here;
      worth += worth_by_row_ ? row_worth_[at] : table_.fine;
      entries[i] = at | (next != here ? kBorder : 0);
      if (next != here) add_cut(here, worth, i + 1);
      here = next;
    }
    out.cuts = static_cast<u32>(border_.size() - out.first);
    out.ties = out.cuts + 1 < n_;
    each_.push_back(out);
  }

  void add_cut(u32 border, i64 worth, u32 end) {
    border_.push_back(border);
    worth_.push_back(worth);
    end_.push_back(end);
  }

  void read_few(const Node& node, u32 v) {
    const u8* group = rows_.small(v);
    const u32 groups = rows_.n_groups(v);
    const u32* rows = node.rows();
    std::array<u32, SearchRows<Losses>::kFewGroups> size{};
    std::array<i64, SearchRows<Losses>::kFewGroups> worth{};
    codes_.resize(n_);
    for (u32 i = 0; i < n_; ++i) {
      const u8 g = group[rows[i]];
      codes_[i] = g;
      ++size[g];
      if (worth_by_row_) worth[g] += row_worth_[i];
    }
    PairView out{v, false, true, 0, border_.size(), 0};
    u32 end = 0;
    i64 before = 0;
    u32 last = 0;
    for (u32 g = 0; g < groups; ++g)
      if (size[g] > 0) last = g;
    for (u32 g = 0; g < last; ++g) {
      if (size[g] == 0) continue;
      end += size[g];
      before += worth_by_row_ ? worth[g] : size[g] * table_.fine;
      add_cut(g, before, end);
    }
    out.cuts = static_cast<u32>(border_.size() - out.first);
    if (out.cuts == 0) return;
    if constexpr (kBits) {
      out.bits = any_bits_ = true;
      out.entries = bits_.size();
      bits_.resize(out.entries + std::size_t{out.cuts} * words_, 0);
      u64* bits = bits_.data() + out.entries;
      std::array<u8, SearchRows<Losses>::kFewGroups> cut_of{};
      u32 k = 0;
      for (u32 g = 0; g < groups; ++g) {
        cut_of[g] = static_cast<u8>(k);
        if (k < out.cuts && border_[out.first + k] == g) ++k;
      }
      counts_.resize((out.first + out.cuts) * table_.n_classes, 0);
      u32* counts = counts_.data() + out.first * table_.n_classes;
      scattered_.assign(std::size_t{out.cuts + 1} * words_, 0);
      for (u32 i = 0; i < n_; ++i) scattered_[std::size_t{cut_of[codes_[i]]} * words_ + i / 64] |= u64{1} << (i % 64);
      for (u32 c = 0; c < out.cuts; ++c) {
        u64* cut = bits + std::size_t{c} * words_;
        const u64* own = scattered_.data() + std::size_t{c} * words_;
        for (u32 w = 0; w < words_; ++w) cut[w] = own[w] | (c > 0 ? (cut - words_)[w] : 0);
        for (u32 y = 0; y < table_.n_classes; ++y)
          counts[c * table_.n_classes + y] = count_of(cut, class_bits_.data() + std::size_t{y} * words_);
      }
    } else {
      out.entries = entries_.size();
      entries_.resize(out.entries + n_);
      std::array<u32, SearchRows<Losses>::kFewGroups> begin{};
      u32 at = 0;
      for (u32 g = 0; g < groups; ++g) {
        begin[g] = at;
        at += size[g];
      }
      for (u32 i = 0; i < n_; ++i) entries_[out.entries + begin[codes_[i]]++] = i;
      for (u32 k = 0; k < out.cuts; ++k) entries_[out.entries + end_[out.first + k] - 1] |= kBorder;
    }
    each_.push_back(out);
  }

  u32 count_of(const u64* a, const u64* b) const {
    u32 count = 0;
    for (u32 w = 0; w < words_; ++w) count += static_cast<u32>(std::popcount(a[w] & b[w]));
    return count;
  }

  // -- one division ----------------------------------------------------------------------------------------------------

  // Puts all rows behind.
  void none_in_front() {
    std::fill(side_.begin(), side_.end(), u8{1});
    if constexpr (kBits)
      for (u32 i = 0; i < n_; ++i) kind_[i] = static_cast<u8>(table_.n_classes + class_[i]);
    mask_.assign(words_, 0);
    front_ = Sums();
    n_front_ = 0;
  }

  void move(u32 row) {
    side_[row] ^= 1;
    const bool now = side_[row] == 0;
    if constexpr (kBits) {
      kind_[row] = static_cast<u8>(now ? class_[row] : table_.n_classes + class_[row]);
      mask_[row / 64] ^= u64{1} << (row % 64);
    }
    if (now)
      front_.add(of_[row]);
    else
      front_ = front_.less(of_[row]);
  }

  // Puts the rows in front of a cut of the view in hand on the one side, all others on the other. Only those between the last cut and this
  // one move.
  void divide_at(const PairView& a, u32 k) {
    if (a.bits) {
      const u64* cut = bits_.data() + a.entries + std::size_t{k} * words_;
      for (u32 w = 0; w < words_; ++w)
        for (u64 moved = cut[w] ^ mask_[w]; moved != 0; moved &= moved - 1) move(w * 64 + static_cast<u32>(std::countr_zero(moved)));
    } else {
      const u32 to = end_[a.first + k];
      const u32* entries = entries_.data() + a.entries;
      for (u32 i = std::min(n_front_, to); i < std::max(n_front_, to); ++i) move(entries[i] & ~kBorder);
      n_front_ = to;
    }
    divided();
  }

  void divided() {
    behind_ = total_.less(front_);
    if constexpr (kBits) {
      if (!any_bits_) return;
      front_classes_.resize(class_bits_.size());
      for (u32 y = 0; y < table_.n_classes; ++y)
        for (u32 w = 0; w < words_; ++w) front_classes_[std::size_t{y} * words_ + w] = class_bits_[std::size_t{y} * words_ + w] & mask_[w];
    }
  }

  template <u32 K>
  BothSides by_pairs(const PairView& b) const {
    const u32* entries = entries_.data() + b.entries;
    if (n_ < kShort)
      return std::get<PairSums<i16, K>>(pair_sums_).least(entries, n_, b.ties, kind_.data(), front_.cells, behind_.cells, table_.fine);
    return std::get<PairSums<i32, K>>(pair_sums_).least(entries, n_, b.ties, kind_.data(), front_.cells, behind_.cells, table_.fine);
  }

  BothSides second_split(const PairView& b) const {
    if constexpr (kBits) {
      if (b.bits)
        return least_of_bits(losses_, of_class_.data(), table_.n_classes, front_classes_.data(), words_, bits_.data() + b.entries, b.cuts,
                             counts_.data() + b.first * table_.n_classes, front_, behind_);
      if (table_.n_classes == 2) return by_pairs<2>(b);
      if constexpr (Losses::kAnswers >= 4) {
        if (table_.n_classes == 3) return by_pairs<3>(b);
        if (table_.n_classes == 4) return by_pairs<4>(b);
      }
      if constexpr (Losses::kAnswers >= 8) {
        if (table_.n_classes == 5) return by_pairs<5>(b);
      }
    }
    return least_of_list(losses_, entries_.data() + b.entries, n_, side_.data(), of_.data(), front_, behind_);
  }

  // The first cut that is worth as much as the best of the view on one side.
  PlanSplit cut_of(const PairView& b, u32 side, Cost worth) const {
    const Sums& all = side == 0 ? front_ : behind_;
    Sums low{};
    u32 last = 0;
    for (u32 k = 0; k < b.cuts; ++k) {
      if (b.bits) {
        low = Sums();
        const u64* cut = bits_.data() + b.entries + std::size_t{k} * words_;
        for (u32 i = 0; i < n_; ++i)
          if (side_[i] == side && ((cut[i / 64] >> (i % 64)) & 1) != 0) low.add(of_[i]);
      } else {
        for (; last < end_[b.first + k]; ++last) {
          const u32 row = entries_[b.entries + last] & ~kBorder;
          if (side_[row] == side) low.add(of_[row]);
        }
      }
      if (losses_.leaf(low) + losses_.leaf(all.less(low)) <= worth) return {b.view, border_[b.first + k], 0, 0};
    }
    return {b.view, border_[b.first], 0, 0};
  }

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
    for (u32 b = 0; b < views; ++b) {
      single_[b] = second_split(each_[b]).front;
      if (single_[b] < single_[best]) best = b;
    }
    out.lower = std::min(out.upper, per_split_);
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
  Cost bound(Cost near, Cost far, i64 between) const { return std::max<Cost>(std::max(near - slack_, far - between - slack_), 0); }

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
    const Cost to_high = high.worth - worth + slack_;
    const Cost to_low = worth - low.worth + slack_;
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
      if (!may_front && !may_behind) {
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
  static constexpr u32 kShort = 1U << 14;

  const SearchRows<Losses>& rows_;
  const RowLosses& table_;
  const Losses& losses_;
  Cost per_split_;
  Cost slack_;
  Meter& meter_;

  // The node in hand: rows by their place in it.
  u32 n_ = 0;
  u32 words_ = 0;
  Sums total_;
  bool worth_by_row_ = false;
  bool any_bits_ = false;
  std::vector<u32> local_;
  std::vector<Sums> of_;
  std::vector<i64> row_worth_;
  std::vector<u32> class_;
  std::vector<u64> class_bits_;
  std::vector<Sums> of_class_;
  std::vector<PairView> each_;
  std::vector<u32> border_;  // of all cuts: the group in front
  std::vector<i64> worth_;   // of the rows in front
  std::vector<u32> end_;     // how many they are
  std::vector<u32> entries_;
  std::vector<u64> bits_;
  std::vector<u32> counts_;
  std::vector<u64> scattered_;
  std::vector<u8> codes_;

  // The division in hand.
  std::vector<u8> side_;
  std::vector<u64> mask_, front_classes_;
  Sums front_, behind_;
  u32 n_front_ = 0;
  std::vector<u8> kind_;  // side and class
  std::tuple<PairSums<i16, 2>, PairSums<i32, 2>, PairSums<i16, 3>, PairSums<i32, 3>, PairSums<i16, 4>, PairSums<i32, 4>, PairSums<i16, 5>,
             PairSums<i32, 5>>
      pair_sums_;

  std::vector<Cost> single_;
  std::vector<u32> order_;
  std::vector<End> ends_;
  std::vector<u32> free_;
  std::vector<Interval> intervals_;
};

}  // namespace tw
