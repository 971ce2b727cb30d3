// Cuts of a sorted list of any number of classes by the Gini index, whatever rows and classes weigh: squares are summed up in double
// precision where a bound does not show that no cut of a block can win. For the sorted engine alone.
#pragma once

#include <array>
#include <cmath>

#include "criteria/near_cuts.hpp"

namespace tw {

template <Criterion C, class Factor>
class ClassWeightsList {
 public:
  // `factor(k)`: what a row of a class of the node counts, more than 0.
  ClassWeightsList(const C& c, const Factor& factor) : c_(c), factor_(factor), k_(c.stat.k) {}

  template <class Id, class Same>
  Place best(const Frame<Id>& frame, const ListSlice<Id, i64>& slice, const Same& same) {
    left_ = slice.one;  // exact weights where a block begins
    right_ = slice.two;
    start_side(left_, slice.left, std::size_t{k_} + 1);
    start_side(right_, slice.right, std::size_t{k_} + 1);
    const i64 start = left_[k_];
    double counted = 0;
    for (u32 j = 0; j < k_; ++j) counted += factor_(j) * static_cast<double>(left_[j] + right_[j]);
    // Estimates and scores are off by less than 2^-40 of what all rows count (see `sum_up`), but for what is added to squares.
    const auto limit_of = [&](double score) { return score - 1e-11 * counted; };
    double limit = limit_of(slice.floor);
    Place best;
    best.score = slice.floor;
    const u32 last = slice.present - 1;
    for (u32 at = 0; at < last; at += kScanBlock) {
      cuts_.n = std::min(kScanBlock, last - at);
      read(frame, slice, at);
      measure();
      if (last <= kScanBlock || may_win(limit)) {
        sum_up();
        look_at_near_cuts(
            limit, [&](double least) { return frame.kernels->good_squares(cuts_, least); },
            [&] { return limit_of(frame.kernels->most_squares(cuts_)); },
            [&](u32 t, double& limit_from_now) {
              const u32 i = at + t + 1;
              const double score = score_of(t);
              if (cut_left_[k_] < slice.least || cut_right_[k_] < slice.least || !takes_the_place(score, i, best) || same(i - 1, i))
                return false;
              best = {score, i, kNowhere, true, 2 * (cut_left_[k_] - start) >= slice.present_weight};
              limit_from_now = limit_of(score);
              return true;
            });
      }
      add_cells(left_, content_.data(), std::size_t{k_} + 1);
      subtract_cells(right_, content_.data(), std::size_t{k_} + 1);
    }
    return best;
  }

 private:
  // Classes and weights of the rows of a block, and their sums.
  template <class Id>
  void read(const Frame<Id>& frame, const ListSlice<Id, i64>& slice, u32 at) {
    std::fill_n(content_.begin(), k_ + 1, 0);
    for (u32 t = 0; t < cuts_.n; ++t) {
      const Id entry = slice.entries[at + t];
      labels_[t] = slice.local_class[frame.label[Frame<Id>::id_of(entry)]];
      weights_[t] = frame.weighted() ? frame.entry_weight(entry) : 1;
      content_[labels_[t]] += weights_[t];
      content_[k_] += weights_[t];
    }
  }

  // Counted weights and squares of both sides where the block begins.
  void measure() {
    below_ = above_ = left_squares_ = right_squares_ = 0;
    for (u32 j = 0; j < k_; ++j) {
      l_[j] = factor_(j) * static_cast<double>(left_[j]);
      r_[j] = factor_(j) * static_cast<double>(right_[j]);
      below_ += l_[j];
      above_ += r_[j];
      left_squares_ += l_[j] * l_[j];
      right_squares_ += r_[j] * r_[j];
    }
  }

