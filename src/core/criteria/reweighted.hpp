// Criteria on class weights that priors and losses have altered (Breiman et al. 1984, section 4.4): a row of class k counts a_k. Minimum
// weights still count rows as they are, and so does what a node weighs: impurities and gains are per unit of that weight.
#pragma once

#include <cmath>

#include "grow/enrol.hpp"
#include "search/criterion.hpp"

namespace tw {

// A measure says what weights x_1 ... x_k of sum `all` are worth: minus their impurity times `all`, or more by `all` where `kShifted`.
template <class Measure>
struct Reweighted : ClassCriterion {
  Reweighted(const NodeTargets& targets, const SearchSettings& settings, u32 n_classes) : ClassCriterion(targets, settings, n_classes) {
    for (const u32 k : targets.classes) {
      factor.push_back(settings.reweighted[k]);
      largest = std::max(largest, factor.back());
    }
  }

  std::vector<double> factor;
  double largest = 1;

  double all(const i64* cells) const {
    double sum = 0;
    for (u32 k = 0; k < stat.k; ++k) sum += factor[k] * static_cast<double>(cells[k]);
    return sum;
  }
  double worth(const i64* cells) const {
    const double sum = all(cells);
    return sum > 0 ? Measure::worth([&](u32 k) { return factor[k] * static_cast<double>(cells[k]); }, stat.k, sum) : 0;
  }
  double impurity(const i64* cells) const {
    const double lost = (Measure::kShifted ? all(cells) : 0) - worth(cells);
    return std::max(0.0, lost / static_cast<double>(cells[stat.k]));
  }
  double rounding(i64 weight) const { return 1e-15 * largest * static_cast<double>(weight) * (Measure::kShifted ? 4 : 64); }
  std::optional<double> merit(const Outcome& o) const { return o.gain; }
};

struct GiniOfShares {
  static constexpr bool kShifted = true;
  template <class X>
  static double worth(const X& x, u32 k, double all) {
    double squares = 0;
    for (u32 i = 0; i < k; ++i) squares += x(i) * x(i);
    return squares / all;
  }
};

struct EntropyOfShares {
  static constexpr bool kShifted = false;
  template <class X>
  static double worth(const X& x, u32 k, double all) {
    double bits = 0;
    for (u32 i = 0; i < k; ++i)
      if (x(i) > 0) bits += x(i) * log2_of(x(i) / all);
    return bits;
  }
};

struct ErrorOfShares {
  static constexpr bool kShifted = true;
  template <class X>
  static double worth(const X& x, u32 k, double) {
    double most = 0;
    for (u32 i = 0; i < k; ++i) most = std::max(most, x(i));
    return most;
  }
};

// Twoing compares two branches; what is reported is the Gini index.
struct ReweightedTwoing : Reweighted<GiniOfShares> {
  static constexpr bool kTwoBranches = true;
  using Reweighted<GiniOfShares>::Reweighted;

  double pair(const i64* l, const i64* r) const {
    const double left = all(l);
    const double right = all(r);
    if (!(left > 0 && right > 0)) return 0;
    double distance = 0;
    for (u32 k = 0; k < stat.k; ++k)
      distance += factor[k] * std::fabs(static_cast<double>(l[k]) / left - static_cast<double>(r[k]) / right);
    const double sum = left + right;
    return left / sum * (right / sum) / 4 * distance * distance;
  }
  std::optional<double> merit(const Outcome& o) const { return o.score; }
};

}  // namespace tw
