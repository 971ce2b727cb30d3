// The best pair of cuts of an ordered column, among all pairs of its places for cuts. Worths are concave: no set is worth more than its
// parts together. So a pair of cuts i < j is worth at most what lies below i, from i to the end of its block, between the blocks, from the
// beginning of j's block to j, and above j are worth: most pairs of blocks are passed over.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "search/criterion.hpp"

namespace tw {

struct CutPair {
  double score = 0;
  std::size_t first = 0;
  std::size_t second = 0;
  bool any = false;
};

template <Criterion C>
class CutPairs {
 public:
  using Cell = typename C::Stat::Cell;

  // `below`: the summary of the rows below each of n cuts; `all`: of all rows; `least`: weight of every interval.
  CutPairs(const C& c, const std::vector<Cell>& below, const Cell* all, i64 least)
      : c_(c), width_(c.stat.width()), below_(below), all_(all), least_(least), n_(below.size() / width_), between_(width_) {
    for (std::size_t k = 0; k < n_; ++k) {
      low_.push_back(c_.worth(cells(k)));
      high_.push_back(worth_between(cells(k), all_));
    }
  }

  // The pair of highest score above the floor, and of equals the first; none if nothing exceeds it.
  CutPair best(double floor) {
    best_.score = floor;
    for (std::size_t b = 0; b * kBlock < n_; ++b) measure(b);
    struct Pair {
      double bound;
      std::size_t one;
      std::size_t two;
    };
    std::vector<Pair> pairs;
    for (std::size_t one = 0; one < most_low_.size(); ++one)
      for (std::size_t two = one; two < most_low_.size(); ++two)
        if (const double bound = bound_of(one, two); bound >= floor) pairs.push_back({bound, one, two});
    // The most promising first, so that the others need not be looked at.
    std::sort(pairs.begin(), pairs.end(), [](const Pair& a, const Pair& b) { return a.bound > b.bound; });
    for (const Pair& pair : pairs) {
      if (pair.bound < best_.score) break;
      look(pair.one, pair.two);
    }
    return best_;
  }

 private:
  static constexpr std::size_t kBlock = 16;  // cuts

  const Cell* cells(std::size_t cut) const { return below_.data() + cut * width_; }
  std::size_t begin(std::size_t block) const { return block * kBlock; }
  std::size_t end(std::size_t block) const { return std::min(n_, (block + 1) * kBlock); }

  double worth_between(const Cell* from, const Cell* to) {
    for (std::size_t i = 0; i < width_; ++i) between_[i] = to[i] - from[i];
    return c_.stat.weight(between_.data()) > 0 ? c_.worth(between_.data()) : 0;
  }

  // What is below a cut and from there to the last cut of its block, and likewise above; and the most of these.
  void measure(std::size_t block) {
    double low = -std::numeric_limits<double>::infinity();
    double high = low;
    for (std::size_t k = begin(block); k < end(block); ++k) {
      to_end_.push_back(low_[k] + worth_between(cells(k), cells(end(block) - 1)));
      from_begin_.push_back(worth_between(cells(begin(block)), cells(k)) + high_[k]);
      low = std::max(low, to_end_.back());
      high = std::max(high, from_begin_.back());
    }
    most_low_.push_back(low);
    most_high_.push_back(high);
  }

  // Nothing is worth more than this; sums are rounded.
  double with_slack(double bound) const {
    double slack = 1e-12 * std::fabs(bound);
    if constexpr (requires { c_.rounding(i64{1}); }) slack += 8 * c_.rounding(c_.stat.weight(all_));
    return bound + slack;
  }

  double inner(std::size_t one, std::size_t two) { return worth_between(cells(end(one) - 1), cells(begin(two))); }

  double bound_of(std::size_t one, std::size_t two) {
    if (one == two) return std::numeric_limits<double>::infinity();
    return with_slack(most_low_[one] + inner(one, two) + most_high_[two]);
  }

  void look(std::size_t one, std::size_t two) {
    const double gap = one == two ? 0 : inner(one, two);
    for (std::size_t i = begin(one); i < end(one); ++i) {
      if (one != two && with_slack(to_end_[i] + gap + most_high_[two]) < best_.score) continue;
      const i64 under = c_.stat.weight(cells(i));
      if (under < least_) continue;
      for (std::size_t j = std::max(i + 1, begin(two)); j < end(two); ++j) {
        if (one != two && with_slack(to_end_[i] + gap + from_begin_[j]) < best_.score) continue;
        const i64 upto = c_.stat.weight(cells(j));
        if (upto - under < least_ || c_.stat.weight(all_) - upto < least_) continue;
        const double score = low_[i] + worth_between(cells(i), cells(j)) + high_[j];
        const bool sooner = best_.any && score == best_.score && (i < best_.first || (i == best_.first && j < best_.second));
        if (score > best_.score || sooner) best_ = {score, i, j, true};
      }
    }
  }

  const C& c_;
  const std::size_t width_;
  const std::vector<Cell>& below_;
  const Cell* all_;
  const i64 least_;
  const std::size_t n_;
  std::vector<Cell> between_;
  std::vector<double> low_;   // by cut: what lies below it is worth
  std::vector<double> high_;  // and what lies above
  std::vector<double> to_end_;
  std::vector<double> from_begin_;
  std::vector<double> most_low_;  // by block
  std::vector<double> most_high_;
  CutPair best_;
};

}  // namespace tw
