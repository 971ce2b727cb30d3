#include "criteria/altered.hpp"

namespace tw {

namespace {

const Enrol<AlteredPart> entropy(altered_part<Altered<EntropyOfShares>>("info_gain"));
const Enrol<AlteredPart> error(altered_part<Altered<ErrorOfShares>>("error"));

}  // namespace

}  // namespace tw
