// The loops of boosting in plain C++, and the choice of an instruction set at run time.
#include "models/boost_sums_body.hpp"
#include "search/kernels.hpp"

namespace tw {

const BoostLoops& boost_loops() {
  static const BoostLoops plain = loops();
  static const BoostLoops wide = boost_loops_avx2();
  return kernel_level() == KernelLevel::scalar ? plain : wide;
}

}  // namespace tw
