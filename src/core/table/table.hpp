// The table a tree is grown from: shared columns, a target and weights. A bootstrap is other weights, a boosting round another target.
#pragma once

#include <cmath>
#include <string>
#include <vector>

#include "base/types.hpp"
#include "table/columns.hpp"

namespace tw {

// Weights are whole numbers of a quantum (a power of two) and their total stays below 2^46: sums are exact, so no
// result depends on the order of rows, and products with 31-bit targets and again with weights fit 128 bits.
struct Weights {
  std::vector<i64> quanta;  // empty: every row has `unit`
  i64 unit = 1;
  i64 total = 0;
  int shift = 0;    // a quantum is 2^-shift of a row ...
  double each = 1;  // ... times this: what all rows weigh, where they weigh the same; over what counts as one row
  double off = 0;   // by which part of itself the worst rounded weight is off

  i64 operator[](Row row) const { return quanta.empty() ? unit : quanta[row]; }
  double plain(double q) const { return (shift == 0 ? q : std::ldexp(q, -shift)) * each; }
  double plain(i64 q) const { return plain(static_cast<double>(q)); }
  double in_quanta(double weight) const { return std::ldexp(weight / each, shift); }

  // Lets a row of this weight count as one.
  void count_by(double row) {
    if (row == each) {
      each = 1;
    } else if (row != 1) {
      int exponent = 0;
      each /= std::frexp(row, &exponent);  // apart, because one over the least numbers is beyond all
      shift += exponent;
    }
  }
};

struct Target {
  u32 n_classes = 0;  // 0: numeric target
  std::vector<u32> class_of;
  std::vector<double> value;

  bool nominal() const { return n_classes > 0; }
};

struct Table {
  Row n_rows = 0;
  Columns columns;
  Target target;
  Weights weights;
};

// `given` is null for unit weights; all weights must be positive and finite. `fractions`: leave room below the unit, for
// policies that divide a row among branches.
Weights quantise_weights(const double* given, Row n_rows, bool fractions);

enum class Discretiser : u8 { equal_width, equal_frequency, mdlp };

// Replaces the ranks of a numeric column by intervals.
void discretise(EncodedColumn& column, Discretiser method, u32 bins, const Target& target, const Weights& weights);

}  // namespace tw
