// Fixed-point targets. Each node has its own grid, centred on its mid-range, so that a target like 1e15 + {0, 1} splits,
// and so that far below an outlier the remaining differences come back into view.
#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "stats/stat.hpp"

namespace tw {

namespace {

// How many bits a step count may have. Up to 2^31 of weight the sums of labels then fit 63 bits; up to the limit of 2^46 the
// products of such sums with a weight fit 127.
int label_bits(int weight_bits) { return weight_bits <= 31 ? std::min(52, 62 - weight_bits) : 34; }

double power_of_two(int exponent) {
  return exponent >= -1022 && exponent <= 1023 ? std::bit_cast<double>(static_cast<u64>(exponent + 1023) << 52) : std::ldexp(1.0, exponent);
}

// Steps of a power of two.
class Grid {
 public:
  // Brings numbers below 2^magnitude to the given number of bits; never so small that it underflows.
  Grid(int magnitude, int bits) {
    const int exponent = std::max(magnitude - bits, -1074);
    step_ = power_of_two(exponent);
    inverse_ = exponent > -1020 ? power_of_two(-exponent) : 0;  // multiplying by a power of two is as exact as dividing
  }

  double step() const { return step_; }
  i64 count(double offset) const { return std::llrint(inverse_ != 0 ? offset * inverse_ : offset / step_); }

 private:
  double step_;
  double inverse_;
};

// Sums of whole numbers and of their squares.
struct Sums {
  i128 sum = 0;
  i128 squares = 0;

  void add(i64 q, i64 w) {
    sum += static_cast<i128>(q) * w;
    squares += static_cast<i128>(q) * q * w;
  }
};

// (w sum q^2 - (sum q)^2) / w^2 without cancellation: shift by the rounded mean first.
double variance_of(const Sums& s, i64 total) {
  const i128 shift = s.sum == static_cast<i64>(s.sum) ? static_cast<i64>(s.sum) / total : s.sum / total;
  const i128 rest = s.sum - shift * total;
  const i128 centred = s.squares - shift * (s.sum + rest);  // sum of w (q - shift)^2 is squares - 2 shift sum + shift^2 total
  const double w = static_cast<double>(total);
  const double remainder = to_double(rest) / w;
  return std::max(0.0, to_double(centred) / w - remainder * remainder);
}

}  // namespace

TargetFacts read_target(const double* values, const i64* weights, std::size_t n, i64 total, i64* steps) {
  double low = values[0];
  double high = values[0];
  for (std::size_t i = 1; i < n; ++i) {
    low = std::min(low, values[i]);
    high = std::max(high, values[i]);
  }
  TargetFacts facts;
  facts.mean = low + 0.0;  // never -0.0, which would depend on the order of rows
  facts.constant = low == high;
  facts.grid.centre = low;
  if (facts.constant) {
    std::fill_n(steps, n, 0);
    return facts;
  }
  const int weight_bits = static_cast<int>(std::bit_width(static_cast<u64>(total)));
  int magnitude = 0;
  std::frexp(std::max(high / 2 - low / 2, std::numeric_limits<double>::denorm_min()), &magnitude);
  const double centre = low / 2 + high / 2;
  facts.grid.centre = centre;
  const auto weight = [&](std::size_t i) { return weights == nullptr ? i64{1} : weights[i]; };
  // Means and variances are wanted finer than steps where many rows add up; squares times the weight must fit 126 bits.
  const int spare = 126 - weight_bits;
  const Grid coarse(magnitude, label_bits(weight_bits));
  const Grid fine(magnitude, std::min(52, spare / 2));
  facts.grid.step = coarse.step();
  Sums sums;
  if (coarse.step() == fine.step()) {
    for (std::size_t i = 0; i < n; ++i) {
      steps[i] = coarse.count(values[i] - centre);
      sums.add(steps[i], weight(i));
    }
  } else {
    for (std::size_t i = 0; i < n; ++i) {
      steps[i] = coarse.count(values[i] - centre);
      sums.add(fine.count(values[i] - centre), weight(i));
    }
  }
  facts.variance = variance_of(sums, total) * fine.step() * fine.step();
  const Grid finest(magnitude, std::min(52, spare));
  if (finest.step() != fine.step()) {
    sums.sum = 0;
    for (std::size_t i = 0; i < n; ++i) sums.sum += static_cast<i128>(finest.count(values[i] - centre)) * weight(i);
  }
  facts.mean = centre + to_double(sums.sum) / static_cast<double>(total) * finest.step();
  return facts;
}

}  // namespace tw
