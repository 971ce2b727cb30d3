// How a node divides its rows while a tree is made: on which column, or on which number derived from several, by cuts or by levels, and
// where a missing cell goes. It knows nothing of how it was found.
#pragma once

#include <string>
#include <vector>

#include "base/types.hpp"
#include "tree/test.hpp"

namespace tw {

// A surrogate: a division by another column that decides for a split of two branches where its cell is missing (Breiman et al. 1984,
// section 5.3). A numeric column is cut, a nominal one sends the listed levels; other levels count as missing.
struct Surrogate {
  Column column = 0;
  u32 below = 0;               // branch of the values below the cut
  Cut cut{};                   // of a numeric column
  std::vector<Code> levels;    // of a nominal column, ascending
  std::vector<u32> branch_of;  // parallel to `levels`
  double agreement = 0;        // share of the rows it sends where the split sends them
  double adjusted = 0;         // of those the majority would send wrong, the share it gains
  double gain = 0;             // fall of impurity if it were the split
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
  std::vector<DerivedTerm> terms;     // where the number that is cut is derived from several columns; `column` is then the first of them
  std::vector<ScorePart> parts;       // how it is derived, where it is more than the sum of the terms
  std::vector<Cut> cuts;              // ascending; branch i lies below cut i
  std::vector<Code> levels;           // ascending
  std::vector<u32> branch_of;         // parallel to `levels`
  std::vector<Surrogate> surrogates;  // best first; a row whose cells they lack as well goes to `missing_to`
};

// The tests that training cells, which are ranks and levels, are divided by.
inline CellTest<std::span<const Cut>> test_of(const Split& split) {
  return {form_of(split.family), split.cuts, split.levels, split.branch_of, split.otherwise};
}
inline CellTest<std::span<const Cut>> test_of(const Surrogate& surrogate) {
  const bool levels = !surrogate.levels.empty();
  return {levels ? Form::levels : Form::cuts, {&surrogate.cut, levels ? 0U : 1U}, surrogate.levels, surrogate.branch_of, kNowhere};
}

// The branch of a training cell that is present; kNowhere: a level that is as good as missing.
inline i32 branch_of_code(const Split& split, Code code) { return branch_of(test_of(split), RankedCell{code}); }

// The branch a surrogate sends a training cell to; kNowhere if it cannot say.
inline i32 branch_of_code(const Surrogate& surrogate, Code code) {
  return code == kMissing ? kNowhere : sent_by(surrogate.below, test_of(surrogate), RankedCell{code});
}

}  // namespace tw
