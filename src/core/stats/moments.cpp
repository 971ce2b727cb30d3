// Fixed-point targets. Each node has its own grid, centred on its mid-range, so that a target like 1e15 + {0, 1} splits,
// and so that far below an outlier the remaining differences come back into view.
#include <algorithm>
#include <cmath>

#include "stats/stat.hpp"

namespace tw {

namespace {

constexpr int kLabelBits = 30;
constexpr int kFineBits = 10;  // further bits kept for the variance: its squares times 2^46 of weight fit 128 bits
constexpr int kMeanBits = 22;  // further bits kept for the mean

}  // namespace

TargetGrid grid_of(const std::vector<double>& values, std::vector<i32>& labels) {
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  TargetGrid grid;
  labels.assign(values.size(), 0);
  if (*low == *high) {
    grid.centre = *low;
    return grid;
  }
  grid.centre = *low / 2 + *high / 2;
  const double half = std::max(*high / 2 - *low / 2, std::numeric_limits<double>::denorm_min());
  int exponent = 0;
  std::frexp(half, &exponent);
  // A power of two: dividing by it is exact. Capped so that the finer steps below do not underflow.
  grid.step = std::ldexp(1.0, std::max(exponent - kLabelBits, -1040));
  for (std::size_t i = 0; i < values.size(); ++i) labels[i] = static_cast<i32>(std::nearbyint((values[i] - grid.centre) / grid.step));
  return grid;
}

TargetMoments moments_of(const std::vector<double>& values, const std::vector<i64>& weights, const TargetGrid& grid) {
  const double fine = std::ldexp(grid.step, -kFineBits);
  const double finest = std::ldexp(grid.step, -kMeanBits);
  i128 total = 0;
  i128 mean_sum = 0;
  i128 sum = 0;
  i128 squares = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double offset = values[i] - grid.centre;
    const i128 q = static_cast<i128>(std::nearbyint(offset / fine));
    total += weights[i];
    mean_sum += static_cast<i128>(std::nearbyint(offset / finest)) * weights[i];
    sum += q * weights[i];
    squares += q * q * weights[i];
  }
  TargetMoments result;
  const double w = static_cast<double>(total);
  result.mean = grid.centre + static_cast<double>(mean_sum) / w * finest;
  // (w sum q^2 - (sum q)^2) / w^2 without cancellation: shift by the rounded mean first.
  const i128 shift = sum / total;
  const i128 rest = sum - shift * total;
  const i128 centred = squares - shift * (sum + rest);  // sum of w (q - shift)^2 is squares - 2 shift sum + shift^2 total
  const double remainder = static_cast<double>(rest) / w;
  result.variance = std::max(0.0, (static_cast<double>(centred) / w - remainder * remainder)) * fine * fine;
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  result.constant = *low == *high;
  if (result.constant) {
    result.mean = *low;
    result.variance = 0;
  }
  return result;
}

}  // namespace tw
