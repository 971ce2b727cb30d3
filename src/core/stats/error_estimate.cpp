// The normal deviate of a confidence, as C4.5 release 8 tabulates it and as J48 computes it, and the errors it adds.
#include "stats/error_estimate.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "base/errors.hpp"

namespace tw {

namespace {

// Release 8 reads the normal deviate of a confidence from a table, linearly between its entries.
double tabulated_deviate(double confidence) {
  constexpr std::array<std::pair<double, double>, 9> table{
      {{0, 4.0}, {0.001, 3.09}, {0.005, 2.58}, {0.01, 2.33}, {0.05, 1.65}, {0.10, 1.28}, {0.20, 0.84}, {0.40, 0.25}, {1.00, 0.0}}};
  std::size_t i = 1;
  while (i + 1 < table.size() && confidence > table[i].first) ++i;
  const auto& [low, at_low] = table[i - 1];
  const auto& [high, at_high] = table[i];
  return at_low + (at_high - at_low) * (confidence - low) / (high - low);
}

// z with P(Z > z) = confidence, for confidences up to one half: Newton's steps climb a convex function and so never overshoot.
double normal_deviate(double confidence) {
  double z = 0;
  for (int i = 0; i < 200; ++i) {
    const double tail = std::erfc(z / std::sqrt(2.0)) / 2;
    const double step = (tail - confidence) * std::sqrt(2 * 3.14159265358979323846) * std::exp(z * z / 2);
    z += step;
    if (std::fabs(step) < 1e-15) break;
  }
  return z;
}

}  // namespace

ErrorEstimate::ErrorEstimate(double confidence, Estimate kind)
    : confidence_(confidence), kind_(kind), z_(kind == Estimate::quinlan ? tabulated_deviate(confidence) : normal_deviate(confidence)) {
  if (!(confidence > 0 && confidence <= (kind == Estimate::weka ? 0.5 : 1.0))) throw Invalid("the confidence is out of range");
}

double ErrorEstimate::extra(double n, double e) const {
  const bool weka = kind_ == Estimate::weka;
  const double none = n * (1 - std::pow(confidence_, 1 / n));
  if (e < (weka ? 1e-300 : 1e-6)) return none;
  if (e < (weka ? 1.0 : 0.9999)) return none + e * (extra(n, 1) - none);
  // The estimate jumps here, and fractions of rows are rounded: what differs from the limit by rounding alone is on it.
  constexpr double kRounding = 1e-8;
  if (e + 0.5 >= n - kRounding * std::max(n, 1.0)) return weka ? std::max(n - e, 0.0) : 0.67 * (n - e);
  const double c = z_ * z_;
  const double half = e + 0.5;
  const double p = (half + c / 2 + std::sqrt(c * (half * (1 - half / n) + c / 4))) / (n + c);
  return n * p - e;
}

}  // namespace tw
