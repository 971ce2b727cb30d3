// Cuts of a sorted list of two classes by the Gini index, whatever rows and classes weigh. With x = f w on a side, f being what a row of a
// class counts, the score of a cut is what all rows count less twice its cost l0 l1 / l + r0 r1 / r. For the sorted engine alone.
#pragma once

#include <array>
#include <cmath>

#include "criteria/near_cuts.hpp"

namespace tw {

template <Criterion C>
class TwoClassList {
 public:
  // `zero` and `one`: what a row of either class counts. Neither is more than 2^20 times the other.
  explicit TwoClassList(const C& c, double zero = 1, double one = 1) : c_(c), zero_(zero), one_(one) {}

  // Rows that weigh one each: costs are estimated in single precision, divided by the product of the factors.
  template <class Id, class Same>
  Place best_of_units(const Kernels& k, const ListSlice<Id, i64>& slice, const Same& same) const {
    TwoClassScan scan;
    scan.below = slice.left == nullptr ? 0 : static_cast<i32>(slice.left[2]);
    scan.ones = slice.left == nullptr ? 0 : static_cast<i32>(slice.left[1]);
    scan.all = scan.below + static_cast<i32>(slice.right[2]);
    scan.all_ones = scan.ones + static_cast<i32>(slice.right[1]);
    const double largest = std::max(zero_, one_);
    scan.zero = static_cast<float>(zero_ / largest);
    scan.one = static_cast<float>(one_ / largest);
    const u32 highest = slice.highest(scan.all, scan.below);
    for (u32 i = 0, lowest = slice.lowest(scan.below); i + 1 < lowest; ++i) {
      scan.ones += static_cast<i32>(slice.entries[i] & 1);
      ++scan.below;
      ++scan.position;
    }
    // Single precision is off by less than the slack added here, and so is the score itself.
    const double all = zero_ * (scan.all - scan.all_ones) + one_ * scan.all_ones;
    const double product = zero_ / largest * one_;
    const auto limit_of = [&](double score) {
      return static_cast<float>((all - score) / (2 * product) * (1 + 4e-6) + 1e-5 + 1e-14 * all / product);
    };
    float limit = slice.floor > 0 ? limit_of(slice.floor) : std::numeric_limits<float>::infinity();
    const bool even = zero_ == one_ && scan.all <= static_cast<i32>(kSmallFrame);
    const float* inverse = even ? inverse_table() : nullptr;
    Place best;
    best.score = slice.floor;
    TwoClassHit hit;
    while (scan_list(k, slice.entries, highest, inverse, limit, scan, hit)) {
      for (u32 mask = hit.mask; mask != 0; mask &= mask - 1) {
        const auto lane = static_cast<u32>(std::countr_zero(mask));
        if (hit.cost[lane] > limit) continue;  // a cut before it in the block was better
        const u32 position = hit.at.position + lane + 1;
        const double score = score_of(hit.at.below + static_cast<i64>(lane) + 1,
                                      hit.at.ones + std::popcount(hit.labels & ((2U << lane) - 1)), scan.all, scan.all_ones);
        if (!(score > best.score) || same(position - 1, position)) continue;
        best = {score, position, kNowhere, true, 2 * position >= slice.present};
        limit = limit_of(score);
      }
    }
    return best;
  }

