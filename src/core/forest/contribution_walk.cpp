// The walk in plain C++, and the choice of an instruction set at run time.
#include "forest/contribution_walk_body.hpp"
#include "search/kernels.hpp"

namespace tw {

WalkFunction contribution_walk() { return kernel_level() == KernelLevel::avx512 ? contribution_walk_avx512() : &run_walk; }

}  // namespace tw
