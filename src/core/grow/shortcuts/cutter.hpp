// The best cut of a column by estimated entropy, over blocks of rows in order of value, whoever keeps the rows.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "base/numbers.hpp"
#include "grow/shortcuts/entropy_cut_search.hpp"
#include "search/cut_rules.hpp"
#include "search/entropy_bound.hpp"

namespace tw {

// A block has as many rows as there are classes, or more: what is kept of all blocks grows with the rows, not with their product.
inline int block_shift(std::size_t rows, std::size_t classes) {
  const int shift = rows < 256 ? 3 : rows < 4096 ? 4 : 6;
  return std::max(shift, static_cast<int>(std::bit_width(classes)) - 1);
}

// `Rows` are blocks: how many there are (`blocks`), the weight of every class (`moved`) and the number of cuts (`cuts`) in each, whether a
// cut lies where one begins (`begins_apart`), and a way through one (`walk`): of every row whether a cut lies below it, and its word.
template <class Rows>
class Cutter {
 public:
  Cutter(const Rows& rows, std::size_t classes, const NodeTargets& targets, const SearchSettings& settings, CutSearchSpace& space)
      : rows_(rows), targets_(targets), settings_(settings), space_(space), k_(classes), blocks_(rows.blocks()) {}

  // `declared`: how many classes there are in all.
  EstimatedCut run(u32 declared) {
    EstimatedCut out;
    space_.right.assign(k_, 0);
    for (std::size_t b = 0; b < blocks_; ++b)
      for (std::size_t c = 0; c < k_; ++c) space_.right[c] += rows_.moved(b)[c];
    double parent = 0;
    for (std::size_t c = 0; c < k_; ++c) {
      out.present += space_.right[c];
      parent += log_.x_log2_x(space_.right[c]);
    }
    parent -= log_.x_log2_x(out.present);
    present_ = out.present;
    least_ = least_side(settings_, targets_, present_, declared);
    slack_ = 1e-7 * static_cast<double>(present_);
    margin_ = cut_margin(settings_, targets_);
    first_of_equals_ = margin_ < slack_;
    if (present_ < 2 * least_) return out;
    estimate_starts();
    bound_blocks();
    if (hopeless(parent)) return out;
    find();
    out.any = any_ || hidden_ > kNone;
    out.doubtful = (any_ && rival_ > best_ + margin_ - 2 * slack_) || hidden_ > kNone;
    out.gained = best_ - parent;
    out.below = below_;
    out.tried = tried_;
    return out;
  }

 private:
  // The parts of the score where blocks begin, and the highest score of an allowed cut among those places: the best cut is no worse.
  void estimate_starts() {
    space_.terms.resize((blocks_ + 1) * k_);
    space_.left.assign(k_, 0);
    i64 left = 0;
    for (std::size_t b = 0; b <= blocks_; ++b) {
      double sum = 0;
      double* terms = space_.terms.data() + b * k_;
      for (std::size_t c = 0; c < k_; ++c)
        sum += terms[c] = log_.x_log2_x(space_.left[c]) + log_.x_log2_x(space_.right[c] - space_.left[c]);
      if (left >= least_ && present_ - left >= least_ && rows_.begins_apart(b))
        floor_ = std::max(floor_, sum - log_.x_log2_x(left) - log_.x_log2_x(present_ - left));
      if (b == blocks_) break;
      for (std::size_t c = 0; c < k_; ++c) {
        space_.left[c] += rows_.moved(b)[c];
        left += rows_.moved(b)[c];
      }
    }
  }

  // The most that a cut inside every block can score. Only where it may be one.
  void bound_blocks() {
    space_.sums.resize(blocks_);
    i64 left = 0;
    for (std::size_t b = 0; b < blocks_; ++b) {
      const i64* by_class = rows_.moved(b);
      i64 moved = 0;
      for (std::size_t c = 0; c < k_; ++c) moved += by_class[c];
      space_.sums[b] = kNone;
      if (left + moved >= least_ && present_ - left >= least_ && rows_.cuts(b) > 0) {
        const double* from = space_.terms.data() + b * k_;
        space_.sums[b] = entropy_bound(static_cast<double>(present_), static_cast<double>(left), static_cast<double>(moved), from,
                                       from + k_, by_class, k_);
        most_ = std::max(most_, space_.sums[b]);
        if (left >= least_ && present_ - left - moved >= least_) surely_ += rows_.cuts(b);
      }
      left += moved;
    }
  }

