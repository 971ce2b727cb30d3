// Tells from estimated entropies which column an exact search of all columns would choose. Estimates have bounds of their error: where
// those leave a doubt, the result says so, and everything has to be searched exactly.
#pragma once

#include <optional>

#include "grow/settings.hpp"

namespace tw {

// What is known of the best split of a column: all numbers within `doubt` of the exact ones.
struct ColumnEstimate {
  bool any = false;  // there is a candidate
  bool doubtful = false;
  bool wide = false;
  double worth = 0;  // gain less penalty
  double gain = 0;
  double split_info = 0;
  double rank = 0;
  double doubt = 0;       // of worth
  double rank_doubt = 0;  // of rank
};

// From what a division is worth to what it is compared by. `gained`: fall of the weighted entropy of the present rows; `bits`: split
// information; both summed over weight. `tried`: among how many cuts it was chosen, at most; 0: it is no cut. `tried_least`: at least,
// where that is not the same.
ColumnEstimate estimate_of(const GrowSettings& settings, const NodeTargets& targets, double gained, i64 present, double bits, u64 tried,
                           u64 tried_least = 0);

// Of a column that was searched exactly.
ColumnEstimate estimate_of(const std::optional<Candidate>& found);

struct Predicted {
  bool certain = false;
  std::optional<Column> column;  // none: no column will be chosen
  ColumnEstimate estimate;       // of that column
};

Predicted predict_column(const GrowSettings& settings, const std::vector<Column>& columns, const std::vector<ColumnEstimate>& estimates);

}  // namespace tw
