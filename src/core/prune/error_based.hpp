// Settings of error-based pruning, and what it can decide while a tree grows.
#pragma once

#include "grow/settings.hpp"
#include "prune/estimate.hpp"

namespace tw {

struct ErrorBased {
  double confidence = 0.25;
  Estimate estimate = Estimate::quinlan;
  bool raising = true;
  std::vector<double> factor = {};  // what a row of each class counts; empty: one each
};

// What such pruning can decide while the tree grows.
EarlyPruning early_pruning(const ErrorBased& settings, bool collapse);

}  // namespace tw
