// Arithmetic that gives the same bits on every platform: our own log2, x log2 x, midpoints, the chi-square tail.
// Libm differs between platforms; the four basic operations do not (no fast-math, no contraction; see CMakeLists.txt). The chi-square tail,
// which only compares with a level, does use its exp and log.
#pragma once

#include "base/types.hpp"

namespace tw {

// log2 of a positive finite number, within 2 ulp; exact for powers of two.
double log2_of(double x);

// x log2 x with 0 log 0 = 0; small whole numbers come from a table.
double x_log2_x(i64 x);

// A number t with a <= t < b (relation "<=") or a < t <= b (relation "<"), halfway where that is possible without overflow.
double midpoint(double a, double b, bool strict);

// P(X >= statistic) for a chi-square variable with the given degrees of freedom.
double chi_square_tail(double statistic, double degrees);

}  // namespace tw
