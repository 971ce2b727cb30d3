// Fixed-point targets. Each node has its own grid, centred on its mid-range, so that a target like 1e15 + {0, 1} splits,
// and so that far below an outlier the remaining differences come back into view.
#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "stats/moments.hpp"

namespace tw {

namespace {

// How many bits a step count may have. Up to 2^31 of weight the sums of labels then fit 63 bits; up to the limit of 2^46 the
// products of such sums with a weight fit 127.
int label_bits(int weight_bits) { return weight_bits <= 31 ? std::min(52, 62 - weight_bits) : 34; }

double power_of_two(int exponent) {
  return exponent >= -1022 && exponent <= 1023 ? std::bit_cast<double>(static_cast<u64>(exponent + 1023) << 52) : std::ldexp(1.0, exponent);
}

// (w sum q^2 - (sum q)^2) / w^2 without cancellation: shift by the rounded mean first.
double variance_of(const TargetSums& s, i64 total) {
  const i128 shift = s.sum == static_cast<i64>(s.sum) ? static_cast<i64>(s.sum) / total : s.sum / total;
  const i128 rest = s.sum - shift * total;
  const i128 centred = s.squares - shift * (s.sum + rest);  // sum of w (q - shift)^2 is squares - 2 shift sum + shift^2 total
  const double w = static_cast<double>(total);
  const double remainder = to_double(rest) / w;
  return std::max(0.0, to_double(centred) / w - remainder * remainder);
}

int magnitude_of(const TargetRange& range) {
  int magnitude = 0;
  std::frexp(std::max(range.high / 2 - range.low / 2, std::numeric_limits<double>::denorm_min()), &magnitude);
  return magnitude;
}

}  // namespace

Steps::Steps(int magnitude, int bits) {
  const int exponent = std::max(magnitude - bits, -1074);
  size_ = power_of_two(exponent);
  inverse_ = exponent > -1020 ? power_of_two(-exponent) : 0;  // multiplying by a power of two is as exact as dividing
}

TargetScale::TargetScale(const TargetRange& range)
    : TargetScale(range, magnitude_of(range), static_cast<int>(std::bit_width(static_cast<u64>(range.total)))) {}

// Squares times the weight must fit 126 bits.
TargetScale::TargetScale(const TargetRange& range, int magnitude, int weight_bits)
    : centre(range.low / 2 + range.high / 2),
      coarse(magnitude, label_bits(weight_bits)),
      fine(magnitude, std::min(52, (126 - weight_bits) / 2)),
      finest(magnitude, std::min(52, 126 - weight_bits)) {}

TargetFacts facts_of_constant(double value) {
  TargetFacts facts;
  facts.mean = value + 0.0;  // never -0.0, which would depend on the order of rows
  facts.grid.centre = value;
  return facts;
}

TargetFacts facts_of(const TargetScale& scale, const TargetSums& sums, i64 total) {
  TargetFacts facts;
  facts.constant = false;
  facts.grid = {scale.centre, scale.coarse.size()};
  facts.variance = variance_of(sums, total) * scale.fine.size() * scale.fine.size();
  const i128 sum = scale.finest.size() != scale.fine.size() ? sums.finest : sums.sum;
  facts.mean = scale.centre + to_double(sum) / static_cast<double>(total) * scale.finest.size();
  return facts;
}

TargetFacts read_target(const double* values, const i64* weights, std::size_t n, i64 total, i64* steps) {
  TargetRange range{values[0], values[0], total};
  for (std::size_t i = 1; i < n; ++i) {
    range.low = std::min(range.low, values[i]);
    range.high = std::max(range.high, values[i]);
  }
  if (range.constant()) {
    std::fill_n(steps, n, 0);
    return facts_of_constant(range.low);
  }
  const TargetScale scale(range);
  const double centre = scale.centre;
  const auto weight = [&](std::size_t i) { return weights == nullptr ? i64{1} : weights[i]; };
  TargetSums sums;
  const auto add = [&](i64 q, i64 w) {
    sums.sum += static_cast<i128>(q) * w;
    sums.squares += static_cast<i128>(q) * q * w;
  };
  if (scale.coarse.size() == scale.fine.size()) {
    for (std::size_t i = 0; i < n; ++i) {
      steps[i] = scale.coarse.count(values[i] - centre);
      add(steps[i], weight(i));
    }
  } else {
    for (std::size_t i = 0; i < n; ++i) {
      steps[i] = scale.coarse.count(values[i] - centre);
      add(scale.fine.count(values[i] - centre), weight(i));
    }
  }
  if (scale.finest.size() != scale.fine.size())
    for (std::size_t i = 0; i < n; ++i) sums.finest += static_cast<i128>(scale.finest.count(values[i] - centre)) * weight(i);
  return facts_of(scale, sums, total);
}

}  // namespace tw
