// A row's weight divided among branches in proportion to the weight of the rows whose cell is present.
#pragma once

#include <vector>

#include "stats/stat.hpp"

namespace tw {

// Calls give(branch, fraction) for every fraction above 0. Fractions are differences of rounded running sums, so that they add up to the
// whole exactly. `total` is the sum of `present`.
template <class Give>
void share_out(i64 weight, const std::vector<i64>& present, i64 total, Give&& give) {
  i64 before = 0;
  i64 sum = 0;
  for (std::size_t b = 0; b < present.size(); ++b) {
    if (present[b] == 0) continue;
    sum += present[b];
    const i64 upto = scaled_cell(weight, sum, total);
    if (upto > before) give(b, upto - before);
    before = upto;
  }
}

}  // namespace tw
