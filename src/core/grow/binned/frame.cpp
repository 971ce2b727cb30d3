// Loops over the rows of a node: counting, and division.
#include "grow/binned/frame.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <numeric>

#include "base/parallel.hpp"
#include "base/prefetch.hpp"
#include "search/column_rows.hpp"

namespace tw {

namespace {

constexpr Row kBlock = 256;
constexpr std::size_t kRowsAhead = 16;  // whose cells are fetched

bool lies_row_by_row(const Columns& columns) {
  const View& first = columns[0].cells;
  return std::all_of(columns.begin(), columns.end(), [&](const EncodedColumn& column) {
    return column.cells.stride == first.stride && column.cells.data >= first.data && column.cells.data - first.data < first.stride;
  });
}

// Calls use with the type of cells.
template <class Use>
void with_cells(const BinnedFrame& frame, const Use& use) {
  if (frame.bytes)
    use(u8{});
  else
    use(u16{});
}

// What the loops know of a column: where its code lies in a row, and its first counter.
struct Place {
  u32 offset;
  u32 first;
};

std::vector<Place> places_of(const BinnedFrame& frame, std::span<const Column> columns) {
  std::vector<Place> places;
  for (const Column j : columns) places.push_back({frame.offset[j], static_cast<u32>(frame.begin[j] * frame.per_slot())});
  return places;
}

// Goes through rows, the cells of those to come on their way: use(place in `rows`, row, its cells).
template <class Use>
void each_row(const BinnedFrame& frame, std::span<const Row> rows, const Use& use) {
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (i + kRowsAhead < rows.size()) prefetch(frame.cells + static_cast<std::ptrdiff_t>(rows[i + kRowsAhead]) * frame.stride);
    use(i, rows[i], frame.cells + static_cast<std::ptrdiff_t>(rows[i]) * frame.stride);
  }
}

template <class Cell>
u32 cell_at(const std::byte* row, u32 offset) {
  Cell code;
  std::memcpy(&code, row + offset, sizeof code);
  return code;
}

template <class Cell, class Count>
void count_classes(const BinnedFrame& frame, std::span<const Row> rows, const std::vector<Place>& places, Count* counters) {
  with_classes(frame.n_classes, [&](auto k) {
    const auto classes = static_cast<u32>(k);
    const auto count = [&](const auto& weight_of) {
      each_row(frame, rows, [&](std::size_t, Row row, const std::byte* cells) {
        Count* of_class = counters + frame.label[row];
        const auto weight = static_cast<Count>(weight_of(row));
        for (const Place& place : places) of_class[place.first + cell_at<Cell>(cells, place.offset) * classes] += weight;
      });
    };
    if (frame.weight.empty())
      count([](Row) { return 1; });
    else
      count([&](Row row) { return frame.weight[row]; });
  });
}

template <class Cell>
void count_numbers(const BinnedFrame& frame, std::span<const Row> rows, const std::vector<Place>& places, const i64* steps, i64* counters) {
  if (!frame.narrow)
    return each_row(frame, rows, [&](std::size_t i, Row row, const std::byte* cells) {
      const i64 weight = frame.weight_of(row);
      const i128 sum = static_cast<i128>(weight) * steps[i];
      for (const Place& place : places) {
        i64* at = counters + place.first + std::size_t{3} * cell_at<Cell>(cells, place.offset);
        at[0] += weight;
        add_in_two(at + 1, sum);
      }
    });
  each_row(frame, rows, [&](std::size_t i, Row row, const std::byte* cells) {
    const i64 weight = frame.weight_of(row);
    const i64 sum = weight * steps[i];
    for (const Place& place : places) {
      i64* at = counters + place.first + 2 * cell_at<Cell>(cells, place.offset);
      at[0] += weight;
      at[1] += sum;
    }
  });
}

void count_some(const BinnedFrame& frame, std::span<const Row> rows, const std::vector<Place>& places, const i64* steps,
                BinnedCounts& counts) {
  with_cells(frame, [&](auto cell) {
    using Cell = decltype(cell);
    if (frame.n_classes == 0)
      count_numbers<Cell>(frame, rows, places, steps, counts.wide.data());
    else if (frame.narrow)
      count_classes<Cell>(frame, rows, places, counts.narrow.data());
    else
      count_classes<Cell>(frame, rows, places, counts.wide.data());
  });
}

}  // namespace

BinnedFrame BinnedFrame::without_rows(const Table& table) {
  BinnedFrame out;
  out.n_classes = table.target.n_classes;
  out.narrow = table.weights.total < i64{1} << (out.n_classes > 0 ? 32 : 31);
  out.begin.push_back(0);
  for (const EncodedColumn& column : table.columns) out.begin.push_back(out.begin.back() + column.n_codes + 1);
  return out;
}

