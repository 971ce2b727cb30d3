// The variance criterion, for its two units. On the node's grid of whole steps the fall of squared error by a division in two,
// (S_L w_R - S_R w_L)^2 / (w w_L w_R), is computed from exact integers: no cancellation, and zero is zero.
#pragma once

#include "search/criterion.hpp"

namespace tw {

struct Variance {
  using Stat = MomentStat;
  static constexpr bool kClasses = false;
  static constexpr bool kTwoBranches = false;
  static constexpr bool kLooksAtPriors = false;
  static constexpr bool kRankIsScore = true;
  static constexpr bool kConcave = true;

  MomentStat stat;
  double step;

  Variance(const NodeTargets& targets, const SearchSettings&, u32) : step(targets.grid.step) {}

  double worth(const i128* cells) const {
    const double sum = to_double(cells[1]);
    return sum / to_double(cells[0]) * sum;
  }
  double pair(const i128* l, const i128* r) const {
    // Labels are bounded so that these products fit (stats/moments.cpp).
    const double cross = to_double(l[1] * r[0] - r[1] * l[0]);
    const double wl = to_double(l[0]);
    const double wr = to_double(r[0]);
    return cross / (wl + wr) * (cross / wl / wr);
  }
  double unit() const { return step * step; }
  std::optional<double> merit(const Outcome& o) const { return o.gain; }
};

}  // namespace tw
