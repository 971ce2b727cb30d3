// Class entropy in bits, shared by the criteria that differ only in how columns are compared. Worth is minus weight times entropy.
#pragma once

#include "search/criterion.hpp"
#ifdef TREEWRIGHT_SORTED_UNITS
#include "criteria/entropy_scan.hpp"
#endif

namespace tw {

struct Entropy : ClassCriterion {
  using ClassCriterion::ClassCriterion;

  double worth(const i64* cells) const {
    double sum = -x_log2_x(cells[stat.k]);
    for (u32 k = 0; k < stat.k; ++k) sum += x_log2_x(cells[k]);
    return sum;
  }
  double rounding(i64 weight) const { return 1e-15 * x_log2_x(weight); }
  double impurity(const i64* cells) const { return std::max(0.0, -worth(cells) / static_cast<double>(cells[stat.k])); }
};

// Scores are estimated as rows move, so that most positions need no exact logarithm: from a table of whole weights, which is walked
// through in steps of a row, or where weights are too large for that from estimated logarithms.
template <class C>
class EntropySweep {
 public:
  EntropySweep(const C& c, i64* left, i64* right) : exact_(c, left, right), left_(left), right_(right), k_(c.stat.k) {}

  void start(const i64* left, const i64* right) {
    exact_.start(left, right);
    below_ = left_[k_];
    above_ = right_[k_];
    const i64 all = below_ + above_;
    table_ = x_log2_x_upto(all);
    sum_ = 0;
    for (u32 k = 0; k < k_; ++k) sum_ += term(left_[k]) + term(right_[k]);
    slack_ = (table_ == nullptr ? 1e-7 : 1e-9) * static_cast<double>(all);
  }
  void move(i32 label, i64 w) {
    i64& l = left_[label];
    i64& r = right_[label];
    sum_ += (term(l + w) - term(l)) + (term(r - w) - term(r));
    l += w;
    r -= w;
    below_ += w;
    above_ -= w;
  }
  void move_group(const i64* cells) {
    for (u32 k = 0; k < k_; ++k)
      if (cells[k] > 0) move(static_cast<i32>(k), cells[k]);
  }
  i64 left_weight() const { return below_; }
  i64 right_weight() const { return above_; }
  double score() {
    left_[k_] = below_;
    right_[k_] = above_;
    return exact_.score();
  }
  Bounds bounds() const {
    const double estimate = sum_ - term(below_) - term(above_);
    return {estimate - slack_, estimate + slack_};
  }
  // An exact score looks at every class. Where those are many, the highest estimate is found first, and no place is scored that is lower by
  // more than the two estimates can be off.
  bool looks_ahead() const { return k_ >= kManyClasses; }

 private:
  double term(i64 weight) const { return table_ != nullptr ? table_[weight] : log_.x_log2_x(weight); }

  const EstimatedLog& log_ = estimated_log();
  const double* table_ = nullptr;
  Sweep<C> exact_;
  i64* left_;
  i64* right_;
  u32 k_;
  i64 below_ = 0;
  i64 above_ = 0;
  double sum_ = 0;
  double slack_ = 0;
};

template <Criterion C>
  requires std::derived_from<C, Entropy>
struct PlainSweep<C> {
  using type = EntropySweep<C>;
};

template <Criterion C>
  requires std::derived_from<C, Entropy>
inline constexpr bool kSumOfLogs<C> = true;

}  // namespace tw
