// The one meaning of a split: which branch a cell takes. A test divides a number by cuts, a level by a list, or asks whether there is
// anything at all; whoever grows, routes, prunes, covers by rules or answers by models asks here, whatever form his cells have.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <vector>

#include "base/numbers.hpp"
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

// One term of a derived number: a coefficient times a cell, or times 1 where the cell is a level, else 0; and that times the number of
// another column, where it is a product. The number is the sum of its terms in their order, unless parts say more (ScorePart).
struct DerivedTerm {
  u32 column = 0;
  i32 level = kNumber;  // or the level whose presence is 1
  double coefficient = 0;
  double missing = std::numeric_limits<double>::quiet_NaN();  // what a missing cell counts as; NaN, of all terms: the sum is missing
  i32 by = kAlone;                                            // the numeric column it is multiplied with
  double by_missing = 0;                                      // and what a missing cell of that counts as; NaN where `missing` is

  static constexpr i32 kNumber = -1;
  static constexpr i32 kAlone = -1;

  // `row` tells the numbers (NaN where missing) and the levels (negative where missing) of its cells by column.
  template <class Row>
  double of(const Row& row) const {
    const double alone = coefficient * cell(row);
    if (by == kAlone) return alone;
    const double x = row.number(static_cast<std::size_t>(by));
    return alone * (std::isnan(x) ? by_missing : x);
  }

 private:
  template <class Row>
  double cell(const Row& row) const {
    if (level == kNumber) {
      const double x = row.number(column);
      return std::isnan(x) ? missing : x;
    }
    const i64 at = row.level(column);
    return at < 0 ? missing : at == level ? 1.0 : 0.0;
  }
};

// A run of terms with a constant, as a part of a score. A score is the sum of its parts; a squashed part adds a weight times
// 1 / (1 + exp(-sum)) instead of its sum. Where a node has several scores, the derived number is the number of the largest, from 0.
struct ScorePart {
  u32 score = 0;  // ascending from 0
  u32 terms = 0;  // how many of the node's terms, in their order
  u8 squashed = 0;
  double weight = 1;  // of a squashed part
  double constant = 0;
};

// Below 1 / 2 the same digits as above, and no exponential overflows.
inline double squashed(double x) {
  const double e = exp_of(-std::abs(x));
  return (x >= 0 ? 1 : e) / (1 + e);
}

// `term` and `part` give a term and a part by their place. Without parts the number is the sum of the terms. A score that is no number
// makes the number missing.
template <class TermAt, class PartAt, class Row>
double derived_of(std::size_t terms, const TermAt& term, std::size_t parts, const PartAt& part, const Row& row) {
  if (parts == 0) {
    double sum = 0;
    for (std::size_t t = 0; t < terms; ++t) sum += term(t).of(row);
    return sum;
  }
  double best = 0;
  double largest = 0;
  double score = 0;
  std::size_t t = 0;
  u32 last = 0;
  for (std::size_t p = 0; p < parts; ++p) {
    const ScorePart at = part(p);
    if (at.score != last || p == 0) score = 0;
    last = at.score;
    double sum = at.constant;
    for (const std::size_t end = t + at.terms; t < end; ++t) sum += term(t).of(row);
    score += at.squashed != 0 ? at.weight * squashed(sum) : sum;
    if (p + 1 < parts && part(p + 1).score == last) continue;
    if (std::isnan(score)) return score;
    if (last == 0 || score > largest) {
      largest = score;
      best = last;
    }
  }
  return last == 0 ? score : best;
}

template <class Row>
double derived_of(const std::vector<DerivedTerm>& terms, const std::vector<ScorePart>& parts, const Row& row) {
  return derived_of(
      terms.size(), [&](std::size_t t) -> const DerivedTerm& { return terms[t]; }, parts.size(),
      [&](std::size_t p) -> const ScorePart& { return parts[p]; }, row);
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
