// A table as it arrives from Python.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bind/arrays.hpp"
#include "bind/casters.hpp"
#include "table/binned.hpp"
#include "table/row_subset.hpp"
#include "table/table.hpp"

namespace tw::bind {

// A table as it arrives: borrowed arrays, which live as long as this does. Parts of it own copies of their cells and share its encoding.
struct TableInput {
  std::vector<View> views;
  std::vector<Kind> kinds;
  std::vector<u32> levels;
  std::vector<std::string> names;
  std::vector<Array> held;
  std::vector<std::shared_ptr<const SparseCells>> sparse;
  u64 n_rows = 0;

  View target, weights;
  std::vector<View> outputs;  // of a target of several numbers per row
  u32 n_classes = 0;
  bool weighted = false;
  double row_weight = 1;

  OwnedCells own_cells, own_targets;          // of a part
  OwnedCells own_codes;                       // and where the whole was put in bins
  std::optional<Columns> encoded;             // once prepared; of a part: the whole table's
  std::shared_ptr<const BinnedCells> binned;  // likewise, where it was put in bins
  std::vector<Row> rows;                      // of a part: which rows of the whole these are
  u64 n_whole = 0;                            // and of how many; 0 for a whole table
  bool sampled = false;                       // of a part: its rows are a sample

  explicit TableInput(u64 rows) : n_rows(rows) {
    if (rows > kMaxRows) throw Invalid("a table may hold at most " + std::to_string(kMaxRows) + " rows, got " + std::to_string(rows));
  }

  // The name of a column as messages show it, on any thread.
  std::string shown(std::size_t column) const {
    const nb::gil_scoped_acquire gil;
    return nb::cast<std::string>(nb::repr(nb::cast(names[column])));
  }

  void add_numeric(const Array& array, const std::vector<std::string>& column_names) {
    const std::size_t columns = array.ndim() == 2 ? array.shape(1) : 1;
    if (array.ndim() < 1 || array.ndim() > 2 || array.shape(0) != n_rows || column_names.size() != columns)
      throw Invalid("a numeric column does not fit the table");
    for (std::size_t j = 0; j < columns; ++j) {
      views.push_back(view_of(array, j));
      kinds.push_back(Kind::numeric);
      levels.push_back(0);
      names.push_back(column_names[j]);
    }
    held.push_back(array);
  }
  void add_nominal(const Array& codes, u32 n_levels, const std::string& name) {
    if (codes.ndim() != 1 || codes.shape(0) != n_rows) throw Invalid("a nominal column does not fit the table");
    views.push_back(view_of(codes, 0));
    kinds.push_back(Kind::nominal);
    levels.push_back(n_levels);
    names.push_back(name);
    held.push_back(codes);
  }
  // Columns of which the cells that are not 0 are given, one column after the other: those of column j from `begin[j]`, by ascending row.
  void add_sparse(const Array& values, const Array& cell_rows, const Array& begin, const std::vector<std::string>& column_names);
  void set_classes(const Array& codes, u32 count) {
    if (codes.ndim() != 1 || codes.shape(0) != n_rows) throw Invalid("the target does not fit the table");
    target = view_of(codes, 0);
    held.push_back(codes);
    n_classes = count;
  }
  void set_numbers(const Array& values) {
    if (values.ndim() != 1 || values.shape(0) != n_rows) throw Invalid("the target does not fit the table");
    target = view_of(values, 0);
    held.push_back(values);
  }
  void set_vectors(const Array& values) {
    if (values.ndim() != 2 || values.shape(0) != n_rows || values.shape(1) == 0) throw Invalid("the target does not fit the table");
    for (std::size_t j = 0; j < values.shape(1); ++j) outputs.push_back(view_of(values, j));
    target = outputs.front();
    held.push_back(values);
  }
  // `row`: what one row weighs; learners count weights in these.
  void set_weights(const Array& values, double row) {
    if (values.ndim() != 1 || values.shape(0) != n_rows || type_of(values) != Type::F64) throw Invalid("the weights do not fit the table");
    weights = view_of(values, 0);
    if (!(row > 0) || std::isinf(row)) throw Invalid("a row must weigh something");
    held.push_back(values);
    weighted = true;
    row_weight = row;
  }

  // Some rows, ascending, as a table of their own; with other weights they are a sample, which knows the levels of the whole table.
  // `row` is what one row weighs.
  TableInput part(std::vector<Row> chosen) const;
  TableInput sample(std::vector<Row> chosen, const Array& own_weights, double row) const;
  // A whole table once more, over the same arrays and encoding.
  TableInput again() const;
  // All rows of some columns.
  TableInput narrowed(const std::vector<u32>& chosen) const;
  // All rows with other weights.
  TableInput weighing(const Array& other, double row) const;
};

// The columns ranked, or put in order if they have at least `order_from` distinct values (0: never). Infinity is refused.
Columns encode_columns(const TableInput& input, u32 order_from, unsigned threads, const JobControl& job);

// Numeric columns in at most so many bins. Infinity is refused, and levels beyond all codes.
std::shared_ptr<const BinnedCells> bin_columns(const TableInput& input, u32 most, unsigned threads, const JobControl& job);

// Targets and weights of the table. `fractions`: leave room below the unit, for rows divided among branches.
void read_target(const TableInput& input, bool fractions, Table& table);

}  // namespace tw::bind
