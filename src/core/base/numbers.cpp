// Logarithms, exponentials and the chi-square tail of our own, and their tables.
#include "base/numbers.hpp"

#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <vector>

#include "base/exp.hpp"

namespace tw {

namespace {

constexpr double kLog2E = 1.4426950408889634074;
constexpr i64 kTable = 1 << 14;

std::array<double, kTable> make_table() {
  std::array<double, kTable> table{};
  for (i64 x = 1; x < kTable; ++x) table[static_cast<std::size_t>(x)] = static_cast<double>(x) * log2_of(static_cast<double>(x));
  return table;
}

std::vector<double> long_table(i64 size) {
  std::vector<double> table(static_cast<std::size_t>(size));
  for (i64 x = 0; x < size; ++x) table[static_cast<std::size_t>(x)] = x_log2_x(x);
  return table;
}

}  // namespace

double log2_of(double x) {
  if (!(x > 0)) return x == 0 ? -std::numeric_limits<double>::infinity() : std::numeric_limits<double>::quiet_NaN();
  int exponent = 0;
  double m = std::frexp(x, &exponent);  // m in [1/2, 1)
  if (m < 0.70710678118654752440) {
    m *= 2;
    --exponent;
  }
  // log m = 2 atanh(s), s = (m - 1)/(m + 1), |s| <= 0.1716, so the terms fall below one ulp after s^21.
  const double s = (m - 1) / (m + 1);
  const double z = s * s;
  double sum = 1.0 / 21;
  for (int k = 19; k >= 1; k -= 2) sum = sum * z + 1.0 / k;
  return static_cast<double>(exponent) + 2 * s * sum * kLog2E;
}

double exp_of(double x) {
  if (x != x) return x;
  if (x > 709) return std::numeric_limits<double>::infinity();
  if (x < -708) return 0;
  return exp_inside(x);
}

namespace {

// log2 of numbers from 2^14 up: 1 + i/128 <= m < 1 + (i+1)/128, m = c (1 + r) with c in the middle, |r| < 1/256. The result is at least
// 14, so that errors of r in the last place vanish in it.
constexpr std::size_t kIntervals = 128;

struct LargeLog {
  std::array<double, kIntervals> inverse{};
  std::array<double, kIntervals> log{};

  LargeLog() {
    for (std::size_t i = 0; i < kIntervals; ++i) {
      const double middle = 1 + (static_cast<double>(i) + 0.5) / kIntervals;
      inverse[i] = 1 / middle;
      log[i] = -log2_of(inverse[i]);
    }
  }
  double operator()(double x) const {
    const u64 bits = std::bit_cast<u64>(x);
    const auto i = static_cast<std::size_t>((bits >> 45) & (kIntervals - 1));
    const double m = std::bit_cast<double>((bits & 0x000fffffffffffffULL) | 0x3ff0000000000000ULL);
    const double r = m * inverse[i] - 1;
    const double r2 = r * r;
    // log(1 + r), the terms in pairs so that they need not wait for each other.
    const double series = r + r2 * ((-0.5 + r * (1.0 / 3)) + r2 * ((-0.25 + r * 0.2) + r2 * (-1.0 / 6 + r * (1.0 / 7))));
    return static_cast<double>(static_cast<int>(bits >> 52) - 1023) + (log[i] + series * kLog2E);
  }
};

}  // namespace

double x_log2_x(i64 x) {
  static const std::array<double, kTable> table = make_table();
  static const LargeLog large;
  if (x < kTable) return table[static_cast<std::size_t>(x)];
  const double value = static_cast<double>(x);
  return value * large(value);
}

const double* x_log2_x_upto(i64 most) {
  constexpr i64 kShort = 1 << 14;
  constexpr i64 kMiddle = 1 << 17;
  constexpr i64 kLong = 1 << 20;
  // Each is made at its first use.
  if (most < kShort) {
    static const std::vector<double> table = long_table(kShort);
    return table.data();
  }
  if (most < kMiddle) {
    static const std::vector<double> table = long_table(kMiddle);
    return table.data();
  }
  if (most < kLong) {
    static const std::vector<double> table = long_table(kLong);
    return table.data();
  }
  return nullptr;
}

const EstimatedLog& estimated_log() {
  static const EstimatedLog log;
  return log;
}

EstimatedLog::EstimatedLog() {
  for (std::size_t i = 0; i < kCells; ++i) {
    const double at = 1 + static_cast<double>(i) / kCells;
    const double value = log2_of(at);
    const double middle = log2_of(at + 0.5 / kCells) - value;
    const double end = log2_of(at + 1.0 / kCells) - value;
    cells_[i] = {value, 4 * middle - end, 2 * end - 4 * middle};
  }
}

double midpoint(double a, double b, bool strict) {
  const double gap = b - a;
  const double m = std::isfinite(gap) ? a + gap / 2 : a / 2 + b / 2;
  if (strict) return (m > a && m <= b) ? m : b;
  return (m >= a && m < b) ? m : a;
}

namespace {

// Regularised incomplete gamma functions (Abramowitz and Stegun 6.5.29 and 6.5.31).
// log of the gamma function by Stirling's series, from 10 up; below by recurrence. (std::lgamma writes a global.)
double log_gamma(double a) {
  double shift = 0;
  for (; a < 10; a += 1) shift += std::log(a);
  const double z = 1 / (a * a);
  const double series = (1.0 / 12 - z * (1.0 / 360 - z * (1.0 / 1260 - z / 1680))) / a;
  return (a - 0.5) * std::log(a) - a + 0.91893853320467274178 + series - shift;
}

double lower_gamma_series(double a, double x) {
  double term = 1 / a;
  double sum = term;
  for (int n = 1; n < 1000000; ++n) {
    term *= x / (a + n);
    sum += term;
    if (term < sum * 1e-16) break;
  }
  return sum * std::exp(a * std::log(x) - x - log_gamma(a));
}

double upper_gamma_fraction(double a, double x) {
  constexpr double tiny = 1e-300;
  double b = x + 1 - a;
  double c = 1 / tiny;
  double d = 1 / b;
  double h = d;
  for (int n = 1; n < 1000000; ++n) {
    const double numerator = -n * (n - a);
    b += 2;
    d = numerator * d + b;
    if (std::fabs(d) < tiny) d = tiny;
    c = b + numerator / c;
    if (std::fabs(c) < tiny) c = tiny;
    d = 1 / d;
    const double factor = d * c;
    h *= factor;
    if (std::fabs(factor - 1) < 1e-15) break;
  }
  return h * std::exp(a * std::log(x) - x - log_gamma(a));
}

}  // namespace

double chi_square_tail(double statistic, double degrees) {
  if (degrees <= 0 || statistic <= 0) return 1;
  const double a = degrees / 2;
  const double x = statistic / 2;
  return x < a + 1 ? 1 - lower_gamma_series(a, x) : upper_gamma_fraction(a, x);
}

}  // namespace tw
