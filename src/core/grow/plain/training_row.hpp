// A training row as sums of terms read it, and where a split over several columns sends it.
#pragma once

#include "table/table.hpp"
#include "tree/split.hpp"

namespace tw {

struct TrainingRow {
  const Table& table;
  Row row;

  double number(std::size_t column) const { return table.columns[column].cells.number(row); }
  i64 level(std::size_t column) const {
    const Code code = table.columns[column].codes[row];
    return code == kMissing ? -1 : static_cast<i64>(code);
  }
};

// The branch by a derived number; kNowhere where that is missing.
inline i32 branch_of_sum(const Split& split, const TrainingRow& row) {
  const double x = derived_of(split.terms, split.parts, row);
  return std::isnan(x) ? kNowhere : branch_of(test_of(split), NumberCell{x, split.strict});
}

}  // namespace tw
