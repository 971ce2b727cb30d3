// The criteria for which there is an engine of tables in bins.
#include "criteria/entropy.hpp"
#include "criteria/gini_scan.hpp"
#include "criteria/reweighted.hpp"
#include "criteria/variance_scan.hpp"
#include "grow/binned/grower.hpp"
#include "grow/binned/leveller.hpp"

namespace tw {

namespace {

struct InfoGain : Entropy {
  using Entropy::Entropy;
  std::optional<double> merit(const Outcome& o) const { return o.gain; }
};

template <Criterion C>
BinnedCriterion unit(const std::string& name) {
  return {name, &grow_binned<C>, &grow_binned_below<C>, &by_levels<C>};
}

const Enrol<BinnedCriterion> gini(unit<Gini>("gini"));
const Enrol<BinnedCriterion> info_gain(unit<InfoGain>("info_gain"));
const Enrol<BinnedCriterion> variance(unit<Variance>("variance"));
const Enrol<BinnedCriterion> reweighted_gini(unit<Reweighted<GiniOfShares>>(reweighted_name("gini")));
const Enrol<BinnedCriterion> reweighted_info_gain(unit<Reweighted<EntropyOfShares>>(reweighted_name("info_gain")));

}  // namespace

}  // namespace tw
