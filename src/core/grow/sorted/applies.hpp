// When the sorted engine applies, and by which unit it then grows a tree.
#pragma once

#include <string>

#include "base/job_control.hpp"
#include "grow/settings.hpp"
#include "tree/builder.hpp"

namespace tw {

// The root of a subtree in the tree that it is a part of.
struct SubtreeRoot {
  u32 node = 0;  // of the builder
  u32 depth = 0;
  u64 path = 0;
  double all = 0;  // weight of the whole table
};

// The engine made for one criterion.
struct SortedCriterion {
  std::string name;
  Tree (*grow)(Table&, const GrowSettings&, JobControl&) = nullptr;
  bool in_order = false;  // describes nodes by sums in the order of their rows, which rows sent after the others would change
  // Grows a subtree of no more rows than a small frame holds, depth first and by one thread: the rows of the table are those of its root.
  void (*grow_below)(Table&, const GrowSettings&, JobControl&, const SubtreeRoot&, Builder&) = nullptr;
};

// What the criterion is called where it counts reweighted classes.
inline std::string reweighted_name(const std::string& name) { return name + ", reweighted"; }

// The unit of the settings' criterion; null if there is none.
const SortedCriterion* sorted_unit_of(const SearchSettings& search);

// Whether the sorted engine can grow this tree.
bool sorted_applies(const Table& table, const GrowSettings& settings);

Tree grow_by_sorted(Table& table, const GrowSettings& settings, JobControl& job);

// From how many distinct values on numeric columns should be encoded as rows in order (0: never), as far as can be told before they are
// read.
u32 order_from(const GrowSettings& settings, bool nominal_columns, bool weighted);

}  // namespace tw
