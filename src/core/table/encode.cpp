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

namespace {

// Multiplies by 2^exponent, for many numbers: a product with a power of two is rounded as `ldexp` rounds.
class PowerOfTwo {
 public:
  explicit PowerOfTwo(int exponent) : exponent_(exponent), factor_(exponent > -1023 && exponent < 1024 ? std::ldexp(1.0, exponent) : 0) {}
  double operator()(double x) const { return factor_ > 0 ? x * factor_ : std::ldexp(x, exponent_); }

 private:
  int exponent_;
  double factor_;
};

}  // namespace

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
  const PowerOfTwo rough(30 - exponent);
  for (Row row = 0; row < n_rows; ++row) sum += static_cast<u64>(static_cast<i64>(rough(given[row]))) + 1;  // below 2^30
  const int total_bits = static_cast<int>(std::bit_width(sum)) - 30;
  int shift = kTotalBits - total_bits - exponent;
  if (whole && !fractions && shift >= 0) shift = 0;
  weights.shift = shift;
  weights.quanta.resize(n_rows);
  const PowerOfTwo scale(shift);
  for (Row row = 0; row < n_rows; ++row) {
    const double exact = scale(given[row]);  // 0 where the weight is lost altogether
    const auto q = static_cast<i64>(exact + 0.5);
    weights.quanta[row] = std::max<i64>(q, 1);
    weights.total += weights.quanta[row];
    weights.off = std::max(weights.off, std::abs(static_cast<double>(weights.quanta[row]) - exact) / std::max(exact, 1e-300));
  }
  return weights;
}

}  // namespace tw
