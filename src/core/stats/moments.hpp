// The grid of a node's target, and the sums that describe it: of whole numbers, so that they add up over rows wherever those lie.
#pragma once

#include <bit>
#include <cmath>

#include "stats/stat.hpp"

namespace tw {

// Whole steps of a power of two.
class Steps {
 public:
  // Brings numbers below 2^magnitude to the given number of bits; never so small that it underflows.
  Steps(int magnitude, int bits);

  double size() const { return size_; }
  i64 count(double offset) const { return std::llrint(inverse_ != 0 ? offset * inverse_ : offset / size_); }

 private:
  double size_;
  double inverse_;
};

// The least and the largest target of a node, and its weight.
struct TargetRange {
  double low = 0;
  double high = 0;
  i64 total = 0;

  bool constant() const { return low == high; }
};

struct TargetSums {
  i128 sum = 0;  // of fine steps, and of their squares
  i128 squares = 0;
  i128 finest = 0;  // of the finest steps, where these are others

  void add(const TargetSums& more) {
    sum += more.sum;
    squares += more.squares;
    finest += more.finest;
  }
};

// What targets of a range are counted in. Means and variances are wanted finer than the steps that searches add up, where many rows do.
class TargetScale {
 public:
  explicit TargetScale(const TargetRange& range);  // that is not constant

  double centre;
  Steps coarse, fine, finest;

  i64 step_of(double value) const { return coarse.count(value - centre); }
  void add(double value, i64 weight, TargetSums& sums) const {
    const double offset = value - centre;
    const i64 q = fine.count(offset);
    const i128 weighted = static_cast<i128>(q) * weight;
    sums.sum += weighted;
    sums.squares += weighted * q;
    if (finest.size() != fine.size()) sums.finest += static_cast<i128>(finest.count(offset)) * weight;
  }

 private:
  TargetScale(const TargetRange& range, int magnitude, int weight_bits);
};

TargetFacts facts_of_constant(double value);
TargetFacts facts_of(const TargetScale& scale, const TargetSums& sums, i64 total);

}  // namespace tw
