// Incomplete beta and gamma functions by continued fractions (Lentz's method, as in Numerical Recipes of many hands).
#include "stats/tails.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tw {

namespace {

constexpr double kTiny = 1e-300;
constexpr double kEnough = 1e-15;
constexpr int kMostSteps = 10'000;

// A continued fraction b0 + a1 / (b1 + a2 / (b2 + ...)), its parts given by `at(i)` as {a, b}.
template <class At>
double fraction(double b0, const At& at) {
  double value = b0 == 0 ? kTiny : b0;
  double c = value;
  double d = 0;
  for (int i = 1; i < kMostSteps; ++i) {
    const auto [a, b] = at(i);
    d = b + a * d;
    c = b + a / c;
    if (std::abs(d) < kTiny) d = kTiny;
    if (std::abs(c) < kTiny) c = kTiny;
    d = 1 / d;
    value *= c * d;
    if (std::abs(c * d - 1) < kEnough) break;
  }
  return value;
}

struct Part {
  double a, b;
};

// ln of the regularised incomplete beta function I_x(a, b) for x below (a + 1) / (a + b + 2), where its fraction converges fast.
double log_beta_below(double x, double a, double b) {
  const double front = a * std::log(x) + b * std::log1p(-x) + std::lgamma(a + b) - std::lgamma(a) - std::lgamma(b) - std::log(a);
  const double turn = fraction(1, [&](int i) {
    const double m = i / 2;
    const double step =
        i % 2 == 0 ? m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)) : -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
    return Part{step, 1};
  });
  return front - std::log(turn);
}

}  // namespace

double log_f_tail(double f, double above, double below) {
  if (!(f > 0)) return 0;
  if (std::isinf(f)) return -std::numeric_limits<double>::infinity();
  // P(X >= f) = I_x(below / 2, above / 2) at x = below / (below + above f).
  const double a = below / 2;
  const double b = above / 2;
  const double x = below / (below + above * f);
  if (!(x > 0)) return -std::numeric_limits<double>::infinity();
  if (x < (a + 1) / (a + b + 2)) return std::min(0.0, log_beta_below(x, a, b));
  const double rest = above * f / (below + above * f);
  return std::log1p(-std::min(1.0, std::exp(log_beta_below(rest, b, a))));
}

double log_chi_square_tail(double x, double degrees) {
  if (!(x > 0)) return 0;
  const double a = degrees / 2;
  const double h = x / 2;
  const double front = a * std::log(h) - h - std::lgamma(a);
  if (h >= a + 1) return front - std::log(fraction(h + 1 - a, [&](int i) { return Part{-i * (i - a), h + 2 * i + 1 - a}; }));
  double sum = 1 / a;
  double term = sum;
  for (int i = 1; i < kMostSteps && term > sum * kEnough; ++i) sum += term *= h / (a + i);
  return std::log1p(-std::min(1.0, std::exp(front) * sum));
}

}  // namespace tw
