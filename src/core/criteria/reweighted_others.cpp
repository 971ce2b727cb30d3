// Entropy and error on class weights that priors and losses have changed.
#include "criteria/reweighted.hpp"

namespace tw {

namespace {

const EnrolReweighted entropy(reweighted<Reweighted<EntropyOfShares>>("info_gain"));
const EnrolReweighted error(reweighted<Reweighted<ErrorOfShares>>("error"));

}  // namespace

}  // namespace tw
