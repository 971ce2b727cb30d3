// Sums of products with twice the digits, rounded at their end: the order of what is added changes them only where digits beyond those
// cancel.
#pragma once

#include <cmath>

namespace tw {

// Two floats that together hold a sum to about 106 bits (Knuth 1969, Dekker 1971).
class ExactSum {
 public:
  void add(double value) {
    const double sum = high_ + value;
    const double part = sum - high_;
    low_ += (high_ - (sum - part)) + (value - part);
    high_ = sum;
  }
  void add(double a, double b) {
    const double product = a * b;
    add(product);
    low_ += std::fma(a, b, -product);
  }
  double value() const { return high_ + low_; }

 private:
  double high_ = 0;
  double low_ = 0;
};

}  // namespace tw
