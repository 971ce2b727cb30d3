// The table a tree is grown from: encoded columns, a target and weights. A numeric cell is the rank of its value among
// the distinct values of its column, a nominal cell the number of its level; so searching never compares floats.
#pragma once

#include <cmath>
#include <span>
#include <string>
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
  std::vector<Code> codes;  // one a row; kMissing where the cell is. Empty where `order` stands for it
  std::vector<Row> order;   // numeric only: rows in order of value, missing ones last, with room for a block behind
  u32 n_codes = 0;          // distinct values, declared levels, or intervals
  View cells;               // numeric only: the borrowed numbers themselves, for thresholds
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

  double value(Code code) const { return single.empty() ? values[code] : static_cast<double>(single[code]); }
};

// Weights are whole numbers of a quantum (a power of two) and their total stays below 2^46: sums are exact, so no
// result depends on the order of rows, and products with 31-bit targets and again with weights fit 128 bits.
struct Weights {
  std::vector<i64> quanta;  // empty: every row has `unit`
  i64 unit = 1;
  i64 total = 0;
  int shift = 0;    // a quantum is 2^-shift ...
  double each = 1;  // ... times this, where all rows weigh the same
  double off = 0;   // by which part of itself the worst rounded weight is off

  i64 operator[](Row row) const { return quanta.empty() ? unit : quanta[row]; }
  double plain(double q) const { return (shift == 0 ? q : std::ldexp(q, -shift)) * each; }
  double plain(i64 q) const { return plain(static_cast<double>(q)); }
  double in_quanta(double weight) const { return std::ldexp(weight / each, shift); }
};

struct Target {
  u32 n_classes = 0;  // 0: numeric target
  std::vector<u32> class_of;
  std::vector<double> value;

  bool nominal() const { return n_classes > 0; }
};

// Levels of the nominal columns once more, a row's side by side and a byte each: whoever counts all columns reads one place a row.
struct ByteLevels {
  std::vector<u8> levels;  // one more than the last where the cell is missing
  std::vector<i32> place;  // by column: where in a row, or -1
  std::size_t width = 0;   // of a row

  static constexpr u32 kMostLevels = 255;
  bool holds(Column column) const { return !place.empty() && place[column] >= 0; }
};

struct Table {
  Row n_rows = 0;
  std::vector<EncodedColumn> columns;
  Target target;
  Weights weights;
  ByteLevels byte_levels;  // on request
};

// The byte levels of the nominal columns that have few enough levels.
ByteLevels make_byte_levels(const Table& table);

// Rows beyond the end of `order` that may be read.
inline constexpr std::size_t kOrderPadding = 64;

// For columns of which only the cells are set: ranks of the values, or, if there are at least `order_from` distinct ones (0: never),
// the rows in order. NaN is missing.
void encode_numeric(const std::vector<EncodedColumn*>& columns, Row n_rows, u32 order_from, unsigned threads, const JobControl& job);

// Ranks instead of order, for an engine that wants those.
void rank_rows(EncodedColumn& column);

// Lists the values of a column by code, for whoever asks whether neighbours lie more than `gap` apart.
void list_values(EncodedColumn& column, double gap);

// Levels of a column; a code outside [0, n_levels) is missing.
EncodedColumn encode_nominal(const View& view, Row n_rows, u32 n_levels);

// `given` is null for unit weights; all weights must be positive and finite. `fractions`: leave room below the unit, for
// policies that divide a row among branches.
Weights quantise_weights(const double* given, Row n_rows, bool fractions);

enum class Discretiser : u8 { equal_width, equal_frequency, mdlp };

// Replaces the ranks of a numeric column by intervals.
void discretise(EncodedColumn& column, Discretiser method, u32 bins, const Target& target, const Weights& weights);

}  // namespace tw
