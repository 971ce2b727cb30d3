// The rows of a node in one column as additive groups: all that a search needs of them. Rows are summarised where they are (in another
// thread, a file, another machine), summaries of parts of a node add up to that of the node, and the split is chosen from the sum.
#pragma once

#include <vector>

#include "base/types.hpp"

namespace tw {

struct ColumnSummary {
  std::vector<Code> codes;         // that occur, ascending
  std::vector<double> values;      // of a numeric column: the value of each
  std::vector<i64> class_cells;    // summaries (stats/stat.hpp) of the rows of each code, then of those whose cell is missing
  std::vector<i128> moment_cells;  // the same for numbers

  // Adds the summary of other rows of the node, read against the same targets: its classes, or its grid.
  void add(const ColumnSummary& more);

  template <class Cell>
  auto& cells() {
    if constexpr (std::is_same_v<Cell, i64>)
      return class_cells;
    else
      return moment_cells;
  }
  template <class Cell>
  const auto& cells() const {
    if constexpr (std::is_same_v<Cell, i64>)
      return class_cells;
    else
      return moment_cells;
  }
};

}  // namespace tw
