// The Gini criterion, shared by gini.cpp and by criteria that report it as their impurity.
#pragma once

#include <array>
#include <cmath>

#include "grow/sorted_scan.hpp"
#include "search/criterion.hpp"

namespace tw {

struct Gini : ClassCriterion {
  using ClassCriterion::ClassCriterion;

  double worth(const i64* cells) const {
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

// Cuts of a sorted list of unit weights. Two classes: blocks of entries are estimated by a kernel. More: sums of squares are updated per
// row and estimated with a table of reciprocals.
template <>
struct ListScan<Gini> {
  template <class Id, class Same>
  static Place best(const Gini& c, const Frame<Id>& frame, const ListSlice<Id, i64>& slice, const Same& same) {
    if (!frame.weight.empty()) return AnyScan<Gini>::best(c, frame, slice, same);
    const bool labelled = frame.two_classes && c.stat.k == 2;  // entries carry their class
    return labelled ? two_classes(*frame.kernels, slice, same) : many_classes(c, frame, slice, same);
  }

 private:
  template <class Id, class Same>
  static Place two_classes(const Kernels& k, const ListSlice<Id, i64>& slice, const Same& same) {
    TwoClassScan scan;
    scan.below = slice.left == nullptr ? 0 : static_cast<i32>(slice.left[2]);
    scan.ones = slice.left == nullptr ? 0 : static_cast<i32>(slice.left[1]);
    scan.all = scan.below + static_cast<i32>(slice.right[2]);
    scan.all_ones = scan.ones + static_cast<i32>(slice.right[1]);
    const u32 highest = slice.highest(scan.all, scan.below);
    for (u32 i = 0, lowest = slice.lowest(scan.below); i + 1 < lowest; ++i) {
      scan.ones += static_cast<i32>(slice.entries[i] & 1);
      ++scan.below;
      ++scan.position;
    }
    // score = all - 2 cost; single precision is off by less than the slack added here.
    const auto limit_of = [&](double cost) { return static_cast<float>(cost * (1 + 4e-6) + 1e-5); };
    const double all = scan.all;
    float limit = slice.floor > 0 ? limit_of((all - slice.floor) / 2) : std::numeric_limits<float>::infinity();
    const float* inverse = scan.all <= static_cast<i32>(kSmallFrame) ? inverse_table() : nullptr;
    Place best;
    best.score = slice.floor;
    TwoClassHit hit;
    while (scan_list(k, slice.entries, highest, inverse, limit, scan, hit)) {
      for (u32 mask = hit.mask; mask != 0; mask &= mask - 1) {
        const auto lane = static_cast<u32>(std::countr_zero(mask));
        const u32 position = hit.at.position + lane + 1;
        const i64 l = hit.at.below + static_cast<i64>(lane) + 1;
        const i64 l1 = hit.at.ones + std::popcount(hit.labels & ((2U << lane) - 1));
        const i64 l0 = l - l1;
        const i64 r = scan.all - l;
        const i64 r1 = scan.all_ones - l1;
        const i64 r0 = r - r1;
        const double score = static_cast<double>(l0 * l0 + l1 * l1) / static_cast<double>(l) +
                             static_cast<double>(r0 * r0 + r1 * r1) / static_cast<double>(r);
        if (!(score > best.score) || same(position)) continue;
        best = {score, position, kNowhere, true, 2 * position >= slice.known};
        limit = limit_of(static_cast<double>(l0 * l1) / static_cast<double>(l) + static_cast<double>(r0 * r1) / static_cast<double>(r));
      }
    }
    return best;
  }

  template <class Id, class Same>
  static Place many_classes(const Gini& c, const Frame<Id>& frame, const ListSlice<Id, i64>& slice, const Same& same) {
    const std::size_t width = c.stat.width();
    i64* left = slice.one;
    i64* right = slice.two;
    start_side(left, slice.left, width);
    start_side(right, slice.right, width);
    i64 left_squares = 0;
    i64 right_squares = 0;
    for (u32 k = 0; k < c.stat.k; ++k) {
      left_squares += left[k] * left[k];
      right_squares += right[k] * right[k];
    }
    const i64 below = left[c.stat.k];
    const i64 all = below + right[c.stat.k];
    const u32 lowest = slice.lowest(below);
    const u32 highest = slice.highest(all, below);
    const double* inverse = all <= static_cast<i64>(kSmallFrame) ? inverse_table_exact() : nullptr;
    Place best;
    best.score = slice.floor;
    double limit = slice.floor * (1 - 1e-14);
    const auto judge = [&](u32 i, double ls, double rs) {
      const double l = static_cast<double>(below + i);
      const double score = ls / l + rs / (static_cast<double>(all) - l);
      if (i < lowest || !(score > best.score) || same(i)) return;
      best = {score, i, kNowhere, true, 2 * i >= slice.known};
      limit = score * (1 - 1e-14);
    };
    std::array<double, kScanBlock + 4> ls;
    std::array<double, kScanBlock + 4> rs;
    const auto& estimate = frame.kernels->best_of_squares;
    for (u32 start_at = 0; start_at < highest; start_at += kScanBlock) {
      const u32 n = std::min(kScanBlock, highest - start_at);
      for (u32 t = 0; t < n; ++t) {
        const u32 label = slice.local_class[frame.label[Frame<Id>::id_of(slice.entries[start_at + t])]];
        left_squares += 2 * left[label]++ + 1;
        right_squares -= 2 * right[label]-- - 1;
        ls[t] = static_cast<double>(left_squares);
        rs[t] = static_cast<double>(right_squares);
      }
      for (u32 t = n; t < n + 4; ++t) ls[t] = rs[t] = 0;  // a kernel may look a little ahead
      const auto lower = static_cast<u32>(below) + start_at + 1;
      if (inverse != nullptr && !(estimate(ls.data(), rs.data(), n, lower, static_cast<u32>(all), inverse) >= limit)) continue;
      for (u32 t = 0; t < n; ++t) judge(start_at + t + 1, ls[t], rs[t]);
    }
    return best;
  }
};

}  // namespace tw
