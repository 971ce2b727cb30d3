// Gini index, 1 - sum p^2 (Breiman, Friedman, Olshen and Stone 1984). Worth is sum w_k^2 / w.
#include "criteria/gini.hpp"

#include "grow/enrol.hpp"
#ifdef TREEWRIGHT_SORTED_UNITS
#include "criteria/gini_scan.hpp"
#endif

namespace tw {

namespace {

const EnrolCriterion enrol(criterion<Gini>("gini", "fall of the Gini index 1 - sum p^2"));

}  // namespace

}  // namespace tw
