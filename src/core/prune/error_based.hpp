// Error-based pruning (Quinlan 1993, chapter 4): bottom up, a subtree makes way for a leaf or for its largest branch if that is expected to
// make no more errors.
#pragma once

#include "grow/settings.hpp"
#include "prune/estimate.hpp"
#include "prune/plan.hpp"

namespace tw {

struct ErrorBased {
  double confidence = 0.25;
  Estimate estimate = Estimate::quinlan;
  bool raising = true;
  std::vector<double> factor = {};  // what a row of each class counts; empty: one each
};

// What such pruning can decide while the tree grows.
EarlyPruning early_pruning(const ErrorBased& settings, bool collapse);

Plan error_based(const Tree& tree, const PruneRows& rows, const ErrorBased& settings, const JobControl& job);

}  // namespace tw
