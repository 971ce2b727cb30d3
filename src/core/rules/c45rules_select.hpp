// C4.5rules (Quinlan 1993, chapter 5): the paths of an unpruned tree, generalised one by one, selected class by class by description
// length, put in order and polished.
#pragma once

#include <vector>

#include "base/job_control.hpp"
#include "stats/error_estimate.hpp"
#include "table/table.hpp"
#include "tree/tree.hpp"

namespace tw {

// One condition of a path: the row takes this branch at this node, its cell being present.
struct Turn {
  u32 node = 0;
  u32 branch = 0;
};

struct SelectedRule {
  u32 label = 0;
  std::vector<Turn> when;
  double error = 0;  // pessimistic
};

struct SelectSettings {
  double confidence = 0.25;
  u64 seed = 0;  // of the random search where a class has more than ten rules
  // A rule also loses a condition if one of its conditions is not significant at this level, by Fisher's exact test; 1: no test.
  double significance = 1;
  double redundancy = 1;  // of the columns: to name one takes this many times fewer bits
  bool annealed = false;  // rules of a class are chosen by simulated annealing instead of hill climbing from random starts
};

struct Selected {
  std::vector<SelectedRule> rules;
  u32 otherwise = 0;    // the default class
  u32 generalised = 0;  // rules before the selection
};

Selected select_rules(const Tree& tree, const std::vector<View>& cells, const Table& table, const SelectSettings& settings,
                      const JobControl& job);

}  // namespace tw
