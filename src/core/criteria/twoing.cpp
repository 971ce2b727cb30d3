// Twoing (Breiman et al. 1984): (p_L p_R / 4) (sum_k |p(k|L) - p(k|R)|)^2. Two branches only; impurities are reported as Gini.
#include <cmath>

#include "criteria/gini.hpp"
#include "criteria/many_classes.hpp"
#include "grow/enrol.hpp"

namespace tw {

namespace {

struct Twoing : ClassCriterion {
  static constexpr bool kTwoBranches = true;

  Twoing(const NodeTargets& targets, const SearchSettings& settings, u32 n_classes)
      : ClassCriterion(targets, settings, n_classes), gini(targets, settings, n_classes) {}

  Gini gini;

  double pair(const i64* l, const i64* r) const {
    const double wl = static_cast<double>(l[stat.k]);
    const double wr = static_cast<double>(r[stat.k]);
    double distance = 0;
    for (u32 k = 0; k < stat.k; ++k) distance += std::fabs(static_cast<double>(l[k]) / wl - static_cast<double>(r[k]) / wr);
    const double w = wl + wr;
    return wl / w * (wr / w) / 4 * distance * distance;
  }
  double worth(const i64* cells) const { return gini.worth(cells); }
  double impurity(const i64* cells) const { return gini.impurity(cells); }
  std::optional<double> merit(const Outcome& o) const { return o.score; }
};

}  // namespace

#ifndef TREEWRIGHT_SORTED_UNITS
template <>
struct PlainSweep<Twoing> {
  using type = TwoingSweep<Twoing>;
};
#endif

namespace {

const EnrolCriterion enrol(criterion<Twoing>("twoing", "how differently two branches are composed (two branches only)"));

}  // namespace

}  // namespace tw
