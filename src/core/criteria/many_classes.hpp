// How the plain engine sweeps a column where classes are many: no step looks at all of them. What is exact all the same is given as it is,
// the rest within bounds; the criterion's own score then settles what those leave open. A row of a class may count a factor.
#pragma once

#include <queue>

#include "base/numbers.hpp"
#include "search/criterion.hpp"

namespace tw {

template <Criterion C>
class ManyClassesSweep {
 public:
  ManyClassesSweep(const C& c, i64* left, i64* right) : left_(left), right_(right), k_(c.stat.k), c_(c), exact_(c, left, right) {}

  i64 left_weight() const { return exact_.left_weight(); }
  i64 right_weight() const { return exact_.right_weight(); }
  double score() const { return exact_.score(); }
  bool looks_ahead() const { return k_ >= kManyClasses; }

 protected:
  // What a weight of a class counts.
  double counted(u32 k, i64 weight) const {
    if constexpr (requires { c_.factor; })
      return c_.factor[k] * static_cast<double>(weight);
    else
      return static_cast<double>(weight);
  }
  void start_sides(const i64* left, const i64* right) {
    exact_.start(left, right);
    moves_ = 0;
    below_ = above_ = 0;
    for (u32 k = 0; k < k_; ++k) {
      below_ += counted(k, left_[k]);
      above_ += counted(k, right_[k]);
    }
    all_ = below_ + above_;
  }
  void move_row(i32 label, i64 w) {
    exact_.move(label, w);
    const double counts = counted(static_cast<u32>(label), w);
    below_ += counts;
    above_ -= counts;
    ++moves_;
  }
  // By which share of itself a sum over classes that is kept up to date may be off, and an exact one, together.
  double rounding() const { return 1e-15 * (static_cast<double>(moves_) + k_ + 16); }
  static Bounds unknown() { return {-std::numeric_limits<double>::infinity(), std::numeric_limits<double>::infinity()}; }

  i64* left_;
  i64* right_;
  u32 k_;
  double below_ = 0;
  double above_ = 0;
  double all_ = 0;

 private:
  const C& c_;
  Sweep<C> exact_;
  u64 moves_ = 0;
};

// Parts of the score that add up over the classes of a side.
template <Criterion C, class Parts>
class SumsSweep : public ManyClassesSweep<C> {
  using Base = ManyClassesSweep<C>;

 public:
  using Base::Base;

  void start(const i64* left, const i64* right) {
    Base::start_sides(left, right);
    left_parts_ = right_parts_ = 0;
    for (u32 k = 0; k < Base::k_; ++k) {
      left_parts_ += part(k, Base::left_);
      right_parts_ += part(k, Base::right_);
    }
    first_right_ = std::fabs(right_parts_);
  }
  void move(i32 label, i64 w) {
    const auto k = static_cast<u32>(label);
    left_parts_ -= part(k, Base::left_);
    right_parts_ -= part(k, Base::right_);
    Base::move_row(label, w);
    left_parts_ += part(k, Base::left_);
    right_parts_ += part(k, Base::right_);
  }
  void move_group(const i64* cells) {
    for (u32 k = 0; k < Base::k_; ++k)
      if (cells[k] > 0) move(static_cast<i32>(k), cells[k]);
  }
  Bounds bounds() const {
    if (!Base::looks_ahead() || !(Base::below_ > 0) || !(Base::above_ > Base::rounding() * Base::all_ * 16)) return Base::unknown();
    return Parts::bounds(left_parts_, right_parts_, first_right_, Base::below_, Base::above_, Base::all_, Base::rounding());
  }

 private:
  double part(u32 k, const i64* side) const { return Parts::of(Base::counted(k, side[k])); }

  double left_parts_ = 0;
  double right_parts_ = 0;
  double first_right_ = 0;
};

// The squares of what is counted, over the sum.
struct SquareParts {
  static double of(double x) { return x * x; }
  static Bounds bounds(double left, double right, double first_right, double below, double above, double all, double rounding) {
    const double score = left / below + right / above;
    // Squares above are what is left of those at the beginning, with the rounding of those; the weight above likewise.
    const double off = rounding * (4 * all + 2 * first_right / above + 4 * all * (right / above) / above + 4 * left / below);
    return {score - off, score + off};
  }
};

// x log2 x of what is counted, less that of the sum.
struct EntropyParts {
  static double of(double x) { return x >= 1e-300 ? x * estimated_log().log2(x) : 0; }
  static Bounds bounds(double left, double right, double, double below, double above, double all, double rounding) {
    const double score = left + right - of(below) - of(above);
    const double bits = std::fabs(estimated_log().log2(all)) + 64;  // more than the logarithm of any part that shows
    const double off = (1e-7 + 4 * bits * rounding) * all;
    return {score - off, score + off};
  }
};

// Sums of the largest class of each side, which is exact: where it moves, the next is on top of a queue or will be once those are taken
// off that no longer hold.
template <Criterion C>
class LargestSweep : public ManyClassesSweep<C> {
  using Base = ManyClassesSweep<C>;

