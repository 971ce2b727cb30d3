// Misclassification error, 1 - max p.
#include "criteria/many_classes.hpp"
#include "grow/enrol.hpp"
#ifdef TREEWRIGHT_SORTED_UNITS
#include "criteria/loss_scan.hpp"
#endif

namespace tw {

namespace {

struct ClassError : ClassCriterion {
  using ClassCriterion::ClassCriterion;

  double worth(const i64* cells) const { return static_cast<double>(*std::max_element(cells, cells + stat.k)); }
  double impurity(const i64* cells) const { return 1 - worth(cells) / static_cast<double>(cells[stat.k]); }
  std::optional<double> merit(const Outcome& o) const { return o.gain; }

#ifdef TREEWRIGHT_SORTED_UNITS
  static constexpr bool kCountsErrors = true;
  AnswerCosts costs() const { return {{{{0, 1}, {1, 0}}}, 0x1p50}; }
  double costless(i64 weight) const { return static_cast<double>(weight); }
#endif
};

}  // namespace

#ifndef TREEWRIGHT_SORTED_UNITS
template <>
struct PlainSweep<ClassError> {
  using type = LargestSweep<ClassError>;
};
#endif

namespace {

const EnrolCriterion enrol(criterion<ClassError>("error", "fall of the misclassification error 1 - max p"));

}  // namespace

}  // namespace tw
