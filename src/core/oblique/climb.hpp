// Hills climbed by changing one coefficient of a plane at a time (Murthy, Kasif and Salzberg 1994).
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/job_control.hpp"
#include "oblique/drawn.hpp"
#include "oblique/sweep.hpp"

namespace tw {

class Climb {
 public:
  Climb(const NodeMatrix& rows, Measure measure, const ObliqueSettings& settings, u64 draw, JobControl& job)
      : rows_(rows), settings_(settings), job_(job), sweep_(rows, measure), drawn_(draw), ones_(rows.n, 1.0) {}

  // The plane that is reached from a direction; empty where no threshold parts the rows along it.
  std::vector<double> from(const std::vector<double>& direction) {
    if (!begin_at(direction)) return {};
    climb();
    return weights_;
  }

  // The best plane that is reached from the best split of one feature, from those given, and from random ones; the constant last.
  std::vector<double> best(const std::vector<std::vector<double>>& given) {
    std::vector<double> best;
    double most = 0;
    for (std::size_t start = 0; start <= given.size() + settings_.restarts; ++start) {
      if (!(start == 0 ? begin_at_feature() : start <= given.size() ? begin_at(given[start - 1]) : begin_anywhere())) continue;
      climb();
      if (best.empty() || higher(score_, most)) {
        best = weights_;
        most = score_;
      }
    }
    return best;
  }

 private:
  // The constant is one more feature, of ones.
  std::span<const double> of(std::size_t f) const { return f < rows_.d ? rows_.of(f) : std::span<const double>(ones_); }

  bool begin_at_feature() {
    weights_.assign(rows_.d + 1, 0.0);
    std::optional<Step> most;
    std::size_t which = 0;
    for (std::size_t f = 0; f < rows_.d; ++f) {
      const auto found = sweep_.best_shift(rows_.of(f));
      if (!found || (most && !higher(found->score, most->score))) continue;
      most = found;
      which = f;
    }
    if (!most) return false;
    weights_[which] = 1;
    weights_[rows_.d] = most->by;
    return read();
  }

  bool begin_anywhere() {
    weights_.resize(rows_.d + 1);
    for (double& w : weights_) w = drawn_.next();
    return read();
  }

  // A direction, with the best constant.
  bool begin_at(const std::vector<double>& direction) {
    weights_ = direction;
    // Sums in another order differ in their last digits, which must not decide where the climb ends.
    double largest = 0;
    for (const double w : weights_) largest = std::max(largest, std::abs(w));
    for (double& w : weights_) w = std::round(w / largest * 0x1p20) * 0x1p-20;
    weights_.push_back(0);
    read();
    const auto shift = sweep_.best_shift(values_);
    if (!shift) return false;
    take(rows_.d, *shift);
    return true;
  }

  bool read() {
    values_.assign(rows_.n, 0.0);
    for (std::size_t f = 0; f <= rows_.d; ++f) add(of(f), weights_[f]);
    score_ = sweep_.score(values_);
    return true;
  }

  void climb() {
    u32 jumps = 0;
    for (;;) {
      double stagnant = 1;  // the probability of a move that changes nothing (Murthy et al., P_stag), a tenth less after each
      for (bool moved = true; moved;) {
        job_.check();
        moved = false;
        for (std::size_t f = 0; f <= rows_.d; ++f) {
          const auto found = sweep_.best(values_, of(f));
          if (!found) continue;
          if (higher(found->score, score_)) {
            stagnant = 1;
            moved = true;
          } else if (higher(score_, found->score) || found->by == 0 || !(drawn_.unit() < stagnant)) {
            continue;
          } else {
            stagnant -= 0.1;
            moved = true;
          }
          take(f, *found);
        }
      }
      if (jumps >= settings_.jumps || !jump(jumps)) return;
    }
  }

  void take(std::size_t f, const Step& step) {
    weights_[f] += step.by;
    add(of(f), step.by);
    score_ = step.score;
  }

  // A step along a random direction; false once there have been enough of them.
  bool jump(u32& jumps) {
    std::vector<double> direction(rows_.d + 1);
    std::vector<double> along(rows_.n);
    while (jumps < settings_.jumps) {
      ++jumps;
      for (double& w : direction) w = drawn_.next();
      std::fill(along.begin(), along.end(), 0.0);
      for (std::size_t f = 0; f <= rows_.d; ++f) {
        const auto cells = of(f);
        for (std::size_t i = 0; i < rows_.n; ++i) along[i] += direction[f] * cells[i];
      }
      const auto found = sweep_.best(values_, along);
      if (!found || !higher(found->score, score_)) continue;
      for (std::size_t f = 0; f <= rows_.d; ++f) weights_[f] += found->by * direction[f];
      add(along, found->by);
      score_ = found->score;
      return true;
    }
    return false;
  }

  void add(std::span<const double> cells, double times) {
    if (times == 0) return;
    for (std::size_t i = 0; i < rows_.n; ++i) values_[i] += times * cells[i];
  }

  const NodeMatrix& rows_;
  const ObliqueSettings& settings_;
  JobControl& job_;
  Sweep sweep_;
  Drawn drawn_;
  std::vector<double> ones_;
  std::vector<double> weights_, values_;
  double score_ = 0;
};

}  // namespace tw
