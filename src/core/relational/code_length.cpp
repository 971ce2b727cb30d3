#include "relational/code_length.hpp"

#include <algorithm>
#include <cmath>

#include "base/numbers.hpp"

namespace tw::relational {

namespace {

constexpr double kLeastBits = 16;

// log2 of n!: the product of small numbers, Stirling's series beyond.
double log2_factorial(double n) {
  if (n < 20) {
    double product = 1;
    for (double i = 2; i <= n; ++i) product *= i;
    return log2_of(product);
  }
  constexpr double kLog2e = 1.4426950408889634, kHalfLog2OfTwoPi = 1.3257480647361593;
  return (n + 0.5) * log2_of(n) + kHalfLog2OfTwoPi - kLog2e * (n - 1 / (12 * n) + 1 / (360 * n * n * n));
}

}  // namespace

double exceptions(u64 total, u64 positive, double share) {
  const double p = static_cast<double>(positive);
  const double n = p + std::floor(static_cast<double>(total - positive) / share);
  return n <= 0 ? 0 : log2_of(n) + log2_factorial(n) - log2_factorial(p) - log2_factorial(n - p);
}

double code_limit(u64 total, u64 positive, double share) { return std::max(exceptions(total, positive, share), kLeastBits); }

}  // namespace tw::relational
