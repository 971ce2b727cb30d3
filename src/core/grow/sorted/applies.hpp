// When the sorted engine applies, and by which unit it then grows a tree.
#pragma once

#include <string>

#include "base/job_control.hpp"
#include "grow/settings.hpp"
#include "tree/tree.hpp"

namespace tw {

// The engine made for one criterion.
struct SortedCriterion {
  std::string name;
  Tree (*grow)(Table&, const GrowSettings&, JobControl&) = nullptr;
  bool in_order = false;  // describes nodes by sums in the order of their rows, which rows sent after the others would change
};

// What the criterion is called where it counts reweighted classes.
inline std::string reweighted_name(const std::string& name) { return name + ", reweighted"; }

// Whether the sorted engine can grow this tree.
bool sorted_applies(const Table& table, const GrowSettings& settings);

Tree grow_by_sorted(Table& table, const GrowSettings& settings, JobControl& job);

// From how many distinct values on numeric columns should be encoded as rows in order (0: never), as far as can be told before they are
// read.
u32 order_from(const GrowSettings& settings, bool nominal_columns, bool weighted);

}  // namespace tw
