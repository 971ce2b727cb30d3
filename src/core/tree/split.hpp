// How a node divides its rows: on which column, by cuts or by levels, and where a missing cell goes. A split is also what
// conditions and rules are read from; it knows nothing of how it was found.
#pragma once

#include <string>
#include <vector>

#include "base/types.hpp"

namespace tw {

enum class Family : u8 { none, threshold, ternary, discretised, multiway, one_vs_rest, subset, presence, grouped };

inline constexpr const char* kFamilyNames[] = {"none",        "threshold", "ternary",  "discretised", "multiway",
                                               "one_vs_rest", "subset",    "presence", "grouped"};
inline constexpr u8 kFamilies = 9;

constexpr bool by_cuts(Family f) { return f == Family::threshold || f == Family::ternary || f == Family::discretised; }
constexpr bool by_levels(Family f) {
  return f == Family::multiway || f == Family::one_vs_rest || f == Family::subset || f == Family::grouped;
}

inline constexpr i32 kNowhere = -1;      // no branch (a leaf, or no such case)
inline constexpr i32 kAllBranches = -2;  // every branch, in proportion to its weight

// A cut between two neighbouring values of the training rows; `at` is what is compared with.
struct Cut {
  double at;
  double below;
  double above;
  u32 last_below;  // rank of `below` in the training column: how training rows are divided
};

struct Split {
  Family family = Family::none;
  Column column = 0;
  bool strict = false;  // x < cut instead of x <= cut
  u32 n_branches = 0;
  i32 otherwise = kNowhere;    // branch of levels seen in training that are not listed
  i32 missing_to = kNowhere;   // branch, or kAllBranches
  bool missing_seen = false;   // the column had missing cells at this node
  std::vector<Cut> cuts;       // ascending; branch i lies below cut i
  std::vector<Code> levels;    // ascending
  std::vector<u32> branch_of;  // parallel to `levels`
};

// One alternative that was weighed at a node, kept on request.
struct Weighed {
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
};

}  // namespace tw
