// How weights become whole quanta, where rows may lie in several places: what is known of all of them is put together in two rounds.
#pragma once

#include <algorithm>
#include <cmath>

#include "table/table.hpp"

namespace tw {

// The first round.
struct WeightFacts {
  u64 n = 0;
  double first = 0;
  double largest = 0;
  bool even = true;   // all are equal
  bool whole = true;  // whole numbers

  void add(double weight) {
    if (n++ == 0) first = weight;
    largest = std::max(largest, weight);
    even = even && weight == first;
    whole = whole && weight == std::floor(weight);
  }
  void add(const WeightFacts& more);

  // Equal parts of a row weigh nothing against each other: the same tree as without weights, to the last bit. (Equal whole weights are
  // rows that stand there several times, to the last bit too.)
  bool unit() const { return even && !whole; }
};

// Multiplies by 2^exponent, for many numbers: a product with a power of two is rounded as `ldexp` rounds.
class PowerOfTwo {
 public:
  explicit PowerOfTwo(int exponent) : exponent_(exponent), factor_(exponent > -1023 && exponent < 1024 ? std::ldexp(1.0, exponent) : 0) {}
  double operator()(double x) const { return factor_ > 0 ? x * factor_ : std::ldexp(x, exponent_); }

 private:
  int exponent_;
  double factor_;
};

// The second round: shares of about 2^30 for the largest weight, each rounded up to a whole number, so that their sum knows no order.
class RoughWeights {
 public:
  explicit RoughWeights(const WeightFacts& facts);

  u64 share(double weight) const { return static_cast<u64>(static_cast<i64>(rough_(weight))) + 1; }  // at most 2^30
  // The quantum of weights whose shares have this sum: 2^-shift.
  int shift(u64 sum, bool fractions) const;

 private:
  int exponent_ = 0;
  bool whole_;
  PowerOfTwo rough_;
};

// Whole quanta of a weight: at least one. `off`: by which part of itself the worst is off.
class Quantum {
 public:
  explicit Quantum(int shift) : scale_(shift) {}

  i64 count(double weight, double& off) const {
    const double exact = scale_(weight);  // 0 where the weight is lost altogether
    const i64 q = std::max<i64>(static_cast<i64>(exact + 0.5), 1);
    off = std::max(off, std::abs(static_cast<double>(q) - exact) / std::max(exact, 1e-300));
    return q;
  }

 private:
  PowerOfTwo scale_;
};

}  // namespace tw
