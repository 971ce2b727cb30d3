// Sequential covering: one rule after the other is grown, pruned and added, and what it covers is put aside. IREP (Fürnkranz and Widmer
// 1994) and RIPPER (Cohen 1995) are settings of the same loop; see docs/rules.md for which choices are whose.
#pragma once

#include <vector>

#include "base/job_control.hpp"
#include "rules/cases.hpp"
#include "rules/measures.hpp"

namespace tw {

struct LearnedRule {
  u32 says = 0;
  Literals when;
};

// What optimisation did, in rules.
struct CoverTrace {
  u32 kept = 0;
  u32 revised = 0;
  u32 replaced = 0;
  u32 residual = 0;  // added for cases the optimised rules left
  u64 visits = 0;    // entries of sorted lists that were passed: what the time of learning grows with
};

struct LearnedList {
  std::vector<LearnedRule> rules;
  std::vector<u32> class_order;  // increasing weight; the last is the default
  CoverTrace trace;
};

LearnedList cover(const Cases& cases, const CoverSettings& settings, const JobControl& job);

}  // namespace tw
