// How much work was done, and whether there may be more. A step is one look at the rows of a node by one column: a number that depends on
// the table and the settings alone, so that a search limited by steps always ends at the same place.
#pragma once

#include <algorithm>
#include <chrono>

#include "base/job_control.hpp"
#include "optimal/settings.hpp"

namespace tw {

class Meter {
 public:
  // The clock is looked at at least every so many steps, and sooner where a step takes long.
  static constexpr u64 kMostSteps = 8192;
  static constexpr u64 kMostRows = u64{1} << 22;

  Meter(const OptimalSettings& settings, const JobControl& job)
      : settings_(settings),
        job_(job),
        limited_(settings.time_limit < std::numeric_limits<double>::infinity()),
        begun_(limited_ ? now() : 0) {}

  // Counts some steps over so many rows each; false once the search is to end.
  bool work(u64 steps, u64 rows) {
    steps_ += steps;
    since_steps_ += steps;
    since_rows_ += steps * rows;
    if (stopped_) return false;
    if (steps_ >= settings_.max_steps) return stop(Ended::steps);
    if (job_.stop.load(std::memory_order_relaxed)) return stop(Ended::interrupt);
    if (limited_ && (since_steps_ >= kMostSteps || since_rows_ >= kMostRows)) look();
    return !stopped_;
  }

  // Looks whether the search is to end after some work that is part of a step, or of none; such rows cost as much as `weight` plain ones.
  bool goes_on(u64 rows, u64 weight = 1) {
    since_rows_ += rows * weight;
    if (stopped_) return false;
    if (job_.stop.load(std::memory_order_relaxed)) return stop(Ended::interrupt);
    if (limited_ && since_rows_ >= kMostRows) look();
    return !stopped_;
  }

  // What is told of costs is told in the unit of the loss.
  void in_unit(double step, double first_leaf) {
    step_ = step;
    first_leaf_ = first_leaf;
  }
  void tell(double best, double bound) {
    if (settings_.news == nullptr) return;
    settings_.news->best.store(best * step_ + first_leaf_, std::memory_order_relaxed);
    settings_.news->bound.store(bound * step_ + first_leaf_, std::memory_order_relaxed);
  }

  bool stopped() const { return stopped_; }
  Ended ended() const { return ended_; }
  u64 steps() const { return std::min(steps_, settings_.max_steps); }
  u64 looks() const { return looks_; }

 private:
  bool stop(Ended why) {
    stopped_ = true;
    ended_ = why;
    return false;
  }
  void look() {
    since_steps_ = since_rows_ = 0;
    ++looks_;
    if (now() - begun_ >= settings_.time_limit) stop(Ended::time);
  }
  double now() const {
    if (settings_.clock) return settings_.clock();
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
  }

  const OptimalSettings& settings_;
  const JobControl& job_;
  bool limited_;
  double begun_;
  double step_ = 1, first_leaf_ = 0;
  u64 steps_ = 0, since_steps_ = 0, since_rows_ = 0, looks_ = 0;
  bool stopped_ = false;
  Ended ended_ = Ended::proven;
};

}  // namespace tw
