// The best cut of one sorted list, as the plain engine would find it: the highest score to the last bit, the lowest cut if equal.
// Where it pays, scores are first estimated and only cuts that come close to the best so far are scored exactly.
#pragma once

#include <bit>
#include <cmath>

#include "grow/sorted_frame.hpp"
#include "search/threshold.hpp"

namespace tw {

inline constexpr u32 kScanBlock = 64;  // cuts estimated together

// A slice of a list: `known` entries in order of value, and the positions (entries below the cut) that leave enough on both sides.
template <class Id>
struct ListSlice {
  const Id* entries = nullptr;
  u32 known = 0;
  u32 lowest = 1;
  u32 highest = 0;
};

// What stands on the two sides before the first entry moves, per class of the table (classes) or as sums of steps (numbers).
template <class Cell>
struct Sides {
  const Cell* left;
  const Cell* right;
};

// Any criterion: every cut between different values is scored. Labels are mapped to the classes that occur at the node.
template <Criterion C>
struct ListScan {
  template <class Id, class Same>
  static Place best(const C& c, const Frame<Id>& frame, const ListSlice<Id>& slice, Sides<typename C::Stat::Cell> start,
                    const u8* local_class, double floor, typename C::Stat::Cell* one, typename C::Stat::Cell* two, const Same& same) {
    Place best;
    best.score = floor;
    Sweep<C> sweep(c, one, two);
    sweep.start(start.left, start.right);
    for (u32 i = 1; i <= slice.highest; ++i) {
      const u32 id = Frame<Id>::id_of(slice.entries[i - 1]);
      if constexpr (C::kClasses)
        sweep.move(local_class[frame.label[id]], 1);
      else
        sweep.move(frame.step[id], 1);
      if (i < slice.lowest) continue;
      const double score = sweep.score();
      if (score > best.score && !same(i)) best = {score, i, kNowhere, true, 2 * i >= slice.known};
    }
    return best;
  }
};

}  // namespace tw
