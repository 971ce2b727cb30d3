// Information gain (Quinlan 1986).
#include "criteria/entropy.hpp"
#include "grow/enrol.hpp"

namespace tw {

namespace {

struct InfoGain : Entropy {
  using Entropy::Entropy;
  std::optional<double> merit(const Outcome& o) const { return o.gain; }
};

const EnrolCriterion enrol(criterion<InfoGain>("info_gain", "fall of class entropy, in bits"));

}  // namespace

}  // namespace tw
