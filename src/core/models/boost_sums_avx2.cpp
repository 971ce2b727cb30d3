// The loops of boosting, compiled for AVX2.
#include "models/boost_sums_body.hpp"

namespace tw {

BoostLoops boost_loops_avx2() { return loops(); }

}  // namespace tw
