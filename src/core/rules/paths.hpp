// The first step of C4.5rules (Quinlan 1993, chapter 5): the paths of an unpruned tree as rules, without the conditions they do not need.
#pragma once

#include <vector>

#include "base/job_control.hpp"
#include "rules/c45rules_select.hpp"
#include "rules/weighted_rows.hpp"

namespace tw {

// A rule that may be selected.
struct Draft {
  SelectedRule rule;
  Bits covers;
  std::vector<u32> words;  // of `covers` that are not empty
  double bits = 0;         // its description length

  // A rule with so large an estimated error takes part in the selection, and is never applied.
  bool never_fires() const { return rule.error > 0.7; }
};

// Rules of the same conditions and class are one.
std::vector<Draft> generalised_paths(const Tree& tree, const std::vector<View>& cells, const Table& table, const WeightedRows& rows,
                                     const SelectSettings& settings, const JobControl& job);

}  // namespace tw
