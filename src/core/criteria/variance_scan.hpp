// Cuts of a sorted list by the fall of squared error, estimated block by block. For the sorted engine alone.
#pragma once

#include <array>
#include <cmath>
#include <optional>

#include "criteria/moments_scan.hpp"

namespace tw {

// What the square of an estimated cross product over w_L w_R must reach so that the score may. |step| < 2^52 and < 2^62 / w: the product
// S_L w - S w_L is off by at most 2^-50 max|step| w^2, hence its square over w w_L w_R.
inline double limit_of_square(double score, double w) {
  const double q = std::ldexp(std::min(0x1p52, 0x1p62 / w), -50) * w;
  return (score - 2 * std::sqrt(std::max(score, 0.0)) * q - q * q - 1e-12 * std::fabs(score)) * w;
}

// With w rows of unit weight in all, the cross product of a cut is S_L w - S w_L.
template <>
struct ListScan<Variance> {
  template <class Id, class Same>
  static Place best(const Variance& c, const Frame<Id>& frame, const ListSlice<Id, i128>& slice, const Same& same) {
    if (frame.weighted()) return MomentsList<Id>(c, frame, slice).best(same);
    Task task;
    task.below = slice.left == nullptr ? 0 : static_cast<i64>(slice.left[0]);
    task.sum = slice.left == nullptr ? 0 : static_cast<i64>(slice.left[1]);
    task.all = task.below + static_cast<i64>(slice.right[0]);
    task.all_sum = task.sum + static_cast<i64>(slice.right[1]);
    task.lowest = slice.lowest(task.below);
    task.highest = slice.highest(task.all, task.below);
    if (task.all <= kFew) return few(frame, slice, task, same);
    if constexpr (sizeof(Id) == 8)
      if (slice.left == nullptr && slice.present == task.all && !rough_may_win(c, frame, slice)) return {};
    return many(c, frame, slice, task, same);
  }

 private:
  static constexpr i64 kFew = 32;  // rows whose cross products fit 63 bits: steps have 52, and |S_L w_R - S_R w_L| <= 2 w_L w_R 2^52

  struct Task {
    i64 below = 0;
    i64 sum = 0;
    i64 all = 0;
    i64 all_sum = 0;
    u32 lowest = 0;
    u32 highest = 0;
  };

  // Whether some cut may score above the floor, as far as the rough targets tell that the entries carry. Both they and the steps of the
  // node are off by half a unit at most; in steps of the node the cross product is then off by 2 w_L w_R (ratio + 1), and the root of the
  // score by (ratio + 1) sqrt(w). Blocks are judged by the corners of the box that their sums can reach: the score is convex in both.
  template <class Id>
  static bool rough_may_win(const Variance& c, const Frame<Id>& frame, const ListSlice<Id, i128>& slice) {
    if (!(slice.floor > 0)) return true;
    const double w = slice.present;
    const double ratio = frame.rough_step / c.step;
    const double least = std::sqrt(slice.floor) * (1 - 1e-9) - 1.01 * (ratio + 1) * std::sqrt(w);
    if (!(least > 0)) return true;
    const double limit = least / ratio * (least / ratio) * w;  // of the squared rough cross product over w_L w_R
    const auto total = static_cast<double>(frame.rough_total);
    const auto reaches = [&](double l, double sum) {
      const double cross = sum * w - total * l;
      return cross * cross >= limit * l * (w - l);
    };
    i64 sum = 0;
    u32 at = 0;
    for (; at + kScanBlock < slice.present; at += kScanBlock) {
      const RoughSums block = frame.kernels->rough_sums(slice.entries + at);
      const double low = static_cast<double>(sum + block.negative);
      const double high = static_cast<double>(sum + block.positive);
      const double l = at;
      // Where one side is empty any sum would do.
      if (at == 0 || reaches(l, low) || reaches(l, high) || reaches(l + kScanBlock, low) || reaches(l + kScanBlock, high)) {
        i64 here = sum;
        for (u32 t = 0; t < kScanBlock; ++t) {
          here += Frame<Id>::rough_of(slice.entries[at + t]);
          if (reaches(l + t + 1, static_cast<double>(here))) return true;
        }
      }
      sum += block.negative + block.positive;
    }
    for (; at + 1 < slice.present; ++at) {
      sum += Frame<Id>::rough_of(slice.entries[at]);
      if (reaches(at + 1, static_cast<double>(sum))) return true;
    }
    return false;
  }

