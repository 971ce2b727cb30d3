// Gini index, 1 - sum p^2 (Breiman, Friedman, Olshen and Stone 1984). Worth is sum w_k^2 / w.
#include "criteria/gini.hpp"
#include "grow/enrol.hpp"

namespace tw {

namespace {

const Enrol<CriterionEntry> enrol(part<Gini>("gini", "fall of the Gini index 1 - sum p^2"));

}  // namespace

}  // namespace tw
