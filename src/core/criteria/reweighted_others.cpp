// Entropy and error on class weights that priors and losses have changed.
#include "criteria/reweighted.hpp"
#ifndef TREEWRIGHT_SORTED_UNITS
#include "criteria/many_classes.hpp"
#endif

namespace tw {

#ifndef TREEWRIGHT_SORTED_UNITS
template <>
struct PlainSweep<Reweighted<EntropyOfShares>> {
  using type = SumsSweep<Reweighted<EntropyOfShares>, EntropyParts>;
};
template <>
struct PlainSweep<Reweighted<ErrorOfShares>> {
  using type = LargestSweep<Reweighted<ErrorOfShares>>;
};
#endif

namespace {

const EnrolReweighted entropy(reweighted<Reweighted<EntropyOfShares>>("info_gain"));
const EnrolReweighted error(reweighted<Reweighted<ErrorOfShares>>("error"));

}  // namespace

}  // namespace tw
