// Rows in the order in which they pass 0, and the best place among them.
#include "oblique/sweep.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

namespace tw {

namespace {

// A number as 32 bits in the same order, rounded: places nearer to each other than that are not told apart.
u64 key_of(double x, std::size_t row) {
  const u32 bits = std::bit_cast<u32>(static_cast<float>(x) + 0.0F);
  return u64{bits & 0x80000000U ? ~bits : bits | 0x80000000U} << 32 | row;
}

// Digit by digit, the lowest first.
template <std::size_t bits>
void sort_by_digits(std::vector<u64>& keys, std::vector<u64>& spare) {
  constexpr std::size_t kPasses = (32 + bits - 1) / bits;
  constexpr std::size_t kCells = std::size_t{1} << bits;
  spare.resize(keys.size());
  std::array<std::array<u32, kCells>, kPasses> counts{};
  for (const u64 key : keys)
    for (std::size_t pass = 0; pass < kPasses; ++pass) ++counts[pass][key >> (32 + pass * bits) & (kCells - 1)];
  for (std::size_t pass = 0; pass < kPasses; ++pass) {
    auto& count = counts[pass];
    u32 sum = 0;
    for (u32& cell : count) sum += std::exchange(cell, sum);
    for (const u64 key : keys) spare[count[key >> (32 + pass * bits) & (kCells - 1)]++] = key;
    keys.swap(spare);
  }
}

// Few keys are not worth the counters of long digits.
void sort(std::vector<u64>& keys, std::vector<u64>& spare) {
  if (keys.size() < 128) return std::sort(keys.begin(), keys.end());
  return keys.size() < 4096 ? sort_by_digits<8>(keys, spare) : sort_by_digits<11>(keys, spare);
}

double x_log(double x) { return x > 0 ? x * log2_of(x) : 0; }

}  // namespace

Measure measure_of(const std::string& criterion, const NodeMatrix& rows) {
  if (rows.n_classes == 0) return Measure::variance;
  if (criterion == "info_gain" || criterion == "gain_ratio") return Measure::entropy;
  if (criterion == "error") return Measure::error;
  // Of two classes twoing and Gini order all divisions alike.
  return criterion == "twoing" && rows.n_classes > 2 ? Measure::twoing : Measure::gini;
}

Sweep::Sweep(const NodeMatrix& rows, Measure measure)
    : rows_(rows),
      measure_(measure),
      k_(rows.n_classes > 0 ? rows.n_classes : 1),
      ones_(rows.n, 1.0),
      above_(k_),
      all_(k_, 0),
      way_(rows.n) {
  for (std::size_t i = 0; i < rows.n; ++i)
    all_[rows.n_classes > 0 ? rows.labels[i] : 0] += rows.weights[i] * (rows.n_classes > 0 ? 1 : rows.targets[i]);
  if (measure == Measure::variance || (measure == Measure::gini && rows.n_classes == 2)) {
    line_.resize(rows.n);
    for (std::size_t i = 0; i < rows.n; ++i)
      line_[i] = rows.weights[i] * (rows.n_classes > 0 ? static_cast<double>(rows.labels[i]) : rows.targets[i]);
  }
}

void Sweep::clear() {
  std::fill(above_.begin(), above_.end(), 0.0);
  above_weight_ = 0;
}

void Sweep::add(std::size_t row, double sign) {
  const double w = sign * rows_.weights[row];
  above_weight_ += w;
  if (rows_.n_classes > 0)
    above_[rows_.labels[row]] += w;
  else
    above_[0] += w * rows_.targets[row];
}

// Larger is better, and 0 where all rows are on one side, less what all rows are worth together.
double Sweep::worth() const {
  const double a = above_weight_;
  const double b = rows_.total - a;
  if (!(a > 0) || !(b > 0)) return 0;
  double sum = 0;
  switch (measure_) {
    case Measure::gini:
    case Measure::variance: {
      double left = 0;
      double right = 0;
      double whole = 0;
      for (std::size_t k = 0; k < k_; ++k) {
        const double rest = all_[k] - above_[k];
        left += above_[k] * above_[k];
        right += rest * rest;
        whole += all_[k] * all_[k];
      }
      return left / a + right / b - whole / rows_.total;
    }
    case Measure::twoing:
      for (std::size_t k = 0; k < k_; ++k) sum += std::abs(above_[k] / a - (all_[k] - above_[k]) / b);
      return a * b / rows_.total * sum * sum / 4;
    case Measure::entropy:
      for (std::size_t k = 0; k < k_; ++k) sum += x_log(above_[k]) + x_log(all_[k] - above_[k]) - x_log(all_[k]);
      return sum - x_log(a) - x_log(b) + x_log(rows_.total);
    case Measure::error: {
      double left = 0;
      double right = 0;
      double whole = 0;
      for (std::size_t k = 0; k < k_; ++k) {
        left = std::max(left, above_[k]);
        right = std::max(right, all_[k] - above_[k]);
        whole = std::max(whole, all_[k]);
      }
      return left + right - whole;
    }
  }
  return 0;
}

double Sweep::score(std::span<const double> values) {
  clear();
  for (std::size_t i = 0; i < rows_.n; ++i)
    if (values[i] > 0) add(i, 1);
  return worth();
}

std::optional<Step> Sweep::best(std::span<const double> values, std::span<const double> direction) {
  clear();
  const std::size_t n = rows_.n;
  passes_.resize(n);
  keys_.resize(n);
  std::size_t moving = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const double by = direction[i];
    const bool moves = std::abs(by) > 1e-12;
    passes_[i] = moves ? -values[i] / by : 0;
    way_[i] = by > 0 ? 1 : -1;
    keys_[moving] = key_of(passes_[i], i);
    moving += moves;
    if (moves ? by < 0 : values[i] > 0) add(i, 1);
  }
  keys_.resize(moving);
  if (moving < 2) return std::nullopt;
  sort(keys_, spare_);
  const Place found = line_.empty() ? place_by_classes() : place_by_sums();
  if (found.at == 0) return std::nullopt;
  const double low = passes_[static_cast<u32>(keys_[found.at - 1])];
  const double high = passes_[static_cast<u32>(keys_[found.at])];
  const double by = low + (high - low) / 2;
  if (!std::isfinite(by)) return std::nullopt;
  return Step{by, found.score};
}

