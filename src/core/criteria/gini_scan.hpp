// Cuts of a sorted list by the Gini index, estimated block by block. For the sorted engine alone.
#pragma once

#include <array>
#include <cmath>
#include <optional>
#include <stdexcept>

#include "criteria/class_weights_scan.hpp"
#include "criteria/gini.hpp"
#include "criteria/two_class_scan.hpp"
#include "grow/sorted/byte_counts.hpp"
#include "grow/sorted/scan.hpp"

namespace tw {

// One way to look at the blocks of a list of unit weights and many classes: what stands on the two sides before the first entry.
template <class Id>
class GiniSide {
 public:
  GiniSide() = default;
  GiniSide(const ListSlice<Id, i64>& slice, u32 k) : start_(slice.left), rest_(slice.right), present_(slice.present), k_(k) {
    below_ = start_ == nullptr ? 0 : start_[k];
    all_ = below_ + rest_[k];
    lowest_ = slice.lowest(below_);
    highest_ = slice.highest(all_, below_);
    for (u32 j = 0; j < k; ++j) {
      left_squares_ += start_ == nullptr ? 0 : start_[j] * start_[j];
      right_squares_ += rest_[j] * rest_[j];
    }
    best_.score = slice.floor;
    limit_ = slice.floor * (1 - 1e-14);
    runs_ = slice.runs_beyond(kScanBlock);
  }

  u32 highest() const { return highest_; }
  const Place& best() const { return best_; }

  // Whether a cut in or behind the next n entries, of which c of each class, may win. If x rows of every class have moved, t in all, then
  // sum (l + x)^2 <= sum l^2 + sum x (2 l + c) and sum (r - x)^2 <= sum r^2 - sum x (2 r - c). Divided by the rows of the sides, the first
  // parts are convex in t, and a class adds no more than c times the difference of the brackets, those divided by L and R.
  bool may_win(const i64* passed, const i64* content, u32 at, u32 n) {
    const auto l = static_cast<double>(below_ + at);
    const auto r = static_cast<double>(all_ - below_ - at);
    const double t = n;
    const double per_left = l > 0 ? 1 / l : 0;
    const double per_right = r > 0 ? 1 / r : 0;
    double moved = 0;
    left_change_ = right_change_ = 0;
    for (u32 j = 0; j < k_; ++j) {
      const i64 more = 2 * (passed[j] + before(j)) + content[j];
      const i64 less = 2 * (rest_[j] - passed[j]) - content[j];
      left_change_ += content[j] * more;
      right_change_ += content[j] * less;
      moved +=
          static_cast<double>(content[j]) * std::max(0.0, static_cast<double>(more) * per_left - static_cast<double>(less) * per_right);
    }
    if (at >= highest_) return false;
    if (r <= t) return true;
    const auto ls = static_cast<double>(left_squares_);
    const auto rs = static_cast<double>(right_squares_);
    if (l == 0) return first_may_win(content, n);
    return std::max(ls / l + rs / r, ls / (l + t) + rs / (r - t)) + moved >= limit_ * (1 - 1e-12);
  }

  // The entries that `may_win` has spoken of lie behind.
  void pass() {
    left_squares_ += left_change_;
    right_squares_ -= right_change_;
  }

  // The squares of both sides behind every entry of a block. A kernel may look a little ahead.
  struct Squares {
    std::array<double, kScanBlock + 4> left;
    std::array<double, kScanBlock + 4> right;
    void end(u32 n) {
      for (u32 t = n; t < n + 4; ++t) left[t] = right[t] = 0;
    }
  };

  // How many entries of a block deserve a closer look.
  template <class Same>
  u32 to_look_at(u32 at, u32 block, const Same& same) const {
    if (at >= highest_) return 0;
    const u32 n = std::min(block, highest_ - at);
    return runs_ && same(at, at + n) ? 0 : n;
  }

  // Estimates all cuts of a block, and scores those that come near the best.
  template <class Same>
  void look_closer(const i64* passed, const u8* labels, u32 at, u32 n, const Kernels& kernels, const Same& same) {
    // Twice the rows below, and twice those of both sides: one counter per class is waited for, not two.
    std::array<i64, 256> left;
    std::array<i64, 256> both;
    for (u32 j = 0; j < k_; ++j) {
      left[j] = 2 * (passed[j] + before(j));
      both[j] = 2 * (rest_[j] + before(j));
    }
    Squares squares;
    i64 left_squares = left_squares_;
    i64 right_squares = right_squares_;
    for (u32 t = 0; t < n; ++t) {
      const i64 below = left[labels[t]];
      left[labels[t]] = below + 2;
      left_squares += below + 1;
      right_squares -= both[labels[t]] - below - 1;
      squares.left[t] = static_cast<double>(left_squares);
      squares.right[t] = static_cast<double>(right_squares);
    }
    squares.end(n);
    score_block(squares, at, n, kernels, same);
  }

