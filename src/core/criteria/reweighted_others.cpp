#include "criteria/reweighted.hpp"

namespace tw {

namespace {

const Enrol<ReweightedEntry> entropy(reweighted_entry<Reweighted<EntropyOfShares>>("info_gain"));
const Enrol<ReweightedEntry> error(reweighted_entry<Reweighted<ErrorOfShares>>("error"));

}  // namespace

}  // namespace tw
