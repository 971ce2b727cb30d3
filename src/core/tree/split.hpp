// How a node divides its rows: on which column, by cuts or by levels, and where a missing cell goes. A split is also what
// conditions and rules are read from; it knows nothing of how it was found.
#pragma once

#include <string>
#include <vector>

#include "base/types.hpp"
#include "tree/family.hpp"

namespace tw {

inline constexpr i32 kNowhere = -1;      // no branch (a leaf, or no such case)
inline constexpr i32 kAllBranches = -2;  // every branch, in proportion to its weight

// A cut between two neighbouring values of the training rows; `at` is what is compared with.
struct Cut {
  double at;
  double below;
  double above;
  u32 last_below;  // rank of `below` in the training column: how training rows are divided
};

// A division by another column that stands in for a split of two branches where the cell that is asked for is missing (Breiman et al. 1984,
// section 5.3). A numeric column is cut, a nominal one sends the listed levels; other levels count as missing.
struct Surrogate {
  Column column = 0;
  u32 below = 0;               // branch of the values below the cut
  Cut cut{};                   // of a numeric column
  std::vector<Code> levels;    // of a nominal column, ascending
  std::vector<u32> branch_of;  // parallel to `levels`
  double agreement = 0;        // share of the rows it sends where the split sends them
  double adjusted = 0;         // of those the majority would send wrong, the share it gains
  double gain = 0;             // fall of impurity, were it the split
  double sent = 0;             // weight of the training rows it had to send
};

struct Split {
  Family family = Family::none;
  Column column = 0;
  bool strict = false;  // x < cut instead of x <= cut
  u32 n_branches = 0;
  i32 otherwise = kNowhere;           // branch of levels seen in training that are not listed
  i32 missing_to = kNowhere;          // branch, or kAllBranches
  bool missing_seen = false;          // the column had missing cells at this node
  std::vector<Cut> cuts;              // ascending; branch i lies below cut i
  std::vector<Code> levels;           // ascending
  std::vector<u32> branch_of;         // parallel to `levels`
  std::vector<Surrogate> surrogates;  // best first; a row whose cells they lack as well goes to `missing_to`
};

// One alternative that was weighed at a node, kept on request.
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
