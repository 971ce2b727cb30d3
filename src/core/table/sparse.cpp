// Columns of which only the cells that are not 0 are stored.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/errors.hpp"
#include "table/columns.hpp"

namespace tw {

void encode_sparse(EncodedColumn& column) {
  const SparseCells& cells = column.cells.sparse();
  std::vector<u32> places(cells.n);
  std::iota(places.begin(), places.end(), 0U);
  for (const u32 at : places)
    if (std::isinf(cells.values[at]) && column.infinite_row < 0) column.infinite_row = cells.rows[at];
  std::stable_sort(places.begin(), places.end(), [&](u32 a, u32 b) { return cells.values[a] < cells.values[b]; });
  column.stored.reserve(cells.n);
  column.n_codes = cells.n < cells.n_rows;
  for (std::size_t i = 0; i < places.size(); ++i) {
    const double value = cells.values[places[i]];
    column.stored.push_back(static_cast<Row>(cells.rows[places[i]]));
    column.below += value < 0;
    column.n_codes += i == 0 || cells.values[places[i - 1]] < value;
  }
}

void rank_stored(EncodedColumn& column) {
  const SparseCells& cells = column.cells.sparse();
  std::vector<Code> codes(cells.n_rows, 0);
  Code code = 0;
  const auto write = [&](std::size_t from, std::size_t to) {
    for (std::size_t i = from; i < to; ++i) {
      code += i > from && cells.number(column.stored[i - 1]) < cells.number(column.stored[i]);
      codes[column.stored[i]] = code;
    }
    code += from < to;
  };
  const bool zeros = column.stored.size() < cells.n_rows;
  write(0, column.below);
  if (zeros && code > 0) {
    std::vector<u8> held(cells.n_rows, 0);
    for (const Row row : column.stored) held[row] = 1;
    for (std::size_t row = 0; row < cells.n_rows; ++row)
      if (held[row] == 0) codes[row] = code;
  }
  code += zeros;
  write(column.below, column.stored.size());
  column.codes = std::move(codes);
  column.stored = {};
}

void refuse_dense(const Columns& columns, Row n_rows) {
  constexpr u64 kMost = u64{1} << 30;  // cells: 4 GiB of ranks
  const auto sparse = static_cast<u64>(std::count_if(columns.begin(), columns.end(), [](const EncodedColumn& c) { return c.sparse(); }));
  if (sparse * n_rows > kMost)
    throw Invalid("X is sparse, and these settings look at all of its " + std::to_string(sparse * n_rows) +
                  " cells: choose fewer columns, or use criterion='gini' or 'info_gain' (numbers: 'variance') with splitter='best' and "
                  "without candidates, which look at what is stored");
}

}  // namespace tw
