// The best cut of a sorted list of unit weights by class entropy. Rows are summed up in blocks; most blocks are passed over, because no cut
// inside them can reach the best. Cuts of the others are estimated one by one, and scored exactly where that comes close to the best.
#pragma once

#include <algorithm>
#include <limits>

#include "base/numbers.hpp"
#include "grow/sorted/byte_counts.hpp"
#include "grow/sorted/scan.hpp"
#include "search/entropy_bound.hpp"

namespace tw {

// K: how many classes there are, where that is known beforehand because entries carry their label; otherwise 0.
template <Criterion C, class Id, u32 K, class Same>
class EntropyScan {
 public:
  EntropyScan(const C& c, const Frame<Id>& frame, const ListSlice<Id, i64>& slice, const Same& same)
      : c_(c),
        frame_(frame),
        slice_(slice),
        same_(same),
        space_(*slice.blocks),
        k_(K > 0 ? K : c.stat.k),
        n_(slice.present),
        before_(slice.left == nullptr ? 0 : slice.left[k_]),
        all_(before_ + slice.right[k_]),
        lowest_(slice.lowest(before_)),
        highest_(slice.highest(all_, before_)),
        shift_(n_ < kLong ? 4 : 5),
        blocks_((n_ >> shift_) + 1),
        slack_(1e-7 * static_cast<double>(all_)),
        table_(x_log2_x_upto(all_)) {
    static_assert(1 << 5 <= kScanBlock);
    best_.score = slice.floor;
  }

  Place run() {
    if (lowest_ > highest_) return best_;
    space_.passed.resize(k_);
    for (u32 k = 0; k < k_; ++k) space_.passed[k] = before(k);
    if (blocks_ <= kFew) {
      walk(0, n_);
      return best_;
    }
    sum_up();
    estimate_starts();
    find();
    return best_;
  }

 private:
  static constexpr u32 kLong = 512;
  static constexpr u32 kFew = 3;  // so few blocks are walked through without a question
  static constexpr double kNone = -std::numeric_limits<double>::infinity();

  u32 begin(u32 block) const { return block << shift_; }
  u32 end(u32 block) const { return std::min(n_, (block + 1) << shift_); }
  i64 before(u32 k) const { return slice_.left == nullptr ? 0 : slice_.left[k]; }
  i64 both(u32 k) const { return before(k) + slice_.right[k]; }
  u8 label(u32 i) const {
    if constexpr (K > 0)
      return static_cast<u8>(slice_.entries[i] & 1);
    else
      return slice_.local_class[frame_.label[Frame<Id>::id_of(slice_.entries[i])]];
  }
  double term(i64 x) const { return table_ != nullptr ? table_[x] : log_.x_log2_x(x); }
  double to_beat() const { return best_.any ? best_.score + slice_.margin : best_.score; }

  void sum_up() {
    space_.moved.resize(std::size_t{blocks_} * k_);
    for (u32 b = 0; b < blocks_; ++b) {
      u8* moved = space_.moved.data() + std::size_t{b} * k_;
      const u32 first = begin(b);
      const u32 last = end(b);
      if constexpr (K > 0) {
        u32 ones = 0;
        if (last - first == 32)  // a length known beforehand is summed up abreast
          for (u32 i = 0; i < 32; ++i) ones += static_cast<u32>(slice_.entries[first + i] & 1);
        else
          for (u32 i = first; i < last; ++i) ones += static_cast<u32>(slice_.entries[i] & 1);
        moved[0] = static_cast<u8>(last - first - ones);
        moved[1] = static_cast<u8>(ones);
      } else if (k_ <= kByteCounters) {
        ByteCounts counts{};
        for (u32 i = first; i < last; ++i) counts += one_more(label(i));
        for (u32 k = 0; k < k_; ++k) moved[k] = counts[k];
      } else {
        std::fill_n(moved, k_, u8{0});
        for (u32 i = first; i < last; ++i) ++moved[label(i)];
      }
    }
  }

