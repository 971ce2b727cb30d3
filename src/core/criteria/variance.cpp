// Squared error around the mean (Breiman et al. 1984, chapter 8). On the node's grid of whole steps the fall of squared error by a
// division in two, (S_L w_R - S_R w_L)^2 / (w w_L w_R), is computed from exact integers: no cancellation, and zero is zero.
#include <array>
#include <cmath>

#include "grow/enrol.hpp"

namespace tw {

struct Variance {
  using Stat = MomentStat;
  static constexpr bool kClasses = false;
  static constexpr bool kTwoBranches = false;
  static constexpr bool kRankIsScore = true;

  MomentStat stat;
  double step;

  Variance(const NodeTargets& targets, const SearchSettings&, u32) : step(targets.grid.step) {}

  double worth(const i128* cells) const {
    const double sum = static_cast<double>(cells[1]);
    return sum / static_cast<double>(cells[0]) * sum;
  }
  double pair(const i128* l, const i128* r) const {
    // Labels are bounded so that these products fit (stats/moments.cpp).
    const double cross = static_cast<double>(l[1] * r[0] - r[1] * l[0]);
    const double wl = static_cast<double>(l[0]);
    const double wr = static_cast<double>(r[0]);
    return cross / (wl + wr) * (cross / wl / wr);
  }
  double unit() const { return step * step; }
  std::optional<double> merit(const Outcome& o) const { return o.gain; }
};

// Cuts of a sorted list: the cross product is estimated in double precision, whose error is bounded, and computed exactly near the best.
template <>
struct ListScan<Variance> {
  template <class Id, class Same>
  static Place best(const Variance& c, const Frame<Id>& frame, const ListSlice<Id>& slice, Sides<i128> start, const u8*, double floor,
                    i128* one, i128* two, const Same& same) {
    const i64 below = start.left == nullptr ? 0 : static_cast<i64>(start.left[0]);
    i64 sum = start.left == nullptr ? 0 : static_cast<i64>(start.left[1]);
    const i64 all = below + static_cast<i64>(start.right[0]);
    const i64 all_sum = sum + static_cast<i64>(start.right[1]);
    const double w = static_cast<double>(all);
    const double s = static_cast<double>(all_sum);
    // |label| < 2^52 and < 2^62 / w. The product S_L w - S w_L is off by at most 2^-50 max|label| w^2, hence its square over w w_L w_R.
    const double q = std::ldexp(std::min(0x1p52, 0x1p62 / w), -50) * w;
    const auto limit_of = [&](double score) {
      return (score - 2 * std::sqrt(std::max(score, 0.0)) * q - q * q - 1e-12 * std::fabs(score)) * w;
    };
    double limit = limit_of(floor);
    const double* inverse = all <= static_cast<i64>(kSmallFrame) ? inverse_table_exact() : nullptr;
    Place best;
    best.score = floor;
    std::array<i64, kScanBlock> exact;
    std::array<double, kScanBlock + 4> sums;
    const auto& estimate = frame.kernels->best_of_sums;
    for (u32 start_at = 0; start_at < slice.highest; start_at += kScanBlock) {
      const u32 n = std::min(kScanBlock, slice.highest - start_at);
      for (u32 t = 0; t < n; ++t) {
        sum += frame.step[Frame<Id>::id_of(slice.entries[start_at + t])];
        exact[t] = sum;
        sums[t] = static_cast<double>(sum);
      }
      for (u32 t = n; t < n + 4; ++t) sums[t] = 0;  // a kernel may look a little ahead
      const auto lower = static_cast<u32>(below) + start_at + 1;
      if (inverse != nullptr && !(estimate(sums.data(), n, s, lower, static_cast<u32>(all), inverse) >= limit)) continue;
      for (u32 t = 0; t < n; ++t) {
        const u32 i = start_at + t + 1;
        const i64 l = below + i;
        const double cross = sums[t] * w - s * static_cast<double>(l);
        if (i < slice.lowest || !(cross * cross / (static_cast<double>(l) * static_cast<double>(all - l)) >= limit)) continue;
        one[0] = l;
        one[1] = exact[t];
        two[0] = all - l;
        two[1] = all_sum - exact[t];
        const double score = c.pair(one, two);
        if (!(score > best.score) || same(i)) continue;
        best = {score, i, kNowhere, true, 2 * i >= slice.known};
        limit = limit_of(score);
      }
    }
    return best;
  }
};

namespace {

const Enrol<CriterionPart> enrol(part<Variance>("variance", "fall of the mean squared deviation from the mean"));

}  // namespace

}  // namespace tw
