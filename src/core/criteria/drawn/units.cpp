// The criteria for which there is an engine of drawn cuts: those of random forests.
#include "criteria/entropy.hpp"
#include "criteria/gini.hpp"
#include "criteria/variance.hpp"
#include "grow/drawn/grower.hpp"

namespace tw {

namespace {

struct InfoGain : Entropy {
  using Entropy::Entropy;
  std::optional<double> merit(const Outcome& o) const { return o.gain; }
};

const Enrol<DrawnCriterion> gini({"gini", &grow_drawn<Gini>});
const Enrol<DrawnCriterion> info_gain({"info_gain", &grow_drawn<InfoGain>});
const Enrol<DrawnCriterion> variance({"variance", &grow_drawn<Variance>});

}  // namespace

}  // namespace tw
