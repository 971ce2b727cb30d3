// Fixed-point targets. Each node has its own grid, centred on its mid-range, so that a target like 1e15 + {0, 1} splits,
// and so that far below an outlier the remaining differences come back into view.
#include <algorithm>
#include <bit>
#include <cmath>

#include "stats/stat.hpp"

namespace tw {

namespace {

// How many bits a label may have. Up to 2^31 of weight the sums of labels then fit 63 bits; up to the limit of 2^46 the
// products of such sums with a weight fit 127.
int label_bits(i64 total) {
  const int bits = static_cast<int>(std::bit_width(static_cast<u64>(total)));
  return bits <= 31 ? std::min(52, 62 - bits) : 34;
}

// The power of two that brings numbers of this magnitude to the given number of bits; never so small that it underflows.
double step_for(double magnitude, int bits) {
  int exponent = 0;
  std::frexp(std::max(magnitude, std::numeric_limits<double>::denorm_min()), &exponent);
  return std::ldexp(1.0, std::max(exponent - bits, -1074));
}

}  // namespace

TargetGrid grid_of(const std::vector<double>& values, i64 total, std::vector<i64>& labels) {
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  TargetGrid grid;
  labels.assign(values.size(), 0);
  grid.centre = *low == *high ? *low : *low / 2 + *high / 2;
  if (*low == *high) return grid;
  grid.step = step_for(*high / 2 - *low / 2, label_bits(total));
  for (std::size_t i = 0; i < values.size(); ++i) labels[i] = static_cast<i64>(std::nearbyint((values[i] - grid.centre) / grid.step));
  return grid;
}

TargetMoments moments_of(const std::vector<double>& values, const std::vector<i64>& weights, i64 total, const TargetGrid& grid) {
  TargetMoments result;
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  result.mean = *low;
  result.constant = *low == *high;
  if (result.constant) return result;
  const double half = *high / 2 - *low / 2;
  const int spare = 126 - static_cast<int>(std::bit_width(static_cast<u64>(total)));
  const double mean_step = step_for(half, std::min(52, spare));
  const double step = step_for(half, std::min(52, spare / 2));  // squares times the weight must fit
  i128 mean_sum = 0;
  i128 sum = 0;
  i128 squares = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double offset = values[i] - grid.centre;
    const i128 q = static_cast<i128>(std::nearbyint(offset / step));
    mean_sum += static_cast<i128>(std::nearbyint(offset / mean_step)) * weights[i];
    sum += q * weights[i];
    squares += q * q * weights[i];
  }
  const double w = static_cast<double>(total);
  result.mean = grid.centre + static_cast<double>(mean_sum) / w * mean_step;
  // (w sum q^2 - (sum q)^2) / w^2 without cancellation: shift by the rounded mean first.
  const i128 shift = sum / total;
  const i128 rest = sum - shift * total;
  const i128 centred = squares - shift * (sum + rest);  // sum of w (q - shift)^2 is squares - 2 shift sum + shift^2 total
  const double remainder = static_cast<double>(rest) / w;
  result.variance = std::max(0.0, (static_cast<double>(centred) / w - remainder * remainder)) * step * step;
  return result;
}

}  // namespace tw
