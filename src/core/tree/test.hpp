// The one meaning of a split: which branch a cell takes. A test divides a number by cuts, a level by a list, or asks whether there is
// anything at all; whoever grows, routes, prunes, covers by rules or answers by models asks here, whatever form his cells have.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
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

// One term of a derived number: a coefficient times a cell, or times 1 where the cell is a level, else 0. The number is the sum of its
// terms in their order.
struct DerivedTerm {
  u32 column = 0;
  i32 level = kNumber;  // or the level whose presence is 1
  double coefficient = 0;
  double missing = std::numeric_limits<double>::quiet_NaN();  // what a missing cell counts as; NaN, of all terms: the sum is missing

  static constexpr i32 kNumber = -1;

  // `row` tells the numbers (NaN where missing) and the levels (negative where missing) of its cells by column.
  template <class Row>
  double of(const Row& row) const {
    if (level == kNumber) {
      const double x = row.number(column);
      return coefficient * (std::isnan(x) ? missing : x);
    }
    const i64 at = row.level(column);
    return coefficient * (at < 0 ? missing : at == level ? 1.0 : 0.0);
  }
};

template <class Row>
double sum_of(const std::vector<DerivedTerm>& terms, const Row& row) {
  double sum = 0;
  for (const DerivedTerm& term : terms) sum += term.of(row);
  return sum;
}

// A test over cells that are present. `Cuts` is what its cells are compared with.
template <class Cuts>
struct CellTest {
  Form form = Form::none;
  Cuts cuts;                       // ascending; branch i lies below cut i
  std::span<const u32> levels;     // ascending
  std::span<const u32> branch_of;  // parallel to `levels`
  i32 otherwise = kNowhere;        // branch of levels that are not listed
};

// A cell as its number.
struct NumberCell {
  double x;
  bool strict;  // a cut is not below itself
  bool below(double cut) const { return strict ? x < cut : x <= cut; }
  bool below(const Cut& cut) const { return below(cut.at); }
  static u32 level() { return 0; }  // a number has none
};

// A cell as its level, which no cut divides.
struct LevelCell {
  u32 at;
  static bool below(double) { return false; }
  u32 level() const { return at; }
};

// A training cell: the rank of its value, or its level.
struct RankedCell {
  Code code;
  bool below(const Cut& cut) const { return code <= cut.last_below; }
  u32 level() const { return code; }
};

// The branch of a cell that is present; kNowhere: a level that is not listed, and is as good as missing.
template <class Cuts, class Cell>
i32 branch_of(const CellTest<Cuts>& test, const Cell& cell) {
  if (test.form != Form::levels) {  // presence has no cuts: every cell that is present goes to the first branch
    i32 branch = 0;
    for (const auto& cut : test.cuts) {
      if (cell.below(cut)) break;
      ++branch;
    }
    return branch;
  }
  const u32 level = cell.level();
  // Where all levels up to it are listed, its place is its number.
  if (level < test.levels.size() && test.levels[level] == level) return static_cast<i32>(test.branch_of[level]);
  const auto at = std::lower_bound(test.levels.begin(), test.levels.end(), level);
  if (at != test.levels.end() && *at == level) return static_cast<i32>(test.branch_of[static_cast<std::size_t>(at - test.levels.begin())]);
  return test.otherwise;
}

// The branch a surrogate sends a cell that is present to: `first` below its cut, the other above it; or as its levels say.
template <class Cuts, class Cell>
i32 sent_by(u32 first, const CellTest<Cuts>& test, const Cell& cell) {
  const i32 branch = branch_of(test, cell);
  if (test.form != Form::cuts) return branch;
  return branch == 0 ? static_cast<i32>(first) : 1 - static_cast<i32>(first);
}

}  // namespace tw
