// A table as M5 reads it: cells and targets around their means, and a sorted list of rows per column.
#pragma once

#include <vector>

#include "base/job_control.hpp"
#include "models/terms.hpp"

namespace tw {

struct M5Rows {
  Terms terms;
  std::vector<u32> origin;              // per row: its index in the table
  std::vector<double> cells;            // row by row
  std::vector<double> target, weights;  // no weights: 1 each
  std::vector<double> scale;            // per column; cells and targets are divided by powers of two
  double target_mean = 0;
  double target_scale = 1;
  std::vector<std::vector<u64>> lists;  // per column: code << 32 | row, in order; nominal ones by the places of their levels

  std::size_t size() const { return target.size(); }
  double weight(std::size_t row) const { return weights.empty() ? 1 : weights[row]; }

  // Drops the marked rows; what was learned from the whole table (fills, places of levels, means) stays.
  void remove(const std::vector<u8>& marked);
};

M5Rows read_m5_rows(const Table& table, const std::vector<View>& cells, JobControl& job);

}  // namespace tw
