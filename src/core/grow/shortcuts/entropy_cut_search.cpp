// Cuts of a sorted column by estimated entropy, block by block.
#include "grow/shortcuts/entropy_cut_search.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "base/numbers.hpp"
#include "base/prefetch.hpp"
#include "search/cut_rules.hpp"
#include "search/entropy_bound.hpp"

namespace tw {

namespace {

class Cutter {
 public:
  Cutter(const std::vector<u64>& keys, const EncodedColumn& column, const NodeTargets& targets, const SearchSettings& settings,
         CutSearchSpace& space)
      : keys_(keys),
        column_(column),
        words_(targets.class_weight_words.data()),
        settings_(settings),
        space_(space),
        n_(keys.size()),
        k_(targets.classes.size()),
        crowd_(settings.cuts == Cuts::all ? 1 : std::max<u64>(column.crowd, 1)),
        shift_(block_shift(n_, k_)),
        blocks_((n_ >> shift_) + 1) {}

  EstimatedCut run(const NodeTargets& targets, u32 classes) {
    if (n_ < 2) return {};
    sum_up();
    EstimatedCut out;
    space_.right.assign(k_, 0);
    for (std::size_t b = 0; b < blocks_; ++b)
      for (std::size_t c = 0; c < k_; ++c) space_.right[c] += space_.moved[b * k_ + c];
    double parent = 0;
    for (std::size_t c = 0; c < k_; ++c) {
      out.present += space_.right[c];
      parent += log_.x_log2_x(space_.right[c]);
    }
    parent -= log_.x_log2_x(out.present);
    present_ = out.present;
    least_ = least_side(settings_, targets, present_, classes);
    slack_ = 1e-7 * static_cast<double>(present_);
    margin_ = cut_margin(settings_, targets);
    first_of_equals_ = margin_ < slack_;
    if (present_ < 2 * least_) return out;
    estimate_starts();
    find();
    out.any = any_;
    out.doubtful = doubtful_ || (any_ && rival_ > best_ + margin_ - 2 * slack_);
    out.gained = best_ - parent;
    out.below = below_;
    out.tried = tried_;
    return out;
  }

 private:
  // A block has as many rows as there are classes, or more: what is kept of all blocks grows with the rows, not with their product.
  static int block_shift(std::size_t rows, std::size_t classes) {
    const int shift = rows < 256 ? 3 : rows < 4096 ? 4 : 6;
    return std::max(shift, static_cast<int>(std::bit_width(classes)) - 1);
  }
  std::size_t begin(std::size_t block) const { return block << shift_; }
  std::size_t end(std::size_t block) const { return std::min(n_, (block + 1) << shift_); }
  bool between(std::size_t i) const {
    const u64 a = keys_[i - 1] >> 32;
    const u64 b = keys_[i] >> 32;
    return b - a >= crowd_ || (a != b && !too_close(settings_, column_, a, b));
  }

  void sum_up() {
    space_.moved.assign(blocks_ * k_, 0);
    space_.cuts.assign(blocks_, 0);
    for (std::size_t b = 0; b < blocks_; ++b) {
      u32 cuts = 0;
      for (std::size_t i = std::max<std::size_t>(begin(b), 1), last = end(b); i < last; ++i) cuts += between(i);
      space_.cuts[b] = cuts;
      i64* moved = space_.moved.data() + b * k_;
      if (k_ == 2)
        sum_block<2>(b, moved);
      else if (k_ == 3)
        sum_block<3>(b, moved);
      else
        sum_block<0>(b, moved);
    }
  }

  // Few classes are summed up in registers.
  template <int K>
  void sum_block(std::size_t block, i64* moved) const {
    i64 all = 0;
    i64 one = 0;
    i64 two = 0;
    const i64* const words = words_;
    const u64* const keys = keys_.data();
    const std::size_t last = end(block);
    const std::size_t last_prefetch = n_ > kPrefetchDistance ? n_ - kPrefetchDistance : 0;
    for (std::size_t i = begin(block); i < last; ++i) {
      if (i < last_prefetch) prefetch(words + static_cast<u32>(keys[i + kPrefetchDistance]));
      const i64 p = words[static_cast<u32>(keys[i])];
      if constexpr (K == 0) {
        moved[p & 0xffff] += p >> 16;
      } else {
        const i64 w = p >> 16;
        all += w;
        one += w & -static_cast<i64>((p & 0xffff) == 1);
        if constexpr (K == 3) two += w & -static_cast<i64>((p & 0xffff) == 2);
      }
    }
    if constexpr (K > 0) {
      moved[0] = all - one - two;
      moved[1] = one;
      if constexpr (K == 3) moved[2] = two;
    }
  }

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
      if (first_of_equals_ && b > 0 && begin(b) < n_ && left >= least_ && present_ - left >= least_ && between(begin(b)))
        floor_ = std::max(floor_, sum - log_.x_log2_x(left) - log_.x_log2_x(present_ - left));
      if (b == blocks_) break;
      for (std::size_t c = 0; c < k_; ++c) {
        space_.left[c] += space_.moved[b * k_ + c];
        left += space_.moved[b * k_ + c];
      }
    }
  }