Sweep::Place Sweep::place_by_classes() {
  Place found;
  for (std::size_t i = 0; i + 1 < keys_.size(); ++i) {
    const auto row = static_cast<std::size_t>(static_cast<u32>(keys_[i]));
    add(row, way_[row]);
    if (keys_[i] >> 32 == keys_[i + 1] >> 32) continue;
    const double here = worth();
    if (found.at == 0 || here > found.score) found = {i + 1, here};
  }
  return found;
}

// One number per row tells all: the target, or whether it is of the second of two classes. Two branches are worth S_a^2 / a + S_b^2 / b
// less what they are worth together.
Sweep::Place Sweep::place_by_sums() {
  const double whole = rows_.total;
  double sum = 0;
  for (const double s : line_) sum += s;
  double a = above_weight_;
  double s = above_[rows_.n_classes > 0 ? 1 : 0];
  const double together = sum * sum / whole;
  const double times = rows_.n_classes > 0 ? 2 : 1;
  Place found;
  for (std::size_t i = 0; i + 1 < keys_.size(); ++i) {
    const auto row = static_cast<std::size_t>(static_cast<u32>(keys_[i]));
    a += way_[row] * rows_.weights[row];
    s += way_[row] * line_[row];
    if (keys_[i] >> 32 == keys_[i + 1] >> 32) continue;
    const double b = whole - a;
    const double rest = sum - s;
    const double here = a > 0 && b > 0 ? times * ((s * s * b + rest * rest * a) / (a * b) - together) : 0;
    if (found.at == 0 || here > found.score) found = {i + 1, here};
  }
  return found;
}

}  // namespace tw
