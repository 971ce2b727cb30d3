// What is searched for, how long, and what came of it.
#pragma once

#include <atomic>
#include <functional>
#include <limits>

#include "search/settings.hpp"
#include "tree/tree.hpp"

namespace tw {

// What a search knows so far, for whoever waits for it.
struct SearchNews {
  std::atomic<double> best{std::numeric_limits<double>::infinity()};
  std::atomic<double> bound{0};
};

struct OptimalSettings {
  SearchSettings search;  // criterion by which nodes are described, losses, class factors, policy for missing cells, nominal family
  u32 max_depth = 0;
  u32 max_splits = std::numeric_limits<u32>::max();
  double cost_per_leaf = 0;  // in the unit of the loss: rows, or squared errors
  u32 max_thresholds = 0;    // of a numeric column; 0: all
  u32 max_subset_levels = 0;
  u64 max_steps = std::numeric_limits<u64>::max();
  double time_limit = std::numeric_limits<double>::infinity();
  std::function<double()> clock;  // seconds; empty: the steady clock of the machine
  u64 cache_bytes = u64{256} << 20;
  SearchNews* news = nullptr;
  bool keep_best = false;  // when the caller asks to stop: return the best tree there is instead of throwing
};

enum class Ended : u8 { proven, steps, time, interrupt };
inline constexpr const char* kEndedNames[] = {"proven", "steps", "time", "interrupt"};

struct OptimalOutcome {
  Tree tree;
  double cost = 0;    // of the tree, leaves included
  double bound = 0;   // no tree within the limits costs less
  double greedy = 0;  // what the tree costs that the search began with
  Ended ended = Ended::proven;
  u64 steps = 0;
  u64 looks = 0;       // at the clock
  u64 cache_peak = 0;  // bytes
};

}  // namespace tw
