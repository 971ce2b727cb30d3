// PART (Frank and Witten 1998, as WEKA's PART has it): of the rows that are left a C4.5 tree is grown only as far as it takes to find one
// leaf that stays, the leaf becomes a rule, and its rows leave.
#pragma once

#include <vector>

#include "grow/plain/node_grower.hpp"
#include "stats/error_estimate.hpp"

namespace tw {

struct PartialSettings {
  bool pruned = true;  // a node whose branches are all leaves becomes one if it is not expected to err more
  ErrorEstimate estimate{0.25, Estimate::weka};
  double min_weight = 2;  // branches of less weight are not looked at
};

// A rule as the way to its leaf: nodes beside the way are leaves.
struct PartialRule {
  Tree tree;
  u32 leaf = 0;
};

// In their order; the last has no conditions. Cells that are missing go down all branches in part, and a rule takes its part of a row.
std::vector<PartialRule> cover_by_trees(Table table, const GrowSettings& growing, const PartialSettings& settings, JobControl& job);

}  // namespace tw
