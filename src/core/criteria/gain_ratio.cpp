// Gain ratio (Quinlan 1986 section 7, 1993): cuts are placed by gain, columns compared by gain / split information.
#include "criteria/entropy.hpp"
#include "grow/enrol.hpp"

namespace tw {

namespace {

struct GainRatio : Entropy {
  static constexpr bool kRankIsScore = false;
  using Entropy::Entropy;
  std::optional<double> merit(const Outcome& o) const {
    // One branch holds all weight: the ratio is undefined, there is no candidate.
    if (o.split_info < 1e-9) return std::nullopt;
    return o.gain / o.split_info;
  }
};

const EnrolCriterion enrol(criterion<GainRatio>("gain_ratio", "information gain divided by split information"));

}  // namespace

}  // namespace tw
