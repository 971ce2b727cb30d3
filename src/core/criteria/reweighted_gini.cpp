// Gini and twoing on class weights that priors and losses have changed.
#include "criteria/reweighted.hpp"
#ifdef TREEWRIGHT_SORTED_UNITS
#include "criteria/reweighted_scan.hpp"
#endif

namespace tw {

namespace {

const EnrolReweighted gini(reweighted<Reweighted<GiniOfShares>>("gini"));
const EnrolReweighted twoing(reweighted<ReweightedTwoing>("twoing"));

}  // namespace

}  // namespace tw
