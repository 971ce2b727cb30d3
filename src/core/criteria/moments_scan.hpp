// Cuts of a sorted list of weighted rows by the fall of squared error. For the sorted engine alone.
#pragma once

#include <array>
#include <cmath>

#include "criteria/near_cuts.hpp"
#include "criteria/variance.hpp"

namespace tw {

// With weight w in all, the cross product of a cut is S_L w - S w_L, and its score the square of that over w w_L w_R. Sums S are kept in
// 64 bits, in units of 2^shift: every row is then off by one unit at most. Near the best the sum is made exactly.
template <class Id>
class MomentsList {
 public:
  MomentsList(const Variance& c, const Frame<Id>& frame, const ListSlice<Id, i128>& slice)
      : c_(c), frame_(frame), slice_(slice), start_(slice.left == nullptr ? 0 : static_cast<i64>(slice.left[0])) {
    start_side(slice.one, slice.left, 2);
    start_side(slice.two, slice.right, 2);
    all_ = start_ + static_cast<i64>(slice.right[0]);
  }

  template <class Same>
  Place best(const Same& same) {
    const int shift = frame_.moment_shift;
    MomentCuts cuts;
    cuts.below = below_.data();
    cuts.sums = sums_.data();
    cuts.all = static_cast<double>(all_);
    cuts.sum = std::ldexp(to_double(slice_.one[1] + slice_.two[1]), -shift);
    // Sums below 2^62 are off by 2^10 in double precision and products by as much once more; missing rows are rounded as one.
    cuts.off = cuts.all * (0x1p13 + (shift > 0 ? 2.0 * (slice_.present + 2) : 0));
    const auto limit_of = [&](double score) { return std::ldexp((score - 1e-12 * std::fabs(score)) * cuts.all, -2 * shift); };
    double limit = limit_of(slice_.floor);
    Place best;
    best.score = slice_.floor;
    i64 l = start_;
    auto sum = static_cast<i64>(slice_.one[1] >> shift);
    const u32 last = slice_.present - 1;
    for (u32 at = 0; at < last; at += kScanBlock) {
      cuts.n = std::min(kScanBlock, last - at);
      for (u32 t = 0; t < cuts.n; ++t) {
        const Moment& moment = frame_.moment[Frame<Id>::id_of(slice_.entries[at + t])];
        l += moment.weight;
        sum += moment.sum;
        below_[t] = l;
        sums_[t] = sum;
      }
      for (u32 t = cuts.n; t % kCutsAbreast != 0; ++t) {
        below_[t] = l;
        sums_[t] = sum;
      }
      look_at_near_cuts(
          limit, [&](double least) { return frame_.kernels->good_moments(cuts, least); },
          [&] { return frame_.kernels->most_moments(cuts); },
          [&](u32 t, double& limit_from_now) {
            const u32 i = at + t + 1;
            if (below_[t] < slice_.least || all_ - below_[t] < slice_.least) return false;
            const double score = score_of(i);
            if (!takes_the_place(score, i, best) || same(i - 1, i)) return false;
            best = {score, i, kNowhere, true, 2 * (below_[t] - start_) >= slice_.present_weight};
            limit_from_now = limit_of(score);
            return true;
          });
    }
    return best;
  }

 private:
  // The criterion's own score of the cut behind so many entries.
  double score_of(u32 position) {
    const auto move = [&](u32 i, i64 sign) {
      const u32 id = Frame<Id>::id_of(slice_.entries[i]);
      c_.stat.add_row(slice_.one, frame_.step[id], sign * frame_.weight[id]);
      c_.stat.add_row(slice_.two, frame_.step[id], -sign * frame_.weight[id]);
    };
    while (summed_ < position) move(summed_++, 1);
    while (summed_ > position) move(--summed_, -1);
    return c_.pair(slice_.one, slice_.two);
  }

  const Variance& c_;
  const Frame<Id>& frame_;
  const ListSlice<Id, i128>& slice_;
  const i64 start_;
  i64 all_ = 0;
  u32 summed_ = 0;                     // entries on the left of the cut in hand
  std::array<i64, kScanBlock> below_;  // weight behind every entry of a block, and the sum
  std::array<i64, kScanBlock> sums_;
};

}  // namespace tw
