// Class entropy in bits, shared by the criteria that differ only in how columns are compared. Worth is minus weight times entropy.
#pragma once

#include "search/criterion.hpp"

namespace tw {

struct Entropy : ClassCriterion {
  using ClassCriterion::ClassCriterion;

  double worth(const i64* cells) const {
    double sum = -x_log2_x(cells[stat.k]);
    for (u32 k = 0; k < stat.k; ++k) sum += x_log2_x(cells[k]);
    return sum;
  }
  double rounding(i64 weight) const { return 1e-15 * x_log2_x(weight); }
  double impurity(const i64* cells) const { return std::max(0.0, -worth(cells) / static_cast<double>(cells[stat.k])); }
};

}  // namespace tw
