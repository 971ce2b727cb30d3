// A table made ready for M5: cells and target scaled and centred, lists sorted by counting, covered rows removed.
#include "models/m5_rows.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace tw {

namespace {

double power_of_two(double size) {
  int exponent = 0;
  std::frexp(size, &exponent);
  return std::ldexp(1, std::clamp(exponent, -1000, 1000));
}

// Cells around their mean, divided by a power of two: sums of squares neither overflow nor lose digits.
void read_table_cells(M5Rows& out, const Table& table, const std::vector<View>& cells) {
  std::vector<Kind> kinds;
  std::vector<u32> levels;
  for (const EncodedColumn& column : table.columns) {
    kinds.push_back(column.kind);
    levels.push_back(column.kind == Kind::nominal ? column.n_codes : 0);
  }
  out.terms = learn_terms(cells, kinds, levels, table.target.value, out.weights);
  out.cells = read_rows(out.terms, cells, table.n_rows);
  out.scale.assign(cells.size(), 1);
  const std::size_t width = cells.size();
  for (std::size_t j = 0; j < width; ++j) {
    if (out.terms.nominal(j) || !(out.terms.spread[j] > 0)) continue;
    out.scale[j] = power_of_two(out.terms.spread[j]);
    for (std::size_t at = j; at < out.cells.size(); at += width) out.cells[at] = (out.cells[at] - out.terms.fill[j]) / out.scale[j];
  }
}

void read_target(M5Rows& out, const std::vector<double>& value) {
  double largest = 0;
  for (const double y : value) largest = std::max(largest, std::fabs(y));
  out.target_scale = largest > 0 ? power_of_two(largest) : 1;
  out.target.resize(value.size());
  double sum = 0;
  double total = 0;
  for (std::size_t i = 0; i < value.size(); ++i) {
    out.target[i] = value[i] / out.target_scale;
    sum += out.weight(i) * out.target[i];
    total += out.weight(i);
  }
  out.target_mean = sum / total;
  for (double& y : out.target) y -= out.target_mean;
}

// Codes in the order of the cells as models read them.
std::vector<u32> codes_of(const M5Rows& out, const EncodedColumn& column, const View& cells, std::size_t j) {
  const std::size_t n = out.size();
  std::vector<u32> code(n);
  if (column.kind == Kind::nominal) {
    for (std::size_t row = 0; row < n; ++row) code[row] = static_cast<u32>(out.cells[row * out.scale.size() + j]);
    return code;
  }
  // A filled cell lies between two ranks, or has one of them: ranks are doubled to make room.
  u32 fill = 0;
  bool equal = false;
  if (column.n_missing > 0)
    for (std::size_t row = 0; row < n; ++row) {
      if (column.codes[row] == kMissing) continue;
      const double cell = cells.number(row);
      if (cell <= out.terms.fill[j]) fill = std::max(fill, column.codes[row] + 1);
      equal = equal || cell == out.terms.fill[j];
    }
  for (std::size_t row = 0; row < n; ++row)
    code[row] = column.codes[row] == kMissing ? 2 * fill - (equal ? 1 : 0) : 2 * column.codes[row] + 1;
  return code;
}

}  // namespace

M5Rows read_m5_rows(const Table& table, const std::vector<View>& cells, JobControl& job) {
  const std::size_t n = table.n_rows;
  M5Rows out;
  out.origin.resize(n);
  std::iota(out.origin.begin(), out.origin.end(), 0U);
  if (!table.weights.quanta.empty() || table.weights.each != 1) {
    out.weights.resize(n);
    for (Row row = 0; row < n; ++row) out.weights[row] = table.weights.plain(table.weights[row]);
  }
  read_table_cells(out, table, cells);
  read_target(out, table.target.value);
  out.lists.resize(cells.size());
  for (std::size_t j = 0; j < cells.size(); ++j) {
    job.check();
    const std::vector<u32> code = codes_of(out, table.columns[j], cells[j], j);
    std::vector<u32> begin(2 * std::size_t{table.columns[j].n_codes} + 3, 0);
    for (const u32 c : code) ++begin[c + 1];
    std::partial_sum(begin.begin(), begin.end(), begin.begin());
    out.lists[j].resize(n);
    for (std::size_t row = 0; row < n; ++row) out.lists[j][begin[code[row]]++] = u64{code[row]} << 32 | row;
  }
  return out;
}

void M5Rows::remove(const std::vector<u8>& marked) {
  const std::size_t width = scale.size();
  std::vector<u32> place(size());
  u32 kept = 0;
  for (std::size_t row = 0; row < marked.size(); ++row) {
    place[row] = kept;
    if (marked[row]) continue;
    origin[kept] = origin[row];
    target[kept] = target[row];
    if (!weights.empty()) weights[kept] = weights[row];
    std::copy_n(cells.data() + row * width, width, cells.data() + kept * width);
    ++kept;
  }
  for (std::vector<u64>& list : lists) {
    std::size_t to = 0;
    for (const u64 entry : list)
      if (!marked[static_cast<u32>(entry)]) list[to++] = (entry >> 32 << 32) | place[static_cast<u32>(entry)];
    list.resize(to);
  }
  origin.resize(kept);
  target.resize(kept);
  if (!weights.empty()) weights.resize(kept);
  cells.resize(kept * width);
}

}  // namespace tw
