// Which rows a member of a forest learns from. A draw is a hash of (key, range of rows): nobody needs to know another's draws, so that
// whoever holds some of the rows finds the same sample as one who holds all.
#pragma once

#include <vector>

#include "base/types.hpp"

namespace tw {

// How often each row is drawn, by `draws` draws with replacement: exactly multinomial. Ranges of rows are halved down to single rows,
// and how many draws of a range fall into its first half is binomial.
std::vector<u32> drawn_counts(u64 key, Row n_rows, u32 draws);

// The same counts from the first row to the last, so many at a time, for tables of which memory holds no number per row.
class DrawnCounts {
 public:
  DrawnCounts(u64 key, Row n_rows, u32 draws);

  // Those of the next rows, fewer at the end.
  std::vector<u32> next(Row rows);

 private:
  struct Range {
    u64 first;
    u32 level;  // it has 2^level rows, or fewer at the end of the table
    u32 count;
  };

  u64 key_;
  u64 n_rows_;
  u64 row_ = 0;
  std::vector<Range> open_;  // the next one last
};

// `draws` different rows, ascending; every set of so many is as likely.
std::vector<Row> drawn_rows(u64 key, Row n_rows, Row draws);

}  // namespace tw
