// One candidate of a node as a tree keeps it on request.
#pragma once

#include "base/types.hpp"
#include "tree/family.hpp"

namespace tw {

struct CandidateRecord {
  Column column = 0;
  Family family = Family::none;
  bool chosen = false;
  u32 n_branches = 0;
  u64 tried = 0;  // cuts or divisions looked at
  double gain = 0;
  double penalty = 0;  // taken from the gain before candidates were compared
  double merit = 0;
  double split_info = 0;
  double after = 0;  // impurity after the split
  double cut = 0;    // first cut, NaN where there is none
  u32 levels = 0;    // levels it lists
};

}  // namespace tw
