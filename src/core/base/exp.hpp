// e to the power of x, written so that a compiler can make several at once: the one definition behind exp_of.
#pragma once

#include <bit>

#include "base/types.hpp"

namespace tw {

// For x from -708 to 709.
inline double exp_inside(double x) {
  // x = k ln 2 + r with |r| <= 0.35; ln 2 in two parts, the first of so few bits that its product with k is exact.
  constexpr double kLog2E = 1.4426950408889634074;
  constexpr double kHigh = 0x1.62e42fefap-1;
  constexpr double kLow = 0x1.cf79abc9e3b3ap-40;
  constexpr double kShift = 0x1.8p52;  // added to a number it leaves the nearest whole one in the lowest bits
  const double shifted = x * kLog2E + kShift;
  const double k = shifted - kShift;
  const double r = (x - k * kHigh) - k * kLow;
  // The series falls below one ulp after r^13; even and odd powers apart, so that they need not wait for each other.
  const double z = r * r;
  const double even =
      1 + z * (1.0 / 2 + z * (1.0 / 24 + z * (1.0 / 720 + z * (1.0 / 40320 + z * (1.0 / 3628800 + z * (1.0 / 479001600))))));
  const double odd =
      1 + z * (1.0 / 6 + z * (1.0 / 120 + z * (1.0 / 5040 + z * (1.0 / 362880 + z * (1.0 / 39916800 + z * (1.0 / 6227020800))))));
  return (even + odd * r) * std::bit_cast<double>((std::bit_cast<u64>(shifted) + 1023) << 52);
}

}  // namespace tw