  // Rows of any weight. Sums of weights are whole numbers below 2^46, hence exact in double precision; a cost computed from them is off by
  // less than 2^-49 of what all rows count, and a score by less than 2^-48.
  template <class Id, class Same>
  Place best_of_weights(const Frame<Id>& frame, const ListSlice<Id, i64>& slice, const Same& same) const {
    const i64 start = slice.left == nullptr ? 0 : slice.left[2];
    const i64 all = start + slice.right[2];
    const i64 all_ones = slice.right[1] + (slice.left == nullptr ? 0 : slice.left[1]);
    std::array<i64, kScanBlock> below;  // weight behind every entry of a block
    std::array<i64, kScanBlock> ones;
    TwoClassCuts cuts;
    cuts.below = below.data();
    cuts.ones = ones.data();
    cuts.all_zeros = static_cast<double>(all - all_ones);
    cuts.all_ones = static_cast<double>(all_ones);
    cuts.zero = zero_;
    cuts.one = one_;
    const double counted = zero_ * cuts.all_zeros + one_ * cuts.all_ones;
    const auto limit_of = [&](double score) { return (counted - score) / 2 + 1e-12 * counted; };
    double limit = limit_of(slice.floor);
    Place best;
    best.score = slice.floor;
    i64 l = start;
    i64 l1 = all_ones - slice.right[1];
    const u32 last = slice.present - 1;
    const bool runs = slice.runs_beyond(kFewInRun);
    for (u32 at = 0; at < last; at += kScanBlock) {
      cuts.n = std::min(kScanBlock, last - at);
      const i64 first = l;
      const i64 first_ones = l1;
      for (u32 t = 0; t < cuts.n; ++t) {
        const Id entry = slice.entries[at + t];
        const i64 w = frame.entry_weight(entry);
        l += w;
        l1 += w & -static_cast<i64>(entry & 1);
        below[t] = l;
        ones[t] = l1;
      }
      if (last > kScanBlock && least_cost_within(cuts, first, first_ones, l, l1) > limit) continue;
      for (u32 t = cuts.n; t % kCutsAbreast != 0; ++t) {
        below[t] = l;
        ones[t] = l1;
      }
      look_at_near_cuts(
          limit, [&](double most) { return frame.kernels->cheap_cuts(cuts, most); },
          [&] { return frame.kernels->least_cost(cuts) + 1e-12 * counted; },
          [&](u32 t, double& limit_from_now) {
            const u32 i = at + t + 1;
            if (below[t] < slice.least || all - below[t] < slice.least) return false;
            if (runs && same(i - 1, i)) return false;
            const double score = score_of(below[t], ones[t], all, all_ones);
            if (!takes_the_place(score, i, best) || (!runs && same(i - 1, i))) return false;
            best = {score, i, kNowhere, true, 2 * (below[t] - start) >= slice.present_weight};
            limit_from_now = limit_of(score);
            return true;
          });
    }
    return best;
  }

 private:
  static constexpr u32 kFewInRun = 8;  // where more entries share a value, asking for that is cheaper than an exact score

  // The criterion's own score of a cut that has this weight below, of which so much is of class 1.
  double score_of(i64 l, i64 l1, i64 all, i64 all_ones) const {
    const std::array<i64, 3> left{l - l1, l1, l};
    const std::array<i64, 3> right{all - all_ones - left[0], all_ones - l1, all - l};
    return score_of_pair(c_, left.data(), right.data());
  }

  // No cut inside a block of entries costs less than the least cost at the corners of the box that its sums can reach: the cost is concave
  // in the weights of the two classes.
  static double least_cost_within(const TwoClassCuts& cuts, i64 from, i64 from_ones, i64 to, i64 to_ones) {
    const std::array<double, 2> ones{static_cast<double>(from_ones), static_cast<double>(to_ones)};
    const std::array<double, 2> zeros{static_cast<double>(from - from_ones), static_cast<double>(to - to_ones)};
    const auto side = [](double zero, double one) { return zero * one / std::max(zero + one, std::numeric_limits<double>::min()); };
    double least = std::numeric_limits<double>::infinity();
    for (const double l1 : ones)
      for (const double l0 : zeros)
        least =
            std::min(least, side(cuts.zero * l0, cuts.one * l1) + side(cuts.zero * (cuts.all_zeros - l0), cuts.one * (cuts.all_ones - l1)));
    return least;
  }

  const C& c_;
  const double zero_;
  const double one_;
};

}  // namespace tw