  // The parts of the score where blocks begin, and the highest score of an allowed cut among those places: the best cut is no worse.
  void estimate_starts() {
    space_.terms.resize((std::size_t{blocks_} + 1) * k_);
    const bool first_of_equals = slice_.margin < slack_;
    for (u32 b = 0; b <= blocks_; ++b) {
      double* terms = space_.terms.data() + std::size_t{b} * k_;
      double sum = 0;
      for (u32 k = 0; k < k_; ++k) sum += terms[k] = log_.x_log2_x(space_.passed[k]) + log_.x_log2_x(both(k) - space_.passed[k]);
      const u32 at = begin(b);
      if (first_of_equals && at >= lowest_ && at <= highest_) {
        const double score = sum - log_.x_log2_x(before_ + at) - log_.x_log2_x(all_ - before_ - at);
        if (score > floor_ && !same_(at - 1, at)) floor_ = score;
      }
      if (b < blocks_)
        for (u32 k = 0; k < k_; ++k) space_.passed[k] += space_.moved[std::size_t{b} * k_ + k];
    }
  }

  double bound(u32 block) const {
    const double* from = space_.terms.data() + std::size_t{block} * k_;
    return entropy_bound(static_cast<double>(all_), static_cast<double>(before_ + begin(block)),
                         static_cast<double>(end(block) - begin(block)), from, from + k_, space_.moved.data() + std::size_t{block} * k_,
                         k_);
  }

  void find() {
    for (u32 k = 0; k < k_; ++k) space_.passed[k] = before(k);
    for (u32 b = 0; b < blocks_ && begin(b) <= highest_ && begin(b) < n_; ++b) {
      if (end(b) > lowest_ && bound(b) >= std::max(to_beat(), floor_) - 2 * slack_) walk(begin(b), end(b));
      for (u32 k = 0; k < k_; ++k) space_.passed[k] += space_.moved[std::size_t{b} * k_ + k];
    }
  }

  // Estimates the cuts before each of these entries.
  void walk(u32 first, u32 last) {
    i64* left = slice_.one;
    double sum = 0;
    for (u32 k = 0; k < k_; ++k) {
      left[k] = space_.passed[k];
      sum += term(left[k]) + term(both(k) - left[k]);
    }
    last = std::min(last, highest_ + 1);
    double limit = to_beat() - slack_;
    for (u32 i = first; i < last; ++i) {
      if (i >= lowest_) {
        const i64 below = before_ + i;
        if (sum - term(below) - term(all_ - below) > limit && score(i)) limit = to_beat() - slack_;
      }
      const u8 k = label(i);
      const i64 l = left[k]++;
      const i64 r = both(k) - l;
      sum += (term(l + 1) - term(l)) + (term(r - 1) - term(r));
    }
  }

  // Scores the cut at a place exactly and keeps it if it is the best.
  bool score(u32 position) {
    i64* left = slice_.one;
    i64* right = slice_.two;
    left[k_] = before_ + position;
    right[k_] = all_ - left[k_];
    for (u32 k = 0; k < k_; ++k) right[k] = both(k) - left[k];
    const double score = score_of_pair(c_, left, right);
    if (!(score > to_beat()) || same_(position - 1, position)) return false;
    best_ = {score, position, kNowhere, true, 2 * position >= n_};
    if (slice_.lower != nullptr) {
      for (u32 k = 0; k < k_; ++k) slice_.lower[k] = left[k] - before(k);
      slice_.lower[k_] = position;
    }
    return true;
  }

  const EstimatedLog& log_ = estimated_log();
  const C& c_;
  const Frame<Id>& frame_;
  const ListSlice<Id, i64>& slice_;
  const Same& same_;
  BlockSpace& space_;
  const u32 k_;
  const u32 n_;
  const i64 before_;  // weight on the left before the first entry moves
  const i64 all_;
  const u32 lowest_;
  const u32 highest_;
  const int shift_;
  const u32 blocks_;
  const double slack_;
  const double* table_;
  double floor_ = kNone;
  Place best_;
};

template <Criterion C>
  requires(kSumOfLogs<C> && !JudgesPairs<C>)
struct ListScan<C> {
  template <class Id, class Same>
  static Place best(const C& c, const Frame<Id>& frame, const ListSlice<Id, i64>& slice, const Same& same) {
    if (!frame.weight.empty()) return AnyScan<C>::best(c, frame, slice, same);
    if (frame.two_classes && c.stat.k == 2) return EntropyScan<C, Id, 2, Same>(c, frame, slice, same).run();
    return EntropyScan<C, Id, 0, Same>(c, frame, slice, same).run();
  }
};

}  // namespace tw
