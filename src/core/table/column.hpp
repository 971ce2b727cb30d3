// A column as the engines read it: a numeric cell is the rank of its value among the distinct values of its column, a nominal cell the
// number of its level; so searching never compares floats.
#pragma once

#include <vector>

#include "base/job_control.hpp"
#include "base/types.hpp"
#include "table/view.hpp"

namespace tw {

enum class Kind : u8 { numeric, nominal };

// The end of an interval, and the numbers next to it: no training value, and no point nearer to another end, lies between them.
struct Edge {
  double at;
  double below;
  double above;
};

struct EncodedColumn {
  Kind kind = Kind::numeric;
  std::vector<Code> codes;  // one per row; kMissing where the cell is. Empty where `order` stands for it
  std::vector<Row> order;   // numeric only: rows in order of value, missing ones last, with room for a block behind
  // Of sparse cells, in the place of both: rows whose value is not 0 in order of it, those below 0 first.
  std::vector<Row> stored;
  u32 below = 0;
  u32 n_codes = 0;  // distinct values, declared levels, or intervals
  View cells;       // numeric only: the borrowed numbers themselves, for thresholds
  // Numeric, on request: the values by code, in the precision they came in, and how many codes apart two values must be to differ by
  // more than the gap asked about, whatever they are.
  std::vector<float> single;
  std::vector<double> values;
  u32 crowd = 0;
  std::vector<Edge> edges;  // discretised numeric only: interval i is (edges[i-1], edges[i]]
  std::vector<u8> seen;     // nominal only: does the level occur?
  u64 n_missing = 0;
  i64 infinite_row = -1;  // the first row that is not finite, if any

  bool discretised = false;

  // Whether the rows of value 0 stand nowhere.
  bool sparse() const { return cells.type == Type::Sparse && codes.empty(); }

  double value(Code code) const { return single.empty() ? values[code] : static_cast<double>(single[code]); }
};

// Rows beyond the end of `order` that may be read.
inline constexpr std::size_t kOrderPadding = 64;

// For columns of which only the cells are set: ranks of the values, or, if there are at least `order_from` distinct ones (0: never),
// the rows in order. NaN is missing.
void encode_numeric(const std::vector<EncodedColumn*>& columns, Row n_rows, u32 order_from, unsigned threads, const JobControl& job);

// The same for a column of sparse cells, none of them missing.
void encode_sparse(EncodedColumn& column);

// Ranks instead of order, or of what is stored, for an engine that wants those.
void rank_rows(EncodedColumn& column);
void rank_stored(EncodedColumn& column);

// Lists the values of a column by code, for whoever asks whether neighbours lie more than `gap` apart.
void list_values(EncodedColumn& column, double gap);

// Levels of a column; a code outside [0, n_levels) is missing.
EncodedColumn encode_nominal(const View& view, Row n_rows, u32 n_levels);

}  // namespace tw
