// The Poisson criterion, for its two units: deviance around the mean, for counts and rates (Chaudhuri, Lo, Loh and Yang 1995; halved, as in
// scikit-learn): the mean of y log(y / mean). Only weights and sums enter a cut, so that it is one more criterion of moments.
#pragma once

#include <cmath>
#include <limits>

#include "search/criterion.hpp"

namespace tw {

struct Poisson {
  using Stat = MomentStat;
  static constexpr bool kClasses = false;
  static constexpr bool kTwoBranches = false;
  static constexpr bool kLooksAtPriors = false;
  static constexpr bool kRankIsScore = true;
  static constexpr bool kConcave = true;
  // A node's deviance is a sum of logarithms, which differs in its last bits by their order: rows are read as the table has them.
  static constexpr bool kReadsInOrder = true;

  MomentStat stat;
  TargetGrid grid;

  Poisson(const NodeTargets& targets, const SearchSettings&, u32) : grid(targets.grid) {}

  // The sum of the targets; rounding may not make a sum of numbers from 0 up negative.
  double sum(const i128* cells) const { return sum(to_double(cells[0]), to_double(cells[1])); }
  double sum(double weight, double steps) const { return std::max(0.0, grid.centre * weight + grid.step * steps); }
  double worth(const i128* cells) const {
    const double total = sum(cells);
    return total > 0 ? total * log2_of(total / to_double(cells[0])) * kNatural : 0;
  }
  // Of targets that are all 0, as their steps tell: a branch of these would say that nothing ever happens (nor does scikit-learn make one).
  bool all_zero(const i128* cells) const { return sum(cells) <= grid.step * to_double(cells[0]); }
  double pair(const i128* l, const i128* r) const {
    if (all_zero(l) || all_zero(r)) return kForbidden;
    const i128 all[2] = {l[0] + r[0], l[1] + r[1]};
    const double left = worth(l);
    const double right = worth(r);
    const double fall = left + right - worth(all);
    return fall > 1e-13 * (std::fabs(left) + std::fabs(right) + sum(all)) ? fall : 0;
  }
  double unit() const { return 1; }
  std::optional<double> merit(const Outcome& o) const { return o.score == kForbidden ? std::nullopt : std::optional(o.gain); }

  // The deviance of a node whose sums are known, from the targets of its rows; `weights` may be null: one each.
  void describe(const double* values, const i64* weights, std::size_t n, NodeTargets& targets) const {
    double own = 0;
    for (std::size_t i = 0; i < n; ++i) {
      const double y = values[i];
      if (y > 0) own += (weights == nullptr ? 1 : static_cast<double>(weights[i])) * y * log2_of(y) * kNatural;
    }
    const double deviance = (own - worth(targets.moment_total.data())) / static_cast<double>(targets.weight);
    targets.facts.impurity = targets.pure ? 0 : std::clamp(deviance, 0.0, std::numeric_limits<double>::max());
  }

  static constexpr double kForbidden = -std::numeric_limits<double>::infinity();
  static constexpr double kNatural = 0.69314718055994530942;  // log 2
};

}  // namespace tw
