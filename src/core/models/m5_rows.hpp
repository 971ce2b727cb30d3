// A table as M5 reads it: cells and targets around their means, and every column once in order.
#pragma once

#include <vector>

#include "base/job_control.hpp"
#include "models/terms.hpp"

namespace tw {

struct M5Rows {
  Terms terms;
  std::vector<u32> origin;              // by row: its place in the table
  std::vector<double> cells;            // row by row
  std::vector<double> target, weights;  // no weights: 1 each
  std::vector<double> scale;            // by column; cells and targets are divided by powers of two
  double target_mean = 0;
  double target_scale = 1;
  std::vector<std::vector<u64>> lists;  // by column: code << 32 | row, in order; nominal ones by the places of their levels

  std::size_t size() const { return target.size(); }
  double weight(std::size_t row) const { return weights.empty() ? 1 : weights[row]; }

  // Keeps the rows that are not named, in their order; what was learned of the whole table (fills, places of levels, means) stays.
  void leave(const std::vector<u8>& gone);
};

M5Rows read_m5_rows(const Table& table, const std::vector<View>& cells, JobControl& job);

}  // namespace tw
