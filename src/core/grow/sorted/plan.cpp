// How every column of a table is kept in frames.
#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "grow/sorted/frame.hpp"

namespace tw {

namespace {

constexpr std::size_t kMuch = 1 << 22;  // cells

// A list of the rows that do not hold the common value is worth it where they are few: a part of a column that would be in a list, a lesser
// one of a column that would be counted.
constexpr Row kListedPart = 4;
constexpr Row kCountedPart = 8;

std::optional<SparseColumn> sparse_list(const EncodedColumn& column, Row n_rows) {
  const std::vector<Row>& order = column.order;
  const auto value = [&](Row row) { return column.cells.number(row); };
  // So many rows of one value would fill the middle.
  const Row first = n_rows / kListedPart;
  const double common = value(order[first]);
  if (value(order[n_rows - 1 - first]) != common) return std::nullopt;
  const auto begin = std::partition_point(order.begin(), order.begin() + first, [&](Row row) { return value(row) < common; });
  const auto end = std::partition_point(order.begin() + first, order.begin() + n_rows, [&](Row row) { return value(row) <= common; });
  SparseColumn out;
  out.common = common;
  out.below = static_cast<u32>(begin - order.begin());
  out.above = static_cast<u32>(order.begin() + n_rows - end);
  if (out.below + out.above > n_rows / kListedPart) return std::nullopt;
  return out;
}

std::optional<SparseColumn> sparse_codes(const EncodedColumn& column, Row n_rows) {
  // Few rows tell that most columns have no common value.
  constexpr Row kLooked = 64;
  const std::vector<Code>& codes = column.codes;
  std::vector<u32> count(column.n_codes, 0);
  for (Row i = 0; i < kLooked; ++i) ++count[codes[static_cast<std::size_t>(i) * (n_rows / kLooked)]];
  const auto most = std::max_element(count.begin(), count.end());
  if (*most < kLooked / 2) return std::nullopt;
  const auto code = static_cast<Code>(most - count.begin());
  SparseColumn out;
  Row sample = 0;
  for (Row row = 0; row < n_rows; ++row) {
    out.below += codes[row] < code;
    out.above += codes[row] > code;
    if (codes[row] == code) sample = row;
  }
  if (out.below + out.above > n_rows / kCountedPart) return std::nullopt;
  out.common = column.cells.number(sample);
  return out;
}

// How a column without missing cells is kept if most of its rows hold one value.
std::optional<SparseColumn> sparse_column(const EncodedColumn& column, Row n_rows, const SearchSettings& search) {
  if (column.sparse())
    return SparseColumn{.common = 0, .below = column.below, .above = static_cast<u32>(column.stored.size() - column.below)};
  constexpr Row kFewest = 256;
  if (column.kind != Kind::numeric || column.discretised || column.n_missing > 0 || search.drawn || search.cuts != Cuts::all ||
      search.missing == Missing::surrogate || n_rows < kFewest || column.n_codes < 3 || column.cells.data == nullptr)
    return std::nullopt;
  return column.order.empty() ? sparse_codes(column, n_rows) : sparse_list(column, n_rows);
}

// The values of a numeric column by code; nothing of those that do not occur.
std::vector<double> values_by_code(const EncodedColumn& column, Row n_rows) {
  std::vector<double> values(column.n_codes, std::numeric_limits<double>::quiet_NaN());
  u32 left = column.n_codes;
  for (Row row = 0; row < n_rows && left > 0; ++row) {
    const Code code = column.codes[row];
    if (code == kMissing || !std::isnan(values[code])) continue;
    values[code] = column.cells.number(row);
    --left;
  }
  return values;
}

}  // namespace

FramePlan::FramePlan(const Table& table, const SearchSettings& search, bool rows_in_order, bool leaves_out)
    : two_classes(table.target.n_classes == 2),
      numbers(!table.target.nominal()),
      drawn(search.drawn),
      in_order(rows_in_order),
      weighted(!table.weights.quanta.empty() || table.weights.unit != 1) {
  const std::vector<i64>& quanta = table.weights.quanta;
  const i64 heaviest = quanta.empty() ? table.weights.unit : *std::max_element(quanta.begin(), quanta.end());
  carried = weighted && heaviest < (i64{1} << 32) && table.n_rows >= kCopyCellsFrom;
  much = std::size_t{table.n_rows} * table.columns.size() > kMuch;
  u32 bits = 0;
  for (Column j = 0; j < table.columns.size(); ++j) {
    const EncodedColumn& column = table.columns[j];
    const bool cells = drawn && column.kind == Kind::numeric;
    auto some = leaves_out ? sparse_column(column, table.n_rows, search) : std::nullopt;
    sparse_of.push_back(some ? static_cast<i32>(sparse.size()) : -1);
    const bool listed = !some && !cells && !column.order.empty();
    const bool bit = !some && !cells && !listed && column.n_codes == 2 && column.n_missing == 0;
    list_of.push_back(listed ? static_cast<i32>(lists.size()) : -1);
    bit_of.push_back(bit ? static_cast<i32>(bits++) : -1);
    const bool code = !some && !cells && !listed && !bit && column.n_codes < kCountedBelow;
    slot_of.push_back(code ? static_cast<i32>(coded.size()) : -1);
    cells_of.push_back(cells || listed ? static_cast<i32>(celled.size()) : -1);
    if (cells || listed) celled.push_back(j);
    if (listed) lists.push_back(j);
    if (code) coded.push_back(j);
    code_values.emplace_back();
    if ((code || bit) && column.kind == Kind::numeric && !column.discretised) code_values.back() = values_by_code(column, table.n_rows);
    if (!some) continue;
    some->column = j;
    sparse.push_back(*some);
  }
  bit_words = (bits + 63) / 64;
}

}  // namespace tw
