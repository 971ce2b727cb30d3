#include "criteria/altered.hpp"

namespace tw {

namespace {

const Enrol<AlteredPart> gini(altered_part<Altered<GiniOfShares>>("gini"));
const Enrol<AlteredPart> twoing(altered_part<AlteredTwoing>("twoing"));

}  // namespace

}  // namespace tw