BinnedFrame::BinnedFrame(const Table& table) : BinnedFrame(without_rows(table)) {
  const Columns& columns = table.columns;
  bytes = columns[0].cells.type == Type::U8;
  const std::size_t size = bytes ? 1 : 2;
  if (lies_row_by_row(columns)) {
    cells = columns[0].cells.data;
    stride = columns[0].cells.stride;
    for (const EncodedColumn& column : columns) offset.push_back(static_cast<u32>(column.cells.data - cells));
  } else {
    own_cells.resize(std::size_t{table.n_rows} * columns.size() * size);
    stride = static_cast<std::ptrdiff_t>(columns.size() * size);
    for (Row at = 0; at < table.n_rows; at += std::min(kBlock, table.n_rows - at)) {
      const Row end = at + std::min(kBlock, table.n_rows - at);
      for (std::size_t j = 0; j < columns.size(); ++j) {
        const View& view = columns[j].cells;
        for (Row row = at; row < end; ++row)
          std::memcpy(own_cells.data() + static_cast<std::ptrdiff_t>(row) * stride + j * size,
                      view.data + static_cast<std::ptrdiff_t>(row) * view.stride, size);
      }
    }
    cells = own_cells.data();
    for (std::size_t j = 0; j < columns.size(); ++j) offset.push_back(static_cast<u32>(j * size));
  }
  own_rows.resize(table.n_rows);
  std::iota(own_rows.begin(), own_rows.end(), Row{0});
  rows = own_rows;
  own_label.assign(table.target.class_of.begin(), table.target.class_of.end());
  label = own_label;
  if (table.weights.quanta.empty() && table.weights.unit != 1) own_weight.assign(table.n_rows, table.weights.unit);
  weight = own_weight.empty() ? std::span<const i64>(table.weights.quanta) : own_weight;
}

void BinnedCounts::subtract(const BinnedCounts& other) {
  for (std::size_t i = 0; i < narrow.size(); ++i) narrow[i] -= other.narrow[i];
  for (std::size_t i = 0; i < wide.size(); ++i) wide[i] -= other.wide[i];
}

void BinnedCounts::add(const BinnedCounts& other) {
  for (std::size_t i = 0; i < narrow.size(); ++i) narrow[i] += other.narrow[i];
  for (std::size_t i = 0; i < wide.size(); ++i) wide[i] += other.wide[i];
}

void clear_counts(const BinnedFrame& frame, BinnedCounts& counts) {
  const std::size_t size = frame.n_slots() * frame.per_slot();
  const bool narrow = frame.n_classes > 0 && frame.narrow;
  counts.narrow.assign(narrow ? size : 0, 0);
  counts.wide.assign(narrow ? 0 : size, 0);
}

void clear_counts(const BinnedFrame& frame, std::span<const Column> columns, BinnedCounts& counts) {
  if (counts.empty()) return clear_counts(frame, counts);
  for (const Column j : columns) {
    const std::size_t first = frame.begin[j] * frame.per_slot();
    const std::size_t n = (frame.begin[j + 1] - frame.begin[j]) * frame.per_slot();
    if (!counts.narrow.empty()) std::fill_n(counts.narrow.begin() + static_cast<std::ptrdiff_t>(first), n, 0U);
    if (!counts.wide.empty()) std::fill_n(counts.wide.begin() + static_cast<std::ptrdiff_t>(first), n, i64{0});
  }
}

void count_rows(const BinnedFrame& frame, std::span<const Row> rows, std::span<const Column> columns, const i64* steps, unsigned threads,
                BinnedCounts& counts) {
  constexpr std::size_t kWorthThreads = 1 << 15;
  const std::vector<Place> places = places_of(frame, columns);
  const std::size_t shares = rows.size() < kWorthThreads ? 1 : std::max(threads, 1U);
  if (shares == 1) return count_some(frame, rows, places, steps, counts);
  std::vector<BinnedCounts> parts(shares);
  for_each(shares, threads, [&](std::size_t share, unsigned) {
    const std::size_t first = rows.size() * share / shares;
    const std::size_t n = rows.size() * (share + 1) / shares - first;
    clear_counts(frame, parts[share]);
    count_some(frame, rows.subspan(first, n), places, steps == nullptr ? nullptr : steps + first, parts[share]);
  });
  for (const BinnedCounts& part : parts) counts.add(part);
}

std::vector<u8> branches_by_code(const Split& split, u32 n_codes) {
  std::vector<u8> branch(n_codes + 1, 0);
  for (u32 code = 0; code < n_codes; ++code) branch[code] = branch_of_code(split, code) == 1;
  branch.back() = split.missing_to == 1;
  return branch;
}

u32 divide_rows(const BinnedFrame& frame, std::span<Row> rows, Column column, const std::vector<u8>& branch, std::vector<Row>& spare) {
  spare.resize(std::max(spare.size(), rows.size()));
  std::size_t first = 0;
  with_cells(frame, [&](auto cell) {
    const u32 offset = frame.offset[column];
    each_row(frame, rows, [&](std::size_t i, Row row, const std::byte* cells) {
      rows[first] = row;
      spare[i - first] = row;
      first += branch[cell_at<decltype(cell)>(cells, offset)] == 0;
    });
  });
  std::copy_n(spare.begin(), rows.size() - first, rows.begin() + static_cast<std::ptrdiff_t>(first));
  return static_cast<u32>(first);
}

}  // namespace tw
