#include "criteria/reweighted.hpp"

namespace tw {

namespace {

const Enrol<ReweightedEntry> gini(reweighted_entry<Reweighted<GiniOfShares>>("gini"));
const Enrol<ReweightedEntry> twoing(reweighted_entry<ReweightedTwoing>("twoing"));

}  // namespace

}  // namespace tw
