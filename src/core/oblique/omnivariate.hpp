// The test by which omnivariate trees choose the kind of a node.
#pragma once

#include <array>

namespace tw {

// Errors of the one less errors of the other: five repeats of two halves.
using Differences = std::array<std::array<double, 2>, 5>;

// The combined 5x2cv F test (Alpaydin 1999): F of 10 and 5 degrees, infinite where all differences of a repeat are the same and not 0;
// and ln of the chance of an F as large.
struct CombinedF {
  double f = 0;
  double log_chance = 0;
};
CombinedF combined_f(const Differences& differences);

}  // namespace tw
