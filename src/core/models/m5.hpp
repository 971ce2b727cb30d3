// M5 (Quinlan 1992) and M5' (Wang and Witten 1997, as in WEKA's M5P): a tree grown by the reduction of deviation, a linear model in every
// node, pruned where the model of a node is expected to err no more than its subtree.
#pragma once

#include <vector>

#include "base/job_control.hpp"
#include "models/linear.hpp"
#include "models/regress.hpp"
#include "table/table.hpp"

namespace tw {

struct M5Settings {
  // M5' splits by the reduction of the fifth root of the variance and leaves a fifth of the rows on each side of a cut; M5 by that of the
  // standard deviation, with two rows on each side.
  bool prime = true;
  double min_split = 4;         // weight
  double min_deviation = 0.05;  // of the standard deviation of the whole target; a node below is a leaf
  bool pruned = true;
  bool linear = true;  // otherwise all models are means
};

struct ModelTree {
  Tree tree;
  LinearModels models;
  u32 chosen = 0;  // a leaf, see cover_m5
};

// `columns` are the cells of `table`, which has ranks, levels, target and weights.
ModelTree grow_m5(const Table& table, const std::vector<View>& cells, const M5Settings& settings, JobControl& job);

// M5Rules (Holmes, Hall and Frank 1999): of the tree of the rows that are left, the leaf of most weight becomes a rule, and its rows are
// removed, until none are left. Each rule is the path from the root to that leaf (`chosen`): nodes beside it are leaves. Fills of missing
// cells and the places of levels are those of the whole table.
std::vector<ModelTree> cover_m5(const Table& table, const std::vector<View>& cells, const M5Settings& settings, JobControl& job);

}  // namespace tw
