// Columns that may meet on a way from the root to a leaf, as sets: below a split remain the columns of those sets that hold every column of
// the way (as in histogram boosting, scikit-learn's `interaction_cst`).
#pragma once

#include <memory>
#include <vector>

#include "base/types.hpp"

namespace tw {

using ColumnSets = std::vector<std::vector<Column>>;  // each ascending

struct OpenColumns {
  std::vector<u32> sets;        // that hold every column of the way, ascending
  std::vector<Column> columns;  // of these sets, ascending
};

// What is open at a node; null: every column.
using Openness = std::shared_ptr<const OpenColumns>;

// At the root all sets are open; no sets: nothing is ever closed.
Openness open_at_root(const ColumnSets& sets);
Openness open_below(const ColumnSets& sets, const Openness& here, Column split);

// The columns that may be asked for, of `all`.
inline const std::vector<Column>& columns_of(const Openness& open, const std::vector<Column>& all) { return open ? open->columns : all; }

}  // namespace tw
