// The walk, compiled for AVX-512.
#include "forest/contribution_walk_body.hpp"

namespace tw {

WalkFunction contribution_walk_avx512() { return &run_walk; }

}  // namespace tw
