// PART (Frank and Witten 1998, as implemented by WEKA): a C4.5 tree of the rows that are left is grown only as far as it takes to find one
// leaf that pruning would keep, the leaf becomes a rule, and its rows are removed.
#pragma once

#include <vector>

#include "grow/plain/node_grower.hpp"
#include "stats/error_estimate.hpp"

namespace tw {

struct PartialSettings {
  bool pruned = true;  // a node whose branches are all leaves becomes one if it is not expected to err more
  ErrorEstimate estimate{0.25, Estimate::weka};
  double min_weight = 2;  // branches of less weight are not expanded
};

// A rule as the path to its leaf: nodes beside the path are leaves.
struct PartialRule {
  Tree tree;
  u32 leaf = 0;
};

// In their order; the last has no conditions. A row with a missing cell goes down all branches in fractions, and a rule takes its fraction.
std::vector<PartialRule> cover_by_trees(Table table, const GrowSettings& growing, const PartialSettings& settings, JobControl& job);

}  // namespace tw