  // Whether no cut can gain what the search costs: there is no candidate then, wherever the best lies.
  bool hopeless(double parent) const {
    if (!settings_.penalty || surely_ == 0) return false;
    const double gain = std::max(0.0, most_ + 2 * slack_ - parent) / static_cast<double>(targets_.weight);
    const double penalty = log2_of(static_cast<double>(surely_)) / targets_.facts.weight;
    return gain - penalty < least_gain(settings_) - 1e-6;
  }

  void find() {
    std::fill(space_.left.begin(), space_.left.end(), 0);
    i64 left = 0;
    for (std::size_t b = 0; b < blocks_; ++b) {
      const i64* by_class = rows_.moved(b);
      i64 moved = 0;
      for (std::size_t c = 0; c < k_; ++c) moved += by_class[c];
      if (present_ - left < least_) break;
      if (left + moved >= least_ && rows_.cuts(b) > 0) {
        const bool inside = left >= least_ && present_ - left - moved >= least_;
        const double most = space_.sums[b];
        const double beaten = std::max(any_ ? best_ + margin_ : kNone, first_of_equals_ ? floor_ : kNone) - 2 * slack_;
        const bool low = most < floor_ - 2 * (margin_ + slack_);
        if (inside && (most < beaten || low)) {
          tried_ += rows_.cuts(b);
          if (!(most < beaten)) hidden_ = std::max(hidden_, most);
        } else {
          walk(b, left);
        }
      }
      for (std::size_t c = 0; c < k_; ++c) space_.left[c] += by_class[c];
      left += moved;
    }
  }

  // Scores the cuts of a block one by one.
  void walk(std::size_t block, i64 left) {
    here_.assign(space_.left.begin(), space_.left.end());
    double sum = 0;
    const double* terms = space_.terms.data() + block * k_;
    for (std::size_t c = 0; c < k_; ++c) sum += terms[c];
    rows_.walk(block, [&](bool apart, i64 word) {
      if (present_ - left < least_) return false;
      if (apart && left >= least_) {
        ++tried_;
        consider(sum - log_.x_log2_x(left) - log_.x_log2_x(present_ - left), left);
      }
      const auto c = static_cast<std::size_t>(word & 0xffff);
      const i64 w = word >> 16;
      const i64 r = space_.right[c] - here_[c];
      sum += (log_.x_log2_x(here_[c] + w) - log_.x_log2_x(here_[c])) + (log_.x_log2_x(r - w) - log_.x_log2_x(r));
      here_[c] += w;
      left += w;
      return true;
    });
  }

  void consider(double score, i64 left) {
    if (!any_ && hidden_ == kNone) {
      any_ = true;
      best_ = score;
      below_ = left;
      return;
    }
    // What was the best before a cut is not known where lower ones were passed over, or were too close to tell: a clear step ends the
    // doubt.
    if (!first_of_equals_ && score > best_ + margin_ - 2 * slack_ && score <= std::max(best_, hidden_) + margin_ + 2 * slack_) {
      hidden_ = std::max(hidden_, score);
      return;
    }
    if (score > best_ + margin_) {
      any_ = true;
      rival_ = first_of_equals_ ? best_ : kNone;
      hidden_ = kNone;
      best_ = score;
      below_ = left;
    } else if (first_of_equals_) {
      rival_ = std::max(rival_, score);
    }
  }

  static constexpr double kNone = -std::numeric_limits<double>::infinity();

  const EstimatedLog& log_ = estimated_log();
  const Rows& rows_;
  const NodeTargets& targets_;
  const SearchSettings& settings_;
  CutSearchSpace& space_;
  const std::size_t k_;
  const std::size_t blocks_;
  std::vector<i64> here_;
  i64 present_ = 0;
  i64 least_ = 0;
  double slack_ = 0;
  double margin_ = 0;
  bool first_of_equals_ = true;  // a later cut wins by any gain that estimates can tell
  double floor_ = kNone;
  double most_ = kNone;
  u64 surely_ = 0;  // cuts that are allowed, at least
  bool any_ = false;
  double best_ = kNone;
  double rival_ = kNone;
  double hidden_ = kNone;  // what cuts may have scored of which it is not known whether one was the best
  i64 below_ = 0;
  u64 tried_ = 0;
};

}  // namespace tw
