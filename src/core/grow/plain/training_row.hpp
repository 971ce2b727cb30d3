// A training row as sums of terms read it, and where a split over several columns sends it.
#pragma once

#include <span>
#include <vector>

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
inline i32 branch_of_sum(const Split& split, double x) {
  return std::isnan(x) ? kNowhere : branch_of(test_of(split), NumberCell{x, split.strict});
}
inline i32 branch_of_sum(const Split& split, const TrainingRow& row) {
  return branch_of_sum(split, derived_of(split.terms, split.parts, row));
}

// Rows are read in blocks, so that tables whose rows lie one after the other come from memory once for all columns.
inline constexpr std::size_t kBlock = 128;

// The cells of some rows: numbers, or whether they are of a level (1) or not (0); what a missing one counts as.
void cells_of(const EncodedColumn& column, i32 level, double missing, std::span<const Row> rows, double* to);

// Derived numbers of many rows, as derived_of has them.
std::vector<double> derived_numbers(const Table& table, std::span<const Row> rows, const std::vector<DerivedTerm>& terms,
                                    const std::vector<ScorePart>& parts);

}  // namespace tw
