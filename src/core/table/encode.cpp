// Nominal columns become levels, weights whole quanta.
#include <algorithm>
#include <bit>
#include <cmath>

#include "table/weights.hpp"

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

constexpr int kTotalBits = 46;

int exponent_of(double x) {
  int exponent = 0;
  std::frexp(x, &exponent);
  return exponent;
}

}  // namespace

void WeightFacts::add(const WeightFacts& more) {
  if (more.n == 0) return;
  even = more.even && (n == 0 || (even && first == more.first));
  if (n == 0) first = more.first;
  n += more.n;
  largest = std::max(largest, more.largest);
  whole = whole && more.whole;
}

RoughWeights::RoughWeights(const WeightFacts& facts) : exponent_(exponent_of(facts.largest)), whole_(facts.whole), rough_(30 - exponent_) {}

int RoughWeights::shift(u64 sum, bool fractions) const {
  const int shift = kTotalBits - (static_cast<int>(std::bit_width(sum)) - 30) - exponent_;
  return whole_ && !fractions && shift >= 0 ? 0 : shift;
}

Weights quantise_weights(const double* given, Row n_rows, bool fractions) {
  Weights weights;
  if (given == nullptr) {
    if (fractions) weights.unit = i64{1} << std::max(0, kTotalBits - static_cast<int>(std::bit_width(u64{n_rows})));
    weights.shift = static_cast<int>(std::bit_width(static_cast<u64>(weights.unit))) - 1;
    weights.total = weights.unit * i64{n_rows};
    return weights;
  }
  WeightFacts facts;
  for (Row row = 0; row < n_rows; ++row) facts.add(given[row]);
  if (facts.unit()) {
    Weights even = quantise_weights(nullptr, n_rows, fractions);
    even.each = given[0];
    return even;
  }
  const RoughWeights rough(facts);
  u64 sum = 0;
  for (Row row = 0; row < n_rows; ++row) sum += rough.share(given[row]);
  weights.shift = rough.shift(sum, fractions);
  weights.quanta.resize(n_rows);
  const Quantum quantum(weights.shift);
  for (Row row = 0; row < n_rows; ++row) {
    weights.quanta[row] = quantum.count(given[row], weights.off);
    weights.total += weights.quanta[row];
  }
  return weights;
}

}  // namespace tw