  // If x counted weight of every class has moved, t in all, then sum (l + x)^2 <= sum l^2 + t max(2 l + content), likewise on the other
  // side, and both quotients are monotone in t.
  bool may_win(double limit) const {
    double most = 0;
    double least = std::numeric_limits<double>::infinity();
    double t = 0;
    for (u32 j = 0; j < k_; ++j) {
      if (content_[j] == 0) continue;
      const double content = factor_(j) * static_cast<double>(content_[j]);
      most = std::max(most, 2 * l_[j] + content);
      least = std::min(least, 2 * r_[j] - content);
      t += content;
    }
    if (above_ * (1 - 0x1p-20) <= t) return true;
    const double left = std::max(below_ > 0 ? left_squares_ / below_ : 0, (left_squares_ + t * most) / (below_ + t));
    const double right = std::max(right_squares_ / above_, (right_squares_ - t * least) / (above_ - t));
    return left + right + 0x1p-44 * right_squares_ / (above_ - t) >= limit;
  }

  // The squares of both sides behind every entry. In a block every sum is rounded some 200 times at most, to 2^-53 of what it was at the
  // beginning or is at the end: hence the squares above are off by less than 2^-44 of those at the beginning, which are added, and the
  // weight above by less than 2^-46 of that at the beginning. While a 2^-20th of it is left the quotient, which is no more than the weight,
  // is off by less than 2^-44 of it.
  void sum_up() {
    double left_squares = left_squares_;
    double right_squares = right_squares_;
    double below = below_;
    double above = above_;
    for (u32 t = 0; t < cuts_.n; ++t) {
      const u8 j = labels_[t];
      const double w = factor_(j) * static_cast<double>(weights_[t]);
      left_squares += w * (2 * l_[j] + w);
      right_squares -= w * (2 * r_[j] - w);
      l_[j] += w;
      r_[j] -= w;
      below += w;
      above -= w;
      squares_left_[t] = left_squares;
      squares_right_[t] = right_squares;
      weight_below_[t] = below;
      weight_above_[t] = above;
    }
    for (u32 t = cuts_.n; t % kCutsAbreast != 0; ++t) squares_left_[t] = squares_right_[t] = weight_below_[t] = weight_above_[t] = 0;
    cuts_.left = squares_left_.data();
    cuts_.right = squares_right_.data();
    cuts_.below = weight_below_.data();
    cuts_.above = weight_above_.data();
    cuts_.more = 0x1p-44 * right_squares_;
    cuts_.least_above = 0x1p-20 * above_;
    summed_ = 0;
  }

  // The criterion's own score of the cut behind an entry.
  double score_of(u32 t) {
    if (summed_ == 0 || summed_ > t) {
      summed_ = 0;
      std::copy_n(left_, k_ + 1, cut_left_.begin());
      std::copy_n(right_, k_ + 1, cut_right_.begin());
    }
    for (; summed_ <= t; ++summed_) {
      c_.stat.add_row(cut_left_.data(), labels_[summed_], weights_[summed_]);
      c_.stat.add_row(cut_right_.data(), labels_[summed_], -weights_[summed_]);
    }
    return score_of_pair(c_, cut_left_.data(), cut_right_.data());
  }

  static constexpr std::size_t kMost = 257;  // classes, and their sum

  const C& c_;
  const Factor& factor_;
  const u32 k_;
  i64* left_ = nullptr;
  i64* right_ = nullptr;
  double below_ = 0;
  double above_ = 0;
  double left_squares_ = 0;
  double right_squares_ = 0;
  u32 summed_ = 0;  // entries of the block on the left of the cut in hand
  SquaresCuts cuts_;
  std::array<u8, kScanBlock> labels_;
  std::array<i64, kScanBlock> weights_;
  std::array<double, kScanBlock> squares_left_;
  std::array<double, kScanBlock> squares_right_;
  std::array<double, kScanBlock> weight_below_;
  std::array<double, kScanBlock> weight_above_;
  std::array<i64, kMost> content_;
  std::array<i64, kMost> cut_left_;
  std::array<i64, kMost> cut_right_;
  std::array<double, kMost> l_;
  std::array<double, kMost> r_;
};

}  // namespace tw