  // The same for two sides of the same rows: their counters differ by a constant, so that one serves both.
  template <class Same>
  static void look_closer(std::array<GiniSide, 2>& sides, const i64* passed, const u8* labels, u32 at, std::array<u32, 2> n,
                          const Kernels& kernels, const Same& same) {
    auto& [a, b] = sides;
    std::array<i64, 256> left;
    std::array<i64, 256> both;
    std::array<i64, 256> apart;
    for (u32 j = 0; j < a.k_; ++j) {
      left[j] = 2 * (passed[j] + a.before(j));
      both[j] = 2 * (a.rest_[j] + a.before(j));
      apart[j] = 2 * (b.before(j) - a.before(j));
    }
    Squares one;
    Squares two;
    i64 a_left = a.left_squares_;
    i64 a_right = a.right_squares_;
    i64 b_left = b.left_squares_;
    i64 b_right = b.right_squares_;
    for (u32 t = 0; t < std::max(n[0], n[1]); ++t) {
      const i64 below = left[labels[t]];
      const i64 other = below + apart[labels[t]];
      left[labels[t]] = below + 2;
      a_left += below + 1;
      a_right -= both[labels[t]] - below - 1;
      b_left += other + 1;
      b_right -= both[labels[t]] - other - 1;
      one.left[t] = static_cast<double>(a_left);
      one.right[t] = static_cast<double>(a_right);
      two.left[t] = static_cast<double>(b_left);
      two.right[t] = static_cast<double>(b_right);
    }
    one.end(n[0]);
    two.end(n[1]);
    a.score_block(one, at, n[0], kernels, same);
    b.score_block(two, at, n[1], kernels, same);
  }

 private:
  // The same where nothing stands below: x rows of every class are worth no more than the largest c there, and above they lack no less than
  // the least bracket each.
  bool first_may_win(const i64* content, u32 n) const {
    i64 most = 0;
    i64 least = std::numeric_limits<i64>::max();
    for (u32 j = 0; j < k_; ++j) {
      if (content[j] == 0) continue;
      most = std::max(most, content[j]);
      least = std::min(least, 2 * rest_[j] - content[j]);
    }
    const auto r = static_cast<double>(all_);
    const auto rs = static_cast<double>(right_squares_);
    const double right = std::max(rs / r, (rs - static_cast<double>(n) * static_cast<double>(least)) / (r - n));
    return static_cast<double>(most) + right >= limit_ * (1 - 1e-12);
  }

  i64 before(u32 j) const { return start_ == nullptr ? 0 : start_[j]; }

  template <class Same>
  void score_block(const Squares& squares, u32 at, u32 n, const Kernels& kernels, const Same& same) {
    const auto lower = static_cast<u32>(below_) + at + 1;
    const auto all = static_cast<u32>(all_);
    const double* ls = squares.left.data();
    const double* rs = squares.right.data();
    if (all <= kSmallFrame && !(kernels.best_of_squares(ls, rs, n, lower, all, inverse_table_exact()) >= limit_)) return;
    for (u32 t = 0; t < n; ++t) {
      const u32 i = at + t + 1;
      const double l = static_cast<double>(below_ + i);
      const double score = ls[t] / l + rs[t] / (static_cast<double>(all_) - l);
      if (i < lowest_ || !(score > best_.score) || same(i - 1, i)) continue;
      best_ = {score, i, kNowhere, true, 2 * i >= present_};
      limit_ = score * (1 - 1e-14);
    }
  }

  const i64* start_ = nullptr;
  const i64* rest_ = nullptr;
  u32 present_ = 0;
  u32 k_ = 0;
  u32 lowest_ = 0;
  u32 highest_ = 0;
  i64 below_ = 0;
  i64 all_ = 0;
  i64 left_squares_ = 0;
  i64 right_squares_ = 0;
  i64 left_change_ = 0;
  i64 right_change_ = 0;
  double limit_ = 0;
  bool runs_ = false;  // blocks of one value are likely
  Place best_;
};

// Cuts of a sorted list. More than two classes of unit weights: sums of squares are updated per row and estimated with a table of
// reciprocals.
template <>
struct ListScan<Gini> {
  static constexpr bool kWeighsEntries = true;

  template <class Id, class Same>
  static Place best(const Gini& c, const Frame<Id>& frame, const ListSlice<Id, i64>& slice, const Same& same) {
    const bool labelled = frame.two_classes && c.stat.k == 2;  // entries carry their class
    if (frame.weighted())
      return labelled ? TwoClassList(c).best_of_weights(frame, slice, same) : ClassWeightsList(c, one_each).best(frame, slice, same);
    if constexpr (sizeof(Id) == 8)
      throw std::logic_error("wide entries carry weights");
    else
      return labelled ? TwoClassList(c).best_of_units(*frame.kernels, slice, same) : many_classes(c, frame, std::array{slice}, same)[0];
  }

  // The same entries with the missing rows on either side.
  template <class Id, class Same>
  static std::array<Place, 2> missing_branches(const Gini& c, const Frame<Id>& frame, const ListSlice<Id, i64>& left,
                                               const ListSlice<Id, i64>& right, const Same& same) {
    if (sizeof(Id) == 8 || frame.weighted() || frame.two_classes) return {best(c, frame, left, same), best(c, frame, right, same)};
    return many_classes(c, frame, std::array{left, right}, same);
  }

