// Random numbers of one search.
#pragma once

#include "base/hash.hpp"

namespace tw {

// Numbers drawn one after the other from [-1, 1).
class Drawn {
 public:
  explicit Drawn(u64 seed) : state_(seed) {}
  double next() { return 2 * unit() - 1; }
  double unit() { return static_cast<double>((state_ = mix(state_)) >> 11) * 0x1p-53; }

 private:
  u64 state_;
};

}  // namespace tw
