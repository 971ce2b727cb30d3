// Additive summaries of a set of rows, as flat runs of whole numbers ("cells"): sums are exact, so a summary does not
// depend on the order in which rows were added, and the summary of a branch can be subtracted from its parent's.
#pragma once

#include <vector>

#include "base/types.hpp"

namespace tw {

// Weight per class, then the total. Classes are numbered 0..k-1 among those that occur at the node.
struct ClassStat {
  using Cell = i64;
  using Label = i32;
  u32 k = 0;

  std::size_t width() const { return std::size_t{k} + 1; }
  i64 weight(const Cell* s) const { return s[k]; }
  void add_row(Cell* s, i32 label, i64 w) const {
    s[label] += w;
    s[k] += w;
  }
};

// Weight and weighted sum of a target that is a whole number of steps from the node's mid-range.
struct MomentStat {
  using Cell = i128;
  using Label = i64;

  std::size_t width() const { return 2; }
  i64 weight(const Cell* s) const { return static_cast<i64>(s[0]); }
  void add_row(Cell* s, i64 label, i64 w) const {
    s[0] += w;
    s[1] += static_cast<i128>(w) * label;
  }
};

template <class Cell>
void add_cells(Cell* into, const Cell* from, std::size_t width) {
  for (std::size_t i = 0; i < width; ++i) into[i] += from[i];
}

template <class Cell>
void subtract_cells(Cell* from, const Cell* what, std::size_t width) {
  for (std::size_t i = 0; i < width; ++i) from[i] -= what[i];
}

// value * numerator / denominator rounded to the nearest whole number; the product must fit 128 bits (class weights only
// reach 2^46, moments 2^77, and both factors of a share 2^46).
template <class Cell>
Cell scaled_cell(Cell value, i64 numerator, i64 denominator) {
  const i128 product = static_cast<i128>(value) * numerator;
  const i128 half = denominator / 2;
  return static_cast<Cell>(product >= 0 ? (product + half) / denominator : -((-product + half) / denominator));
}

// How a numeric target is written as whole steps inside one node: label = round((y - centre) / step).
struct TargetGrid {
  double centre = 0;
  double step = 1;
};

// What is read of a node's target: exact up to the last bits whatever the order of rows.
struct TargetFacts {
  TargetGrid grid;
  double mean = 0;
  double variance = 0;
  bool constant = true;
};

// Reads `n` values into whole steps of the node's own grid. `weights` may be null: one each. `total` is the weight of the node.
TargetFacts read_target(const double* values, const i64* weights, std::size_t n, i64 total, i64* steps);

// As a conversion does, but most numbers need only 64 of the 128 bits, and that is one instruction.
inline double to_double(i128 x) { return x == static_cast<i64>(x) ? static_cast<double>(static_cast<i64>(x)) : static_cast<double>(x); }

}  // namespace tw
