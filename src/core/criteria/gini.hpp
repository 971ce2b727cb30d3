// The Gini criterion, shared by gini.cpp and by criteria that report it as their impurity.
#pragma once

#include "search/criterion.hpp"

namespace tw {

struct Gini : ClassCriterion {
  using ClassCriterion::ClassCriterion;
  static constexpr bool kSquaresOverWeight = true;  // many divisions can be scored at once

  double worth(const i64* cells) const {
    const i64 weight = cells[stat.k];
    if (weight < (i64{1} << 31)) {  // the sum fits 63 bits, and converting those is one instruction
      i64 squares = 0;
      for (u32 k = 0; k < stat.k; ++k) squares += cells[k] * cells[k];
      return static_cast<double>(squares) / static_cast<double>(weight);
    }
    return heavy_worth(cells);
  }
  [[gnu::noinline]] double heavy_worth(const i64* cells) const {
    u128 squares = 0;
    for (u32 k = 0; k < stat.k; ++k) squares += static_cast<u128>(cells[k]) * static_cast<u128>(cells[k]);
    return static_cast<double>(squares) / static_cast<double>(cells[stat.k]);
  }
  double impurity(const i64* cells) const { return std::max(0.0, 1 - worth(cells) / static_cast<double>(cells[stat.k])); }
  std::optional<double> merit(const Outcome& o) const { return o.gain; }
  // All branches are pure: the squares over the weights add up to the weight, exactly.
  bool perfect(double score, i64 weight) const { return score == static_cast<double>(weight); }
};

// The sums of squares are updated in constant time; whole numbers, so they are the same as if counted afresh.
template <>
class Sweep<Gini> {
 public:
  Sweep(const Gini& c, i64* left, i64* right) : k_(c.stat.k), left_(left), right_(right) {}

  void start(const i64* left, const i64* right) {
    start_side(left_, left, std::size_t{k_} + 1);
    start_side(right_, right, std::size_t{k_} + 1);
    left_squares_ = right_squares_ = 0;
    for (u32 k = 0; k < k_; ++k) {
      left_squares_ += static_cast<u128>(left_[k]) * static_cast<u128>(left_[k]);
      right_squares_ += static_cast<u128>(right_[k]) * static_cast<u128>(right_[k]);
    }
    left_weight_ = left_[k_];
    right_weight_ = right_[k_];
    narrow_ = left_weight_ + right_weight_ < (i64{1} << 31);
  }
  void move(i32 label, i64 w) {
    i64& l = left_[label];
    i64& r = right_[label];
    if (narrow_) {
      left_squares_ += static_cast<u64>(w * (2 * l + w));
      right_squares_ -= static_cast<u64>(w * (2 * r - w));
    } else {
      left_squares_ += static_cast<u128>(w) * static_cast<u128>(2 * l + w);
      right_squares_ -= static_cast<u128>(w) * static_cast<u128>(2 * r - w);
    }
    l += w;
    r -= w;
    left_weight_ += w;
    right_weight_ -= w;
  }
  void move_group(const i64* cells) {
    for (u32 k = 0; k < k_; ++k)
      if (cells[k] > 0) move(static_cast<i32>(k), cells[k]);
  }
  i64 left_weight() const { return left_weight_; }
  i64 right_weight() const { return right_weight_; }
  double score() const {
    // Below 2^31 of weight the sums fit 63 bits, and converting those is one instruction.
    if (narrow_)
      return static_cast<double>(static_cast<i64>(left_squares_)) / static_cast<double>(left_weight_) +
             static_cast<double>(static_cast<i64>(right_squares_)) / static_cast<double>(right_weight_);
    return static_cast<double>(left_squares_) / static_cast<double>(left_weight_) +
           static_cast<double>(right_squares_) / static_cast<double>(right_weight_);
  }

 private:
  u32 k_;
  i64* left_;
  i64* right_;
  u128 left_squares_ = 0;
  u128 right_squares_ = 0;
  i64 left_weight_ = 0;
  i64 right_weight_ = 0;
  bool narrow_ = true;
};

}  // namespace tw
