// Arithmetic that gives the same bits on every platform: our own log2, exp, x log2 x, midpoints, the chi-square tail.
// Libm differs between platforms; the four basic operations do not (no fast-math, no contraction; see CMakeLists.txt). The chi-square tail,
// which only compares with a level, does use its exp and log.
#pragma once

#include <array>
#include <bit>

#include "base/types.hpp"

namespace tw {

// log2 of a positive finite number, within 2 ulp; exact for powers of two.
double log2_of(double x);

// e to the power of x, within 2 ulp; 0 below -708.
double exp_of(double x);

// x log2 x with 0 log 0 = 0; small whole numbers come from a table.
double x_log2_x(i64 x);

// x log2 x within a relative 1.1e-8 of x, in a few instructions: enough to tell for which x the exact value is needed.
class EstimatedLog {
 public:
  EstimatedLog();
  double x_log2_x(i64 x) const {
    const double value = static_cast<double>(x);
    return x <= 1 ? 0 : value * log2(value);
  }
  // Of a number from 1 up, within 1.1e-8.
  double log2(double value) const {
    const u64 bits = std::bit_cast<u64>(value);
    const Cell& cell = cells_[(bits >> (52 - kBits)) & (kCells - 1)];
    const double inside = static_cast<double>(static_cast<i64>(bits & ((u64{1} << (52 - kBits)) - 1))) * kScale;
    return static_cast<double>(static_cast<int>(bits >> 52) - 1023) + (cell.value + inside * (cell.slope + inside * cell.bend));
  }

 private:
  // A parabola through the ends and the middle of each cell. Few enough to stay in the nearest cache.
  static constexpr int kBits = 8;
  static constexpr std::size_t kCells = std::size_t{1} << kBits;
  static constexpr double kScale = 1.0 / static_cast<double>(u64{1} << (52 - kBits));
  struct Cell {
    double value, slope, bend;
  };
  std::array<Cell, kCells> cells_{};
};
const EstimatedLog& estimated_log();

// x log2 x of all whole numbers up to `most`, or null if that would be a large table.
const double* x_log2_x_upto(i64 most);

// A number t with a <= t < b (relation "<=") or a < t <= b (relation "<"), halfway where that is possible without overflow.
double midpoint(double a, double b, bool strict);

// P(X >= statistic) for a chi-square variable with the given degrees of freedom.
double chi_square_tail(double statistic, double degrees);

}  // namespace tw