  double bound(std::size_t block, i64 left, i64 moved) const {
    const double* from = space_.terms.data() + block * k_;
    return entropy_bound(static_cast<double>(present_), static_cast<double>(left), static_cast<double>(moved), from, from + k_,
                         space_.moved.data() + block * k_, k_);
  }

  void find() {
    std::fill(space_.left.begin(), space_.left.end(), 0);
    i64 left = 0;
    for (std::size_t b = 0; b < blocks_; ++b) {
      const i64* by_class = space_.moved.data() + b * k_;
      i64 moved = 0;
      for (std::size_t c = 0; c < k_; ++c) moved += by_class[c];
      if (present_ - left < least_) break;
      if (left + moved >= least_ && space_.cuts[b] > 0) {
        const bool inside = left >= least_ && present_ - left - moved >= least_;
        const double to_reach = std::max(any_ ? best_ + margin_ : floor_, floor_) - 2 * slack_;
        if (inside && (any_ || floor_ > kNone) && bound(b, left, moved) < to_reach)
          tried_ += space_.cuts[b];
        else
          walk(b, left);
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
    for (std::size_t i = begin(block); i < end(block); ++i) {
      if (present_ - left < least_) return;
      if (i > 0 && left >= least_ && between(i)) {
        ++tried_;
        consider(sum - log_.x_log2_x(left) - log_.x_log2_x(present_ - left), left);
      }
      const i64 p = words_[static_cast<u32>(keys_[i])];
      const auto c = static_cast<std::size_t>(p & 0xffff);
      const i64 w = p >> 16;
      const i64 r = space_.right[c] - here_[c];
      sum += (log_.x_log2_x(here_[c] + w) - log_.x_log2_x(here_[c])) + (log_.x_log2_x(r - w) - log_.x_log2_x(r));
      here_[c] += w;
      left += w;
    }
  }

  void consider(double score, i64 left) {
    if (!any_) {
      any_ = true;
      best_ = score;
      below_ = left;
      return;
    }
    if (!first_of_equals_ && std::fabs(score - best_ - margin_) <= 2 * slack_) doubtful_ = true;
    if (score > best_ + margin_) {
      rival_ = first_of_equals_ ? best_ : kNone;
      best_ = score;
      below_ = left;
    } else if (first_of_equals_) {
      rival_ = std::max(rival_, score);
    }
  }

  static constexpr double kNone = -std::numeric_limits<double>::infinity();

  const EstimatedLog& log_ = estimated_log();
  const std::vector<u64>& keys_;
  const EncodedColumn& column_;
  const i64* words_;
  const SearchSettings& settings_;
  CutSearchSpace& space_;
  const std::size_t n_;
  const std::size_t k_;
  const u64 crowd_;  // codes so far apart are not too close
  const int shift_;
  const std::size_t blocks_;
  std::vector<i64> here_;
  i64 present_ = 0;
  i64 least_ = 0;
  double slack_ = 0;
  double margin_ = 0;
  bool first_of_equals_ = true;  // a later cut wins by any gain that estimates can tell
  double floor_ = kNone;
  bool any_ = false;
  bool doubtful_ = false;
  double best_ = kNone;
  double rival_ = kNone;
  i64 below_ = 0;
  u64 tried_ = 0;
};

}  // namespace

EstimatedCut estimated_cut(const std::vector<u64>& keys, const EncodedColumn& column, const NodeTargets& targets,
                           const SearchSettings& settings, u32 classes, CutSearchSpace& space) {
  return Cutter(keys, column, targets, settings, space).run(targets, classes);
}

}  // namespace tw
