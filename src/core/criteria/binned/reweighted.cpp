// Those on class weights that priors and losses have changed.
#include "criteria/reweighted.hpp"
#include "grow/binned/entry.hpp"

namespace tw {

namespace {

const EnrolBinned gini(binned_unit<Reweighted<GiniOfShares>>(reweighted_name("gini")));
const EnrolBinned info_gain(binned_unit<Reweighted<EntropyOfShares>>(reweighted_name("info_gain")));

}  // namespace

}  // namespace tw
