// The terms of linear models: a numeric column is one term, a nominal one of v levels v - 1 terms of 0 and 1 (Breiman et al. 1984,
// Wang and Witten 1997). Levels are ordered by their mean target; term k is 1 where the level stands above place k. Missing cells are
// filled with the mean or the most common level of the training rows.
#pragma once

#include <vector>

#include "table/table.hpp"
#include "table/view.hpp"

namespace tw {

struct Terms {
  std::vector<u8> kind;         // per column
  std::vector<double> fill;     // per column: mean, or most common level
  std::vector<u32> rank_begin;  // per column, and the end
  std::vector<u32> rank;        // per level of nominal columns: its place
  std::vector<double> spread;   // per column: standard deviation of the training cells, 0 for nominal ones

  std::size_t columns() const { return kind.size(); }
  bool nominal(std::size_t column) const { return kind[column] == static_cast<u8>(Kind::nominal); }
  u32 n_levels(std::size_t column) const { return rank_begin[column + 1] - rank_begin[column]; }

  // The value a missing cell is read as; 0 for a column without levels, whose cells are all missing.
  double filled(std::size_t column) const {
    if (!nominal(column)) return fill[column];
    return n_levels(column) == 0 ? 0 : static_cast<double>(rank[rank_begin[column] + static_cast<u32>(fill[column])]);
  }

  // A cell as models and splits read it: the number, or the place of the level; filled where it is missing.
  double read(const View& cells, std::size_t column, std::size_t row) const {
    const double cell = cells.number(row);
    if (!nominal(column)) return cell == cell ? cell : fill[column];
    if (!(cell >= 0 && cell < n_levels(column))) return filled(column);
    return static_cast<double>(rank[rank_begin[column] + static_cast<u32>(cell)]);
  }
};

// One term: the column itself (place -1), whether its level stands above a place (0 and up), or at one (is_at).
struct Term {
  u32 column = 0;
  i32 place = -1;

  static Term is_at(u32 column, u32 place) { return {column, -2 - static_cast<i32>(place)}; }
  double of(const double* row) const {
    if (place == -1) return row[column];
    return (place >= 0 ? row[column] > place : row[column] == -2 - place) ? 1.0 : 0.0;
  }
};

// Throws Invalid unless the columns fit each other.
void validate(const Terms& terms);

// Fills and orders of a table; `target` and `weights` have one entry per row (no weights: 1 each).
Terms learn_terms(const std::vector<View>& cells, const std::vector<Kind>& kinds, const std::vector<u32>& levels,
                  const std::vector<double>& target, const std::vector<double>& weights);

// Fills alone: levels stand in the order in which they were declared.
Terms learn_fills(const std::vector<View>& cells, const std::vector<Kind>& kinds, const std::vector<u32>& levels, std::size_t n_rows,
                  const std::vector<double>& weights);

// The table as models read it, row by row.
std::vector<double> read_rows(const Terms& terms, const std::vector<View>& cells, std::size_t n_rows);

}  // namespace tw
