// Some rows of an encoded table as a table of their own: nothing is sorted again, so that folds share one encoding.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "table/columns.hpp"

namespace tw {

// The cells of some rows of borrowed columns, copied: `views` look into `cells`.
struct OwnedCells {
  struct Stored {  // of a sparse column
    std::vector<i32> rows;
    std::vector<double> values;
    SparseCells cells;
  };
  std::vector<std::vector<std::byte>> cells;
  std::vector<std::unique_ptr<Stored>> sparse;
  std::vector<View> views;

  OwnedCells() = default;
  OwnedCells(OwnedCells&&) = default;
  OwnedCells& operator=(OwnedCells&&) = default;
};
OwnedCells copy_rows(std::span<const View> views, std::span<const Row> rows);

// The columns as they would be encoded from these rows alone, but that columns in order stay so however few values are left. `rows` ascend;
// `cells` are theirs. A sample has seen the levels that the whole has seen.
Columns subset_of(const Columns& columns, std::span<const Row> rows, const std::vector<View>& cells, Row n_rows, bool sample,
                  unsigned threads);

}  // namespace tw
