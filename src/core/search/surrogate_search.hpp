// How well a column agrees with a division of a node's rows in two: the search for surrogate splits (Breiman et al. 1984, section 5.3;
// Therneau and Atkinson's rpart). Weights are whole, so agreements are exact and their order depends on nothing but the rows.
#pragma once

#include <algorithm>
#include <vector>

#include "search/settings.hpp"
#include "tree/split.hpp"

namespace tw {

// Weight per branch of the division it is compared with.
struct TwoWays {
  i64 of[2] = {0, 0};
  i64 rows[2] = {0, 0};  // their number; one that weighs two or more counts as two

  i64 total() const { return of[0] + of[1]; }
  i64 all_rows() const { return rows[0] + rows[1]; }
  i64 majority() const { return std::max(of[0], of[1]); }
  void add(i32 side, i64 weight, i64 count) {
    of[side] += weight;
    rows[side] += count;
  }
  void add_all(const TwoWays& more, i64 sign = 1) {
    for (const int side : {0, 1}) {
      of[side] += sign * more.of[side];
      rows[side] += sign * more.rows[side];
    }
  }
};

// The best a column can do.
struct FoundSurrogate {
  Column column = 0;
  bool any = false;
  TwoWays present;           // rows that both know
  i64 agree = 0;             // weight sent the same way
  u32 below = 0;             // branch of the values below the cut
  std::size_t position = 0;  // entries, or groups, below the cut
};

// Goes through an ordered column: rows are moved below the cut one by one, and every cut may be tried. Sending those below to the first
// branch agrees on `of[1] + d`, to the second on `of[0] - d`, where d is the weight below of the first branch less that of the second. Two
// rows must lie on either side, so that nothing beats the majority by a single one.
class CutSurrogate {
 public:
  CutSurrogate(Column column, const TwoWays& present) {
    best_.column = column;
    best_.present = present;
    set(present.majority());
  }

  void move(i32 side, i64 weight, i64 count) {
    moved_ += count;
    difference_ += side == 0 ? weight : -weight;
  }
  void move_group(const TwoWays& group) {
    moved_ += group.all_rows();
    difference_ += group.of[0] - group.of[1];
  }
  // Whether a cut here would be the best so far; if its place is one, `take` it.
  bool better() const { return (difference_ > high_ || difference_ < low_) && moved_ >= 2 && best_.present.all_rows() - moved_ >= 2; }
  void take(std::size_t position) {
    best_.any = true;
    best_.below = difference_ > high_ ? 0 : 1;
    best_.position = position;
    set(difference_ > high_ ? best_.present.of[1] + difference_ : best_.present.of[0] - difference_);
  }

  const FoundSurrogate& best() const { return best_; }

 private:
  void set(i64 agree) {
    best_.agree = agree;
    high_ = agree - best_.present.of[1];
    low_ = best_.present.of[0] - agree;
  }

  FoundSurrogate best_;
  i64 moved_ = 0;
  i64 difference_ = 0;
  i64 high_ = 0;
  i64 low_ = 0;
};

// What makes a surrogate, and how its figures are counted.
struct SurrogateSettings {
  u32 most = 0;          // how many are kept
  bool present = false;  // agreement among the rows that both know (Breiman et al.), not among all that the split knows (rpart)
  // Levels must send two rows either way. In rpart 4.1 two rows must agree with the split and two must not, which leaves out columns that
  // agree with it almost perfectly.
  bool as_rpart = false;
};

// Every level goes where most of its rows go; if equal, with the majority of the present rows.
u32 branch_of_level(const TwoWays& level, const TwoWays& present);
FoundSurrogate surrogate_by_levels(Column column, const std::vector<TwoWays>& levels, const TwoWays& present,
                                   const SurrogateSettings& settings);

// The surrogates that beat the majority, best first, at most as many as wanted. `all`: rows whose cell of the split is present.
std::vector<FoundSurrogate> ranked(std::vector<FoundSurrogate> found, const TwoWays& all, const SurrogateSettings& settings);

// A surrogate with its figures, still without cut or levels.
Surrogate surrogate_of(const FoundSurrogate& found, const TwoWays& all, const SurrogateSettings& settings);

}  // namespace tw
