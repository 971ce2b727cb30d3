// Columns of many codes are put in order by counting, those of few stay codes.
#include "grow/binned/piece.hpp"

#include <algorithm>

#include "grow/sorted/frame.hpp"

namespace tw {

namespace {

// Rows in order of their codes, missing ones last.
void put_in_order(const std::vector<u32>& codes, EncodedColumn& column, std::vector<u32>& start) {
  start.assign(std::size_t{column.n_codes} + 2, 0);
  for (const u32 code : codes) ++start[code + 1];
  u32 different = 0;
  for (u32 code = 0; code < column.n_codes; ++code) different += start[code + 1] > 0;
  column.n_missing = start[column.n_codes + 1];
  for (std::size_t code = 1; code < start.size(); ++code) start[code] += start[code - 1];
  column.order.resize(codes.size() + kOrderPadding);
  for (std::size_t i = 0; i < codes.size(); ++i) column.order[start[codes[i]]++] = static_cast<Row>(i);
  column.n_codes = different;
}

}  // namespace

Piece piece_of(const Table& table, const BinnedFrame& frame, std::span<const Row> rows, i64 weight) {
  Piece out;
  const std::size_t n = rows.size();
  const std::size_t size = frame.bytes ? 1 : 2;
  out.cells.resize(n * frame.columns() * size);
  std::vector<EncodedColumn> columns(frame.columns());
  std::vector<u32> codes(n);
  std::vector<u32> start;
  for (Column j = 0; j < columns.size(); ++j) {
    EncodedColumn& column = columns[j];
    const EncodedColumn& whole = table.columns[j];
    column.kind = whole.kind;
    column.n_codes = whole.n_codes;
    for (std::size_t i = 0; i < n; ++i) codes[i] = frame.code_of(j, rows[i]);
    if (whole.kind == Kind::numeric) {
      std::byte* cells = out.cells.data() + std::size_t{j} * n * size;
      for (std::size_t i = 0; i < n; ++i)
        std::memcpy(cells + i * size, frame.cells + static_cast<std::ptrdiff_t>(rows[i]) * frame.stride + frame.offset[j], size);
      column.cells = {cells, static_cast<std::ptrdiff_t>(size), whole.cells.type};
    }
    if (whole.kind == Kind::numeric && whole.n_codes >= kListFrom) {
      put_in_order(codes, column, start);
      continue;
    }
    column.codes.resize(n);
    for (std::size_t i = 0; i < n; ++i) {
      const bool missing = codes[i] == whole.n_codes;
      column.codes[i] = missing ? kMissing : codes[i];
      column.n_missing += missing;
    }
    column.seen = whole.seen;
  }
  out.table.n_rows = static_cast<Row>(n);
  out.table.columns = Columns(std::move(columns));
  out.table.target.n_classes = table.target.n_classes;
  out.table.target.class_of.resize(table.target.nominal() ? n : 0);
  out.table.target.value.resize(table.target.nominal() ? 0 : n);
  for (std::size_t i = 0; i < out.table.target.class_of.size(); ++i) out.table.target.class_of[i] = frame.label[rows[i]];
  for (std::size_t i = 0; i < out.table.target.value.size(); ++i) out.table.target.value[i] = table.target.value[rows[i]];
  Weights& weights = out.table.weights;
  weights = {{}, table.weights.unit, weight, table.weights.shift, table.weights.each, table.weights.off};
  for (std::size_t i = 0; i < n && !table.weights.quanta.empty(); ++i) weights.quanta.push_back(table.weights.quanta[rows[i]]);
  return out;
}

}  // namespace tw
