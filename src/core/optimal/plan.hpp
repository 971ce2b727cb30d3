// A tree as the search holds it: its splits from the top down, what lies in front of a border before what lies behind it.
#pragma once

#include <vector>

#include "optimal/losses.hpp"

namespace tw {

// What lies in front of and behind a border of a view: splits that follow in the plan, or a leaf.
struct PlanSplit {
  u32 view = 0;
  u32 border = 0;  // groups up to this one are in front
  u32 front = 0;   // splits of the part in front; those of the part behind follow them
  u32 behind = 0;
};
using Plan = std::vector<PlanSplit>;

inline Plan joined(u32 view, u32 border, const Plan& front, const Plan& behind) {
  Plan out;
  out.reserve(1 + front.size() + behind.size());
  out.push_back({view, border, static_cast<u32>(front.size()), static_cast<u32>(behind.size())});
  out.insert(out.end(), front.begin(), front.end());
  out.insert(out.end(), behind.begin(), behind.end());
  return out;
}

// What is known of the best tree of some rows within limits: one that there is, and what none costs less than.
struct Known {
  Cost lower = 0;
  Cost upper = kNoCost;
  Plan plan;
};

// Limits of a tree below a node.
struct Limits {
  u32 depth = 0;
  u32 splits = 0;

  static u32 most_splits(u32 depth) { return depth >= 31 ? std::numeric_limits<u32>::max() : (1U << depth) - 1; }
  // No deeper than there are splits, no more splits than there is room for.
  Limits fitted() const {
    const u32 d = std::min(depth, splits);
    return {d, std::min(splits, most_splits(d))};
  }
  bool full() const { return splits == most_splits(depth); }
};

}  // namespace tw
