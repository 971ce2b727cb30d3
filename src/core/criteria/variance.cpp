// Squared error around the mean (Breiman et al. 1984, chapter 8).
#include "criteria/variance.hpp"

#include "grow/enrol.hpp"
#ifdef TREEWRIGHT_SORTED_UNITS
#include "criteria/variance_scan.hpp"
#endif

namespace tw {

namespace {

const EnrolCriterion enrol(criterion<Variance>("variance", "fall of the mean squared deviation from the mean"));

}  // namespace

}  // namespace tw
