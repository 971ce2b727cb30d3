// Code lengths of subsets, and the description lengths built of them.
#include "rules/description.hpp"

#include <algorithm>

#include "base/numbers.hpp"

namespace tw {

namespace {

constexpr double kImpossible = 1e6;  // bits of an event of probability 0 (Quinlan's figure)

// n events of which k happen, each with probability p; 0 log 0 is 0.
double biased(double n, double k, double p) {
  double bits = 0;
  if (k > 0) bits += p > 0 ? -k * log2_of(p) : kImpossible;
  if (n - k > 0) bits += p < 1 ? -(n - k) * log2_of(1 - p) : kImpossible;
  return bits;
}

}  // namespace

double subset_bits(double n, double k, double p) { return biased(n, k, std::clamp(p, 0.0, 1.0)); }

double rule_bits(double k, double n) {
  if (k <= 0) return 0;
  double bits = log2_of(k);
  if (k > 1) bits += 2 * log2_of(bits);
  return 0.5 * (bits + subset_bits(n, k, k / n));
}

double exception_bits(double expected, double cover, double uncover, double fp, double fn) {
  const double total = log2_of(cover + uncover + 1);
  if (cover > uncover) {
    const double wrong = expected * (fp + fn);
    return total + subset_bits(cover, fp, wrong / cover) + (uncover > 0 ? subset_bits(uncover, fn, fn / uncover) : 0);
  }
  const double wrong = (1 - expected) * (fp + fn);
  return total + (cover > 0 ? subset_bits(cover, fp, fp / cover) : 0) + (uncover > 0 ? subset_bits(uncover, fn, wrong / uncover) : 0);
}

double selected_bits(double cases, double fires, double fp, double fn) {
  const auto code_length = [](double n, double errors, double expected) {
    if (n <= 0 || (expected < 1e-9 && errors <= 0)) return errors > 0 ? kImpossible : 0.0;
    return biased(n, errors, std::min(expected / n, 1.0));
  };
  const double rest = cases - fires;
  const double half = 0.5 * (fp + fn);
  if (fires > 0.5 * cases) return log2_of(cases) + code_length(fires, fp, half) + code_length(rest, fn, fn);
  return log2_of(cases) + code_length(fires, fp, fp) + code_length(rest, fn, half);
}

}  // namespace tw