  // The cross product in 64 bits; divisions only near the best.
  template <class Id, class Same>
  static Place few(const Frame<Id>& frame, const ListSlice<Id, i128>& slice, const Task& task, const Same& same) {
    const double* inverse = inverse_table_exact();
    const double w = static_cast<double>(task.all);
    const auto limit_of = [&](double score) { return (score - 1e-12 * std::fabs(score)) * w; };
    double limit = limit_of(slice.floor);
    Place best;
    best.score = slice.floor;
    i64 sum = task.sum;
    for (u32 i = 1; i <= task.highest; ++i) {
      sum += frame.step[Frame<Id>::id_of(slice.entries[i - 1])];
      const i64 l = task.below + i;
      const i64 r = task.all - l;
      const auto cross = static_cast<double>(sum * r - (task.all_sum - sum) * l);
      if (!(cross * cross * (inverse[l] * inverse[r]) >= limit) || i < task.lowest) continue;
      const double score = cross / w * (cross / static_cast<double>(l) / static_cast<double>(r));
      if (!(score > best.score) || same(i - 1, i)) continue;
      best = {score, i, kNowhere, true, 2 * i >= slice.present};
      limit = limit_of(score);
    }
    return best;
  }

  // The cross product is estimated in double precision, whose error is bounded, and computed exactly near the best.
  template <class Id, class Same>
  static Place many(const Variance& c, const Frame<Id>& frame, const ListSlice<Id, i128>& slice, const Task& task, const Same& same) {
    const double w = static_cast<double>(task.all);
    const double s = static_cast<double>(task.all_sum);
    const auto limit_of = [&](double score) { return limit_of_square(score, w); };
    double limit = limit_of(slice.floor);
    const double* inverse = task.all <= static_cast<i64>(kSmallFrame) ? inverse_table_exact() : nullptr;
    Place best;
    best.score = slice.floor;
    i64 sum = task.sum;
    std::array<i64, kScanBlock> exact;
    std::array<double, kScanBlock + 4> sums;
    const auto& estimate = frame.kernels->best_of_sums;
    for (u32 start_at = 0; start_at < task.highest; start_at += kScanBlock) {
      const u32 n = std::min(kScanBlock, task.highest - start_at);
      for (u32 t = 0; t < n; ++t) {
        sum += frame.step[Frame<Id>::id_of(slice.entries[start_at + t])];
        exact[t] = sum;
        sums[t] = static_cast<double>(sum);
      }
      for (u32 t = n; t < n + 4; ++t) sums[t] = 0;  // a kernel may look a little ahead
      const auto lower = static_cast<u32>(task.below) + start_at + 1;
      if (inverse != nullptr && !(estimate(sums.data(), n, s, lower, static_cast<u32>(task.all), inverse) >= limit)) continue;
      for (u32 t = 0; t < n; ++t) {
        const u32 i = start_at + t + 1;
        const i64 l = task.below + i;
        const double cross = sums[t] * w - s * static_cast<double>(l);
        if (i < task.lowest || !(cross * cross / (static_cast<double>(l) * static_cast<double>(task.all - l)) >= limit)) continue;
        slice.one[0] = l;
        slice.one[1] = exact[t];
        slice.two[0] = task.all - l;
        slice.two[1] = task.all_sum - exact[t];
        const double score = c.pair(slice.one, slice.two);
        if (!(score > best.score) || same(i - 1, i)) continue;
        best = {score, i, kNowhere, true, 2 * i >= slice.present};
        limit = limit_of(score);
      }
    }
    return best;
  }
};

// Numbers counted and summed up by code.
template <>
class CountScan<Variance> {
 public:
  static constexpr bool kPossible = true;

  // What the between-group sum of squares of a cut must reach so that it may score above the floor.
  static double between_groups(const Variance&, const i128*, double floor) { return floor; }

  CountScan(const Variance& c, const i128* total, i64 least, double floor)
      : c_(c), all_(static_cast<i64>(total[0])), sum_(static_cast<i64>(total[1])), least_(least), floor_(floor) {
    limit_ = limit_of_square(floor, static_cast<double>(all_));
  }

  // The rows of the next code. False if no cut behind it may be taken.
  bool add(i64 rows, i64 steps) {
    if (rows == 0) return true;
    below_ += rows;
    steps_ += steps;
    const i64 above = all_ - below_;
    if (above < least_ || above == 0) return false;
    if (below_ < least_) return true;
    const double cross = static_cast<double>(steps_) * static_cast<double>(all_) - static_cast<double>(sum_) * static_cast<double>(below_);
    if (!(cross * cross >= limit_ * (static_cast<double>(below_) * static_cast<double>(above)))) return true;
    const std::array<i128, 2> left{below_, steps_};
    const std::array<i128, 2> right{above, sum_ - steps_};
    const double score = c_.pair(left.data(), right.data());
    if (!(score > floor_)) return true;
    floor_ = score;
    any_ = true;
    limit_ = limit_of_square(score, static_cast<double>(all_));
    return true;
  }
  std::optional<double> best() const { return any_ ? std::optional<double>(floor_) : std::nullopt; }

 private:
  const Variance& c_;
  const i64 all_;
  const i64 sum_;
  const i64 least_;
  double floor_;
  double limit_ = 0;
  bool any_ = false;
  i64 below_ = 0;
  i64 steps_ = 0;
};

}  // namespace tw
