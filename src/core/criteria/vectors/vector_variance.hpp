// Targets of several numbers per row: the sum of their variances. The target's values stand row by row, all numbers of a row together;
// every number is written in whole steps of one grid, around the middle of its own range, so that sums are exact in any order.
#pragma once

#include <array>
#include <limits>

#include "search/set_criteria.hpp"

namespace tw {

class VectorVariance {
 public:
  static constexpr bool kSum = true;
  static constexpr double kMean = 0;
  static constexpr std::size_t kMostAbreast = 16;  // numbers of a row whose sums are kept in an array

  VectorVariance(const NodeRows& node, const NodeTargets& targets)
      : node_(node), targets_(targets), width_(node.rows.empty() ? 1 : targets.steps_of.size() / node.rows.size()) {}

  static void read(const Table& table, const NodeRows& node, NodeTargets& targets) {
    const std::size_t n = node.rows.size();
    const std::size_t width = table.target.value.size() / table.n_rows;
    const auto cell = [&](std::size_t i, std::size_t j) { return table.target.value[node.rows[i] * width + j]; };
    targets.weight = 0;
    for (const i64 w : node.weights) targets.weight += w;
    std::vector<double> middle(width);
    double half = 0;
    for (std::size_t j = 0; j < width; ++j) {
      double low = cell(0, j);
      double high = low;
      for (std::size_t i = 1; i < n; ++i) {
        low = std::min(low, cell(i, j));
        high = std::max(high, cell(i, j));
      }
      middle[j] = low / 2 + high / 2;
      half = std::max(half, high / 2 - low / 2);
    }
    // Squares of steps times all weight and numbers of a row must fit 126 bits.
    const auto bits_of = [](u64 number) { return static_cast<int>(std::bit_width(number)); };
    const int bits = (124 - bits_of(static_cast<u64>(targets.weight)) - bits_of(width)) / 2;
    int exponent = 0;
    std::frexp(half, &exponent);
    const double step = half > 0 ? std::ldexp(1.0, std::max(exponent - std::min(bits, 50), -1070)) : 1;
    targets.steps_of.resize(n * width);
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < width; ++j) targets.steps_of[i * width + j] = std::llrint((cell(i, j) - middle[j]) / step);
    // Errors are in squares of steps.
    targets.grid = {0, std::min(step * step, std::numeric_limits<double>::max())};
    targets.pure = half == 0;
    targets.largest_share = 0;
    targets.facts.weight = table.weights.plain(targets.weight);
    targets.facts.label = -1;
    // Behind the node's own: what the squares of each row add up to.
    targets.moment_total.assign(kOwn + n, 0);
    targets.moment_total[0] = targets.weight;
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < width; ++j) {
        const i128 steps = targets.steps_of[i * width + j];
        targets.moment_total[kOwn + i] += steps * steps * node.weights[i];
      }
    targets.by_target.resize(n);
    targets.place.resize(n);
    for (std::size_t i = 0; i < n; ++i) targets.by_target[i] = targets.place[i] = static_cast<u32>(i);
  }

  void beginnings(const std::vector<u64>& keys, const std::vector<u32>& extra, Errors& errors) const {
    errors.assign(keys.size() + 1, 0);
    Sums sums = of(extra);
    errors[0] = sums.error();
    for (std::size_t i = 0; i < keys.size(); ++i) {
      add(sums, static_cast<u32>(keys[i]));
      errors[i + 1] = sums.error();
    }
  }
  void ends(const std::vector<u64>& keys, const std::vector<u32>& extra, Errors& errors) const {
    errors.assign(keys.size() + 1, 0);
    Sums sums = of(extra);
    errors[keys.size()] = sums.error();
    for (std::size_t i = keys.size(); i-- > 0;) {
      add(sums, static_cast<u32>(keys[i]));
      errors[i] = sums.error();
    }
  }
  // The first of the best cuts of rows of which none is missing, each side weighing `least`; how many there are, and the error of the best.
  struct Lowest {
    double error = 0;
    std::size_t position = 0;
    u64 tried = 0;
  };
  bool quick() const { return width_ <= kMostAbreast; }
  Lowest lowest(const std::vector<u64>& keys, i64 least) const {
    // Steps have 50 bits.
    return targets_.weight < (i64{1} << 12) ? lowest_of<i64>(keys, least) : lowest_of<i128>(keys, least);
  }

  double alone(const std::vector<u32>& some) const { return of(some).error(); }
  double all() const {
    Sums sums = of({});
    for (std::size_t i = 0; i < node_.rows.size(); ++i) add(sums, static_cast<u32>(i));
    return sums.error();
  }
  double join(double l, i64, double r, i64) const { return l + r; }
  double fall(double before, double after) const {
    const double by = before - after;
    return by > 1e-12 * before ? by : 0;
  }

  // Levels stand in the order of the sum of their numbers: of one number per row that finds the best division of all.
  double centre(std::span<const u64> keys, const NodeRows& node) const {
    i64 weight = 0;
    double sum = 0;
    for (const u64 key : keys) {
      const auto i = static_cast<u32>(key);
      weight += node.weights[i];
      for (std::size_t j = 0; j < width_; ++j)
        sum += static_cast<double>(node.weights[i]) * static_cast<double>(targets_.steps_of[i * width_ + j]);
    }
    return sum / static_cast<double>(weight);
  }
  // One number for those who read only one: the mean of all.
  double value(const Table& table, const NodeRows& node) const {
    double mean = 0;
    double weight = 0;
    for (std::size_t i = 0; i < node.rows.size(); ++i) {
      double here = 0;
      for (std::size_t j = 0; j < width_; ++j) here += table.target.value[node.rows[i] * width_ + j] / static_cast<double>(width_);
      weight += static_cast<double>(node.weights[i]);
      mean += (here - mean) * (static_cast<double>(node.weights[i]) / weight);
    }
    return mean;
  }

  std::size_t width() const { return width_; }
  // Of an instance: its steps, and what their squares add up to.
  const i64* steps(std::size_t instance) const { return targets_.steps_of.data() + instance * width_; }
  i128 squares(std::size_t instance) const { return targets_.moment_total[kOwn + instance]; }

  // What `Sums::error` gives of these sums.
  template <class Whole>
  double error_of(i64 weight, i128 squares, const Whole* sum) const {
    double mean = 0;
    for (std::size_t j = 0; j < width_; ++j) mean += as_double(sum[j]) * (as_double(sum[j]) / static_cast<double>(weight));
    return std::max(0.0, to_double(squares) - mean);
  }

 private:
  static constexpr std::size_t kOwn = 2;

  template <class Whole>
  static double as_double(Whole x) {
    if constexpr (std::is_same_v<Whole, i64>)
      return static_cast<double>(x);
    else
      return to_double(x);
  }

  // Errors are estimated with one division a side, from the exact sums, and computed as the definition has them near the lowest: an
  // estimate is off by some roundings of the squares of all rows.
  template <class Whole>
  Lowest lowest_of(const std::vector<u64>& keys, i64 least) const {
    std::array<Whole, kMostAbreast> left{};
    std::array<Whole, kMostAbreast> all{};
    i128 all_squares = 0;
    const i64* steps = targets_.steps_of.data();
    const i128* squares_of = targets_.moment_total.data() + kOwn;
    for (std::size_t i = 0; i < keys.size(); ++i) {
      all_squares += squares_of[i];
      for (std::size_t j = 0; j < width_; ++j) all[j] += static_cast<Whole>(steps[i * width_ + j]) * node_.weights[i];
    }
    const double squares = to_double(all_squares);
    const double slack = 1e-12 * squares;
    Lowest best;
    double limit = std::numeric_limits<double>::infinity();
    i64 below = 0;
    i128 left_squares = 0;
    for (std::size_t i = 1; i < keys.size(); ++i) {
      const auto instance = static_cast<u32>(keys[i - 1]);
      const i64 w = node_.weights[instance];
      below += w;
      left_squares += squares_of[instance];
      double l = 0;
      double r = 0;
      for (std::size_t j = 0; j < width_; ++j) {
        left[j] += static_cast<Whole>(steps[instance * width_ + j]) * w;
        const double a = as_double(left[j]);
        const double b = as_double(static_cast<Whole>(all[j] - left[j]));
        l += a * a;
        r += b * b;
      }
      if (keys[i] >> 32 == keys[i - 1] >> 32 || below < least) continue;
      const i64 above = targets_.weight - below;
      if (above < least) break;
      ++best.tried;
      if (squares - l / static_cast<double>(below) - r / static_cast<double>(above) > limit) continue;
      std::array<Whole, kMostAbreast> right;
      for (std::size_t j = 0; j < width_; ++j) right[j] = all[j] - left[j];
      const double error =
          join(error_of(below, left_squares, left.data()), below, error_of(above, all_squares - left_squares, right.data()), above);
      if (best.position > 0 && !(error < best.error)) continue;
      best.error = error;
      best.position = i;
      limit = error + slack;
    }
    return best;
  }

  struct Sums {
    i64 weight = 0;
    i128 squares = 0;
    std::vector<i128> sum;

    double error() const {
      if (weight == 0) return 0;
      double mean = 0;
      for (const i128 s : sum) mean += to_double(s) * (to_double(s) / static_cast<double>(weight));
      return std::max(0.0, to_double(squares) - mean);
    }
  };

  void add(Sums& sums, u32 instance) const {
    const i64 w = node_.weights[instance];
    sums.weight += w;
    for (std::size_t j = 0; j < width_; ++j) {
      const i64 step = targets_.steps_of[instance * width_ + j];
      sums.sum[j] += static_cast<i128>(step) * w;
      sums.squares += static_cast<i128>(step) * step * w;
    }
  }
  Sums of(const std::vector<u32>& some) const {
    Sums sums;
    sums.sum.assign(width_, 0);
    for (const u32 instance : some) add(sums, instance);
    return sums;
  }

  const NodeRows& node_;
  const NodeTargets& targets_;
  std::size_t width_;
};

}  // namespace tw