 private:
  static double one_each(u32) { return 1; }

  // More classes: the squares are updated block by block, and row by row only where a bound does not show that no cut of the block can
  // win. Two slices of the same entries (missing rows on either side) share the counting.
  template <class Id, std::size_t N, class Same>
  static std::array<Place, N> many_classes(const Gini& c, const Frame<Id>& frame, const std::array<ListSlice<Id, i64>, N>& slices,
                                           const Same& same) {
    const u32 k = c.stat.k;
    const ListSlice<Id, i64>& slice = slices[0];
    i64* passed = slice.one;   // per class: rows of blocks that lie behind
    i64* content = slice.two;  // and of the block in hand
    std::fill_n(passed, k, 0);
    std::array<GiniSide<Id>, N> sides;
    u32 highest = 0;
    for (std::size_t h = 0; h < N; ++h) {
      sides[h] = GiniSide<Id>(slices[h], k);
      highest = std::max(highest, sides[h].highest());
    }
    const u32 block = highest > 8192 ? kScanBlock : kScanBlock / 2;
    const bool one_block = highest <= block;
    std::array<u8, kScanBlock> labels;
    for (u32 at = 0; at < highest; at += block) {
      const u32 n = std::min(block, slice.present - at);
      const auto label_of = [&](u32 t) { return slice.local_class[frame.label[Frame<Id>::id_of(slice.entries[at + t])]]; };
      if (one_block) {
        for (u32 t = 0; t < n; ++t) labels[t] = label_of(t);
      } else if (k <= kByteCounters) {
        ByteCounts counts{};
        for (u32 t = 0; t < n; ++t) counts += one_more(labels[t] = label_of(t));
        for (u32 j = 0; j < k; ++j) content[j] = counts[j];
      } else {
        std::fill_n(content, k, 0);
        for (u32 t = 0; t < n; ++t) ++content[labels[t] = label_of(t)];
      }
      std::array<u32, N> near;  // entries of the block that may hold the best cut
      for (std::size_t h = 0; h < N; ++h)
        near[h] = one_block || sides[h].may_win(passed, content, at, n) ? sides[h].to_look_at(at, block, same) : 0;
      if constexpr (N == 2) {
        if (near[0] > 0 && near[1] > 0) {
          GiniSide<Id>::look_closer(sides, passed, labels.data(), at, near, *frame.kernels, same);
          near = {};
        }
      }
      for (std::size_t h = 0; h < N; ++h) {
        if (near[h] > 0) sides[h].look_closer(passed, labels.data(), at, near[h], *frame.kernels, same);
        if (!one_block) sides[h].pass();
      }
      if (!one_block) add_cells(passed, content, k);
    }
    std::array<Place, N> best;
    for (std::size_t h = 0; h < N; ++h) best[h] = sides[h].best();
    return best;
  }
};

// Two classes counted by code: costs are compared in double precision, and those near the best scored exactly.
template <>
class CountScan<Gini> {
 public:
  static constexpr bool kPossible = true;

  // What the between-group sum of squares of the second class must reach, so that a cut may score above the floor: either class adds as
  // much to what the node itself is worth.
  static double between_groups(const Gini& c, const i64* total, double floor) { return (floor - c.worth(total)) / 2; }

  CountScan(const Gini& c, const i64* total, i64 least, double floor) : c_(c), total_(total), least_(least), floor_(floor) {
    limit_ = limit_of(floor);
  }

  // The rows of the next code. False if no cut behind it may be taken.
  bool add(i64 zeros, i64 ones) {
    const i64 weight = zeros + ones;
    if (weight == 0) return true;
    below_[0] += zeros;
    below_[1] += ones;
    below_[2] += weight;
    const i64 above = total_[2] - below_[2];
    if (above < least_ || above == 0) return false;
    if (below_[2] < least_) return true;
    const auto l = static_cast<double>(below_[2]);
    const auto l1 = static_cast<double>(below_[1]);
    const auto r = static_cast<double>(above);
    const auto r1 = static_cast<double>(total_[1] - below_[1]);
    if (l1 * (l - l1) / l + r1 * (r - r1) / r > limit_) return true;
    const std::array<i64, 3> right{total_[0] - below_[0], total_[1] - below_[1], above};
    const double score = score_of_pair(c_, below_.data(), right.data());
    if (!(score > floor_)) return true;
    floor_ = score;
    any_ = true;
    limit_ = limit_of(score);
    return true;
  }
  std::optional<double> best() const { return any_ ? std::optional<double>(floor_) : std::nullopt; }

 private:
  // The score is what all rows count less twice the cost.
  double limit_of(double score) const {
    const auto all = static_cast<double>(total_[2]);
    return (all - score) / 2 + 1e-12 * all;
  }

  const Gini& c_;
  const i64* total_;
  const i64 least_;
  double floor_;
  double limit_ = 0;
  bool any_ = false;
  std::array<i64, 3> below_{};
};

}  // namespace tw
