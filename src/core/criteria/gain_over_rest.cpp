// A curiosity: the "gain ratio" as one course text prints it, gain / H(Y|X). It cannot cure the bias towards columns of many
// levels that the gain ratio was made for: on a column of unique values the denominator is 0.
#include <limits>

#include "criteria/entropy.hpp"
#include "grow/enrol.hpp"

namespace tw {

namespace {

struct GainOverRest : Entropy {
  static constexpr bool kRankIsScore = false;
  using Entropy::Entropy;
  std::optional<double> merit(const Outcome& o) const { return o.after > 0 ? o.gain / o.after : std::numeric_limits<double>::infinity(); }
};

const EnrolCriterion enrol(criterion<GainOverRest>("gain_over_rest",
                                                   "gain divided by the entropy that remains (a misprint, kept as a curiosity)"));

}  // namespace

}  // namespace tw
