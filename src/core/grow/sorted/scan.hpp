// The best cut of one sorted list, as the plain engine would find it: the highest score to the last bit, the lowest cut if equal.
// Where it pays, scores are first estimated and only cuts that come close to the best so far are scored exactly.
#pragma once

#include <array>
#include <bit>
#include <cmath>

#include "grow/sorted/frame.hpp"
#include "search/threshold.hpp"

namespace tw {

inline constexpr u32 kScanBlock = 64;  // cuts estimated together

// Work space of who looks at blocks of a list, kept between lists.
struct BlockSpace {
  std::vector<u8> moved;      // by block and class: rows
  std::vector<double> terms;  // by block and class: part of the score where the block begins
  std::vector<i64> passed;    // by class: rows below the block in hand
};

// A slice of a list, `present` entries in order of value, with what stands on the two sides before the first entry moves: per class
// of the node (classes) or as sums of steps (numbers).
template <class Id, class Cell>
struct ListSlice {
  const Id* entries = nullptr;
  u32 present = 0;
  const Cell* left = nullptr;  // null: nothing
  const Cell* right = nullptr;
  i64 present_weight = 0;
  i64 least = 1;      // weight either side must have
  double floor = 0;   // scores not above do not matter
  double margin = 0;  // by how much a later cut must score better
  u32 n_values = 0;   // distinct values of the column in the whole table
  const u8* local_class = nullptr;
  Cell* one = nullptr;  // work space for two summaries
  Cell* two = nullptr;
  BlockSpace* blocks = nullptr;
  Cell* lower = nullptr;              // where wanted: room for the summary of what lies below the best cut
  const OrderCheck* order = nullptr;  // what both sides answer must keep; null: nothing

  // Whether blocks of entries are often of one value, so that it pays to ask.
  bool runs_beyond(u32 block) const { return u64{n_values} * block < present; }

  // Unit weights: the positions (entries below the cut) that leave enough on both sides.
  u32 lowest(i64 below) const { return static_cast<u32>(std::clamp<i64>(least - below, 1, present)); }
  u32 highest(i64 all, i64 below) const { return static_cast<u32>(std::clamp<i64>(all - below - least, 0, present - 1)); }
};

// Any criterion, any weights: every cut between different values is scored. Labels are mapped to the classes that occur at the node.
template <Criterion C>
struct AnyScan {
  template <class Id, class Same>
  static Place best(const C& c, const Frame<Id>& frame, const ListSlice<Id, typename C::Stat::Cell>& slice, const Same& same) {
    Place best;
    best.score = slice.floor;
    Sweep<C> sweep(c, slice.one, slice.two);
    sweep.start(slice.left, slice.right);
    const i64 offset = sweep.left_weight();
    for (u32 i = 1; i < slice.present; ++i) {
      const u32 id = Frame<Id>::id_of(slice.entries[i - 1]);
      if constexpr (C::kClasses)
        sweep.move(slice.local_class[frame.label[id]], frame.weight_of(id));
      else
        sweep.move(frame.step[id], frame.weight_of(id));
      if (sweep.left_weight() < slice.least) continue;
      if (sweep.right_weight() < slice.least) break;
      const double score = sweep.score();
      if (score > best.score && !same(i - 1, i))
        best = {score, i, kNowhere, true, 2 * (sweep.left_weight() - offset) >= slice.present_weight};
    }
    return best;
  }
};

template <Criterion C>
struct ListScan : AnyScan<C> {};

// The same among the cuts whose two sides answer in order.
template <Criterion C>
class OrderedScan {
  using Cell = typename C::Stat::Cell;

 public:
  template <class Id, class Same>
  static Place best(const C& c, const Frame<Id>& frame, const ListSlice<Id, Cell>& slice, const Same& same) {
    OrderedScan scan(c, slice);
    const i64 offset = c.stat.weight(scan.left_.data());
    Place best;
    best.score = slice.floor;
    for (u32 i = 1; i < slice.present; ++i) {
      scan.move(frame, slice, i - 1);
      if (c.stat.weight(scan.left_.data()) < slice.least) continue;
      if (c.stat.weight(scan.right_.data()) < slice.least) break;
      const double score = score_of_pair(c, scan.left_.data(), scan.right_.data());
      if (score > best.score && scan.in_order(slice) && !same(i - 1, i))
        best = {score, i, kNowhere, true, 2 * (c.stat.weight(scan.left_.data()) - offset) >= slice.present_weight};
    }
    return best;
  }

  // Whether the cut after so many entries is one of these.
  template <class Id>
  static bool allows(const C& c, const Frame<Id>& frame, const ListSlice<Id, Cell>& slice, std::size_t position) {
    OrderedScan scan(c, slice);
    for (u32 i = 0; i < position; ++i) scan.move(frame, slice, i);
    return scan.in_order(slice);
  }

 private:
  template <class Slice>
  OrderedScan(const C& c, const Slice& slice) : c_(c), left_(c.stat.width()), right_(c.stat.width()) {
    start_side(left_.data(), slice.left, left_.size());
    start_side(right_.data(), slice.right, right_.size());
  }

  template <class Id>
  void move(const Frame<Id>& frame, const ListSlice<Id, Cell>& slice, u32 i) {
    const u32 id = Frame<Id>::id_of(slice.entries[i]);
    const i64 w = frame.weight_of(id);
    if constexpr (C::kClasses) {
      c_.stat.add_row(left_.data(), slice.local_class[frame.label[id]], w);
      c_.stat.add_row(right_.data(), slice.local_class[frame.label[id]], -w);
    } else {
      c_.stat.add_row(left_.data(), frame.step[id], w);
      c_.stat.add_row(right_.data(), frame.step[id], -w);
    }
  }

  template <class Slice>
  bool in_order(const Slice& slice) const {
    return slice.order->allows(left_.data(), right_.data());
  }

  const C& c_;
  std::vector<Cell> left_;
  std::vector<Cell> right_;
};

// Whether scans of a criterion of classes read the weights that entries carry.
template <Criterion C>
inline constexpr bool kWeighsEntries = requires { requires ListScan<C>::kWeighsEntries; };

// The best cut of a column whose rows are counted by code: nothing, unless a criterion can tell it from the counters alone.
template <Criterion C>
class CountScan {
 public:
  static constexpr bool kPossible = false;
};

// Two slices of the same entries, the missing rows being on the left or on the right.
template <Criterion C, class Id, class Same>
Place best_of_missing_branches(const C& c, const Frame<Id>& frame, const ListSlice<Id, typename C::Stat::Cell>& left,
                               const ListSlice<Id, typename C::Stat::Cell>& right, const Same& same) {
  std::array<Place, 2> places;
  if constexpr (requires { ListScan<C>::missing_branches(c, frame, left, right, same); })
    places = ListScan<C>::missing_branches(c, frame, left, right, same);
  else
    places = {ListScan<C>::best(c, frame, left, same), ListScan<C>::best(c, frame, right, same)};
  places[0].missing_branch = 0;
  places[1].missing_branch = 1;
  return Place::better_missing_branch(places[0], places[1]);
}

}  // namespace tw