 public:
  using Base::Base;

  void start(const i64* left, const i64* right) {
    Base::start_sides(left, right);
    if (!Base::looks_ahead()) return;
    largest_left_ = 0;
    std::vector<Largest> classes;
    for (u32 k = 0; k < Base::k_; ++k) {
      largest_left_ = std::max(largest_left_, Base::counted(k, Base::left_[k]));
      classes.push_back({Base::counted(k, Base::right_[k]), k});
    }
    right_ = std::priority_queue<Largest>({}, std::move(classes));
  }
  void move(i32 label, i64 w) {
    Base::move_row(label, w);
    if (!Base::looks_ahead()) return;
    const auto k = static_cast<u32>(label);
    largest_left_ = std::max(largest_left_, Base::counted(k, Base::left_[k]));
    for (;;) {
      const Largest first = right_.top();
      const double now = Base::counted(first.k, Base::right_[first.k]);
      if (now == first.counts) break;
      right_.pop();
      right_.push({now, first.k});
    }
  }
  void move_group(const i64* cells) {
    for (u32 k = 0; k < Base::k_; ++k)
      if (cells[k] > 0) move(static_cast<i32>(k), cells[k]);
  }
  double score() const { return Base::looks_ahead() ? largest_left_ + right_.top().counts : Base::score(); }

 private:
  struct Largest {
    double counts;
    u32 k;
    bool operator<(const Largest& o) const { return counts < o.counts; }
  };
  double largest_left_ = 0;
  std::priority_queue<Largest> right_;
};

// Twoing. With t_k of a class in all, of which l_k lie below, and the share p of all weight below, the sum of differences is that of
// |l_k - t_k p| over W p (1 - p), of which the classes with l_k > t_k p give half: sums of l_k and of t_k over those classes tell it. p
// only grows, so that a class leaves them where p passes l_k / t_k, which a queue tells, and enters them by a row of its own.
template <Criterion C>
class TwoingSweep : public ManyClassesSweep<C> {
  using Base = ManyClassesSweep<C>;

 public:
  using Base::Base;

  void start(const i64* left, const i64* right) {
    Base::start_sides(left, right);
    if (!Base::looks_ahead()) return;
    ahead_.assign(Base::k_, 0);
    passed_ = {};
    below_ahead_ = total_ahead_ = 0;
    for (u32 k = 0; k < Base::k_; ++k) enter(k);
  }
  void move(i32 label, i64 w) {
    const auto k = static_cast<u32>(label);
    if (!Base::looks_ahead()) return Base::move_row(label, w);
    leave(k);
    Base::move_row(label, w);
    enter(k);
    const double share = Base::below_ / Base::all_;
    for (; !passed_.empty() && passed_.top().at <= share; passed_.pop())
      if (ahead_[passed_.top().k] == passed_.top().below) leave(passed_.top().k);
  }
  void move_group(const i64* cells) {
    for (u32 k = 0; k < Base::k_; ++k)
      if (cells[k] > 0) move(static_cast<i32>(k), cells[k]);
  }
  Bounds bounds() const {
    const double below = Base::below_;
    const double above = Base::above_;
    const double all = Base::all_;
    const double rounding = Base::rounding();
    if (!Base::looks_ahead() || !(below > 0) || !(above > rounding * all * 16)) return Base::unknown();
    const double half = below_ahead_ - total_ahead_ * (below / all);
    const double score = half / below * (half / above);
    // Half is no more than either side, and off by a share of all weight; so is the weight above.
    const double off = rounding * (16 + 16 * all / above * score) + rounding * all / below * (rounding * all / above) * 16;
    return {score - off, score + off};
  }

 private:
  struct Passed {
    double at;  // the share below which the class is ahead ...
    i64 below;  // ... with this weight below; it may have moved since
    u32 k;
    bool operator<(const Passed& o) const { return at > o.at; }
  };

  void enter(u32 k) {
    const i64 below = Base::left_[k];
    const i64 total = below + Base::right_[k];
    const double at = static_cast<double>(below) / static_cast<double>(total);
    if (!(at > Base::below_ / Base::all_)) return;
    ahead_[k] = below;
    below_ahead_ += Base::counted(k, below);
    total_ahead_ += Base::counted(k, total);
    if (below < total) passed_.push({at, below, k});
  }
  void leave(u32 k) {
    if (ahead_[k] == 0) return;
    below_ahead_ -= Base::counted(k, ahead_[k]);
    total_ahead_ -= Base::counted(k, Base::left_[k] + Base::right_[k]);
    ahead_[k] = 0;
  }

  std::vector<i64> ahead_;  // by class: what lies below of those that are ahead; else 0
  std::priority_queue<Passed> passed_;
  double below_ahead_ = 0;
  double total_ahead_ = 0;
};

}  // namespace tw
