// Squared error around the mean (Breiman et al. 1984, chapter 8). On the node's grid of whole steps the fall of squared error by a
// division in two, (S_L w_R - S_R w_L)^2 / (w w_L w_R), is computed from exact integers: no cancellation, and zero is zero.
#include "search/search.hpp"

namespace tw {

namespace {

struct Variance {
  using Stat = MomentStat;
  static constexpr bool kClasses = false;
  static constexpr bool kTwoBranches = false;

  MomentStat stat;
  double step;

  Variance(const NodeTargets& targets, const SearchSettings&, u32) : step(targets.grid.step) {}

  double worth(const i128* cells) const {
    const double sum = static_cast<double>(cells[1]);
    return sum / static_cast<double>(cells[0]) * sum;
  }
  double pair(const i128* l, const i128* r) const {
    // Labels are bounded so that these products fit (stats/moments.cpp).
    const double cross = static_cast<double>(l[1] * r[0] - r[1] * l[0]);
    const double wl = static_cast<double>(l[0]);
    const double wr = static_cast<double>(r[0]);
    return cross / (wl + wr) * (cross / wl / wr);
  }
  double unit() const { return step * step; }
  std::optional<double> merit(const Outcome& o) const { return o.gain; }
};

const Enrol<CriterionPart> enrol(part<Variance>("variance", "fall of the mean squared deviation from the mean"));

}  // namespace

}  // namespace tw
