// The criteria for which there is an engine of tables in bins.
#include "criteria/entropy.hpp"
#include "criteria/gini_scan.hpp"
#include "criteria/variance_scan.hpp"
#include "grow/binned/grower.hpp"
#include "grow/binned/leveller.hpp"

namespace tw {

namespace {

struct InfoGain : Entropy {
  using Entropy::Entropy;
  std::optional<double> merit(const Outcome& o) const { return o.gain; }
};

const Enrol<BinnedCriterion> gini({"gini", &grow_binned<Gini>, &grow_binned_below<Gini>, &by_levels<Gini>});
const Enrol<BinnedCriterion> info_gain({"info_gain", &grow_binned<InfoGain>, &grow_binned_below<InfoGain>, &by_levels<InfoGain>});
const Enrol<BinnedCriterion> variance({"variance", &grow_binned<Variance>, &grow_binned_below<Variance>});

}  // namespace

}  // namespace tw
