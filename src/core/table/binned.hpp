// Tables whose cells are small codes that stand where they are read: numbers in bins, levels as they are, the cells of a row side by side
// in one byte each, or two. The code after the last is a missing cell. To engines the codes of a numeric column are its numbers: a tree is
// grown over them, and its thresholds are put back among the values at the end (tree/thresholds.hpp).
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/job_control.hpp"
#include "table/bins.hpp"
#include "table/columns.hpp"

namespace tw {

inline constexpr u32 kMostCodes = 65535;  // of a column, so that two bytes hold them and a missing cell
inline constexpr u32 kMostByteCodes = 255;

// A column as it is given: numbers, or levels.
struct GivenColumn {
  View cells;
  Kind kind = Kind::numeric;
  u32 n_levels = 0;
};

struct BinnedCells {
  std::shared_ptr<std::vector<std::byte>> cells;  // row by row
  std::vector<View> views;
  std::vector<Bins> bins;  // by column; of levels: none
  Columns columns;
};

// Puts columns in bins. `weights` may be empty: one each. Infinity is told by the columns' `infinite_row`.
BinnedCells put_in_bins(std::span<const GivenColumn> given, Row n_rows, std::span<const i64> weights, u32 most, unsigned threads,
                        const JobControl& job);

// The same in parts, for rows that lie in several places. Adds rows to the counters of a round in the search for bins, `weights` may be
// null: one each; and writes codes, one or two bytes each, so many bytes apart.
void count_numbers(const BinSearch& search, const View& cells, const i64* weights, Row n_rows, i64* counters);

struct CodedNumbers {
  std::vector<u64> least, most;  // keys by code; of empty bins the highest and 0
  u64 missing = 0;

  explicit CodedNumbers(std::size_t n_codes);
  void add(const CodedNumbers& more);
};
CodedNumbers code_numbers(const View& cells, Row n_rows, const Bins& bins, bool bytes, std::byte* out, std::ptrdiff_t stride);

// A column of codes that stand in `cells`, below `n_codes` or missing.
EncodedColumn column_in_place(Kind kind, u32 n_codes, const View& cells, Row n_rows);

// Whether the codes of a column stand in its cells alone.
bool in_place(const EncodedColumn& column);

// For whoever wants them as codes.
void take_codes(EncodedColumn& column, Row n_rows);

}  // namespace tw
