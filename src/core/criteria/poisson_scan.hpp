// Cuts of a sorted list of unit weights by the fall of the Poisson deviance. With S the sum of the targets of w rows, S log(S / w) is
// convex in both: no cut inside a block of rows can score more than the corners of the box that its sums reach. Cuts of the other blocks
// are estimated one by one, and scored exactly where that comes close to the best. For the sorted engine alone.
#pragma once

#include <array>

#include "criteria/poisson.hpp"
#include "grow/sorted/scan.hpp"

namespace tw {

template <class Id>
class PoissonList {
 public:
  PoissonList(const Poisson& c, const Frame<Id>& frame, const ListSlice<Id, i128>& slice) : c_(c), frame_(frame), slice_(slice) {
    below_ = slice.left == nullptr ? 0 : static_cast<i64>(slice.left[0]);
    steps_ = slice.left == nullptr ? 0 : static_cast<i64>(slice.left[1]);
    all_ = below_ + static_cast<i64>(slice.right[0]);
    all_steps_ = steps_ + static_cast<i64>(slice.right[1]);
    const i128 both[2] = {all_, all_steps_};
    sum_ = c.sum(both);
    whole_ = c.worth(both);
    // Logarithms are estimated within 1.1e-8, of parts that add up to the sum.
    slack_ = 4e-8 * sum_;
  }

  // Whether estimates are to be trusted: sums and means are well within the range of numbers.
  bool applies() const { return sum_ > 1e-200 && sum_ < 1e200; }

  template <class Same>
  Place best(const Same& same) {
    Place best;
    best.score = slice_.floor;
    const u32 last = slice_.present - 1;
    const u32 block = last > 4 * kBlock ? kBlock : last;
    double limit = best.score - slack_;
    for (u32 at = 0; at < last; at += block) {
      const u32 n = std::min(block, last - at);
      if (block == kBlock) {
        i64 steps = steps_;
        for (u32 t = 0; t < n; ++t) steps += frame_.step[Frame<Id>::id_of(slice_.entries[at + t])];
        if (!may_win(n, steps, limit)) {
          below_ += n;
          steps_ = steps;
          continue;
        }
      }
      for (u32 t = 0; t < n; ++t) {
        ++below_;
        steps_ += frame_.step[Frame<Id>::id_of(slice_.entries[at + t])];
        if (!(estimate(below_, c_.sum(static_cast<double>(below_), static_cast<double>(steps_)),
                       c_.sum(static_cast<double>(all_ - below_), static_cast<double>(all_steps_ - steps_))) >= limit))
          continue;
        const u32 i = at + t + 1;
        if (below_ < slice_.least || all_ - below_ < slice_.least) continue;
        const i128 left[2] = {below_, steps_};
        const i128 right[2] = {all_ - below_, all_steps_ - steps_};
        const double score = c_.pair(left, right);
        if (!(score > best.score) || same(i - 1, i)) continue;
        best = {score, i, kNowhere, true, 2 * i >= slice_.present};
        limit = score - slack_;
      }
    }
    return best;
  }

 private:
  static constexpr u32 kBlock = 32;

  double term(double sum, i64 weight) const { return sum > 0 ? sum * log_.log2(sum / static_cast<double>(weight)) : 0; }

  // The fall of a cut that leaves so much on either side.
  double estimate(i64 below, double left, double right) const {
    return (term(left, below) + term(right, all_ - below)) * Poisson::kNatural - whole_;
  }

  // Whether a cut behind one of the next n entries may reach the limit; their steps add up to `steps` with those below.
  bool may_win(u32 n, i64 steps, double limit) const {
    if (below_ == 0 || below_ + n >= all_) return true;
    const double here = c_.sum(static_cast<double>(below_), static_cast<double>(steps_));
    const double there = c_.sum(static_cast<double>(below_ + n), static_cast<double>(steps));
    for (const i64 below : {below_, below_ + n})
      for (const double left : {here, there})
        if (estimate(below, left, std::max(0.0, sum_ - left)) >= limit - slack_) return true;
    return false;
  }

  const EstimatedLog& log_ = estimated_log();
  const Poisson& c_;
  const Frame<Id>& frame_;
  const ListSlice<Id, i128>& slice_;
  i64 below_ = 0;
  i64 steps_ = 0;
  i64 all_ = 0;
  i64 all_steps_ = 0;
  double sum_ = 0;
  double whole_ = 0;
  double slack_ = 0;
};

template <>
struct ListScan<Poisson> {
  template <class Id, class Same>
  static Place best(const Poisson& c, const Frame<Id>& frame, const ListSlice<Id, i128>& slice, const Same& same) {
    if (!frame.weighted())
      if (PoissonList<Id> list(c, frame, slice); list.applies()) return list.best(same);
    return AnyScan<Poisson>::best(c, frame, slice, same);
  }
};

}  // namespace tw
