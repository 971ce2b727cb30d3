// Sequential covering: one rule after the other is grown, pruned and added, and the cases it covers are removed. IREP (Fürnkranz and Widmer
// 1994) and RIPPER (Cohen 1995) are settings of the same loop; docs/rules.md tells which choices are whose.
#pragma once

#include <vector>

#include "base/job_control.hpp"
#include "rules/cases.hpp"
#include "rules/measures.hpp"

namespace tw {

struct LearnedRule {
  u32 label = 0;
  Literals when;
};

// Rules by what optimisation did with them.
struct CoverTrace {
  u32 kept = 0;
  u32 revised = 0;
  u32 replaced = 0;
  u32 residual = 0;  // added for cases the optimised rules left
  u64 visits = 0;    // entries of sorted lists that were read: learning time is proportional to it
};

struct LearnedList {
  std::vector<LearnedRule> rules;
  std::vector<u32> class_order;  // increasing weight; the last is the default
  CoverTrace trace;
};

LearnedList cover(const Cases& cases, const CoverSettings& settings, const JobControl& job);

}  // namespace tw
