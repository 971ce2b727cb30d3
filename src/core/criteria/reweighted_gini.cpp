// Gini and twoing on class weights that priors and losses have changed.
#include "criteria/reweighted.hpp"
#ifdef TREEWRIGHT_SORTED_UNITS
#include "criteria/reweighted_scan.hpp"
#else
#include "criteria/many_classes.hpp"
#endif

namespace tw {

#ifndef TREEWRIGHT_SORTED_UNITS
template <>
struct PlainSweep<Reweighted<GiniOfShares>> {
  using type = SumsSweep<Reweighted<GiniOfShares>, SquareParts>;
};
template <>
struct PlainSweep<ReweightedTwoing> {
  using type = TwoingSweep<ReweightedTwoing>;
};
#endif

namespace {

const EnrolReweighted gini(reweighted<Reweighted<GiniOfShares>>("gini"));
const EnrolReweighted twoing(reweighted<ReweightedTwoing>("twoing"));

}  // namespace

}  // namespace tw
