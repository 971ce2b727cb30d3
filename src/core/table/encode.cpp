// Nominal columns become levels, weights whole quanta.
#include <algorithm>
#include <bit>
#include <cmath>

#include "table/table.hpp"

namespace tw {

EncodedColumn encode_nominal(const View& view, Row n_rows, u32 n_levels) {
  EncodedColumn column;
  column.kind = Kind::nominal;
  column.n_codes = n_levels;
  column.codes.resize(n_rows);
  column.seen.assign(n_levels, 0);
  for (Row row = 0; row < n_rows; ++row) {
    const double level = view.number(row);
    if (level >= 0 && level < n_levels) {
      const auto code = static_cast<Code>(level);
      column.codes[row] = code;
      column.seen[code] = 1;
    } else {
      column.codes[row] = kMissing;
      ++column.n_missing;
    }
  }
  return column;
}

Weights quantise_weights(const double* given, Row n_rows, bool fractions) {
  constexpr int kTotalBits = 46;
  Weights weights;
  if (given == nullptr) {
    if (fractions) weights.unit = i64{1} << std::max(0, kTotalBits - static_cast<int>(std::bit_width(u64{n_rows})));
    weights.shift = static_cast<int>(std::bit_width(static_cast<u64>(weights.unit))) - 1;
    weights.total = weights.unit * i64{n_rows};
    return weights;
  }
  // Equal parts of a row weigh nothing against each other: the same tree as without weights, to the last bit. (Equal whole weights are
  // rows that stand there several times, to the last bit too.)
  if (given[0] != std::floor(given[0]) && std::all_of(given, given + n_rows, [&](double w) { return w == given[0]; })) {
    Weights even = quantise_weights(nullptr, n_rows, fractions);
    even.each = given[0];
    return even;
  }
  double largest = 0;
  bool whole = true;
  for (Row row = 0; row < n_rows; ++row) {
    largest = std::max(largest, given[row]);
    whole = whole && given[row] == std::floor(given[row]);
  }
  int exponent = 0;
  std::frexp(largest, &exponent);
  // The sum relative to 2^(exponent - 30), each term rounded up to a whole number: no rounding, so no order of rows.
  u64 sum = 0;
  for (Row row = 0; row < n_rows; ++row) sum += static_cast<u64>(std::ldexp(given[row], 30 - exponent)) + 1;
  const int total_bits = static_cast<int>(std::bit_width(sum)) - 30;
  int shift = kTotalBits - total_bits - exponent;
  if (whole && !fractions && shift >= 0) shift = 0;
  weights.shift = shift;
  weights.quanta.resize(n_rows);
  for (Row row = 0; row < n_rows; ++row) {
    const auto q = static_cast<i64>(std::ldexp(given[row], shift) + 0.5);
    weights.quanta[row] = std::max<i64>(q, 1);
    weights.total += weights.quanta[row];
    const double exact = std::ldexp(given[row], shift);  // 0 where the weight is lost altogether
    weights.off = std::max(weights.off, std::abs(static_cast<double>(weights.quanta[row]) - exact) / std::max(exact, 1e-300));
  }
  return weights;
}

}  // namespace tw
