// Ranks of numeric columns by sorting order-preserving integer keys; LSD radix sort above a few hundred rows.
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <utility>

#include "table/table.hpp"

namespace tw {

namespace {

constexpr std::size_t kSmall = 256;
constexpr int kDigitBits = 11;
constexpr std::size_t kBuckets = std::size_t{1} << kDigitBits;

// The bits of a float, changed so that unsigned order is numeric order. Adding 0 makes -0.0 equal to 0.0.
u32 key_of(float x) {
  const u32 bits = std::bit_cast<u32>(x + 0.0F);
  return bits ^ ((bits >> 31) != 0 ? 0xffffffffU : 0x80000000U);
}

u64 key_of(double x) {
  const u64 bits = std::bit_cast<u64>(x + 0.0);
  return bits ^ ((bits >> 63) != 0 ? ~u64{0} : u64{1} << 63);
}

template <class Key>
struct Keyed {
  Key key;
  Row row;
};

// Stable by row: entries arrive in row order. Digits on which all keys agree are skipped.
template <class Key>
void sort_keys(std::vector<Keyed<Key>>& entries) {
  if (entries.size() <= kSmall) {
    std::sort(entries.begin(), entries.end(), [](const auto& a, const auto& b) { return a.key != b.key ? a.key < b.key : a.row < b.row; });
    return;
  }
  constexpr int digits = (static_cast<int>(sizeof(Key)) * 8 + kDigitBits - 1) / kDigitBits;
  std::vector<std::array<u32, kBuckets>> counts(digits);
  for (auto& count : counts) count.fill(0);
  for (const auto& entry : entries)
    for (int d = 0; d < digits; ++d) ++counts[static_cast<std::size_t>(d)][(entry.key >> (d * kDigitBits)) & (kBuckets - 1)];
  std::vector<Keyed<Key>> other(entries.size());
  for (int d = 0; d < digits; ++d) {
    auto& count = counts[static_cast<std::size_t>(d)];
    if (count[(entries[0].key >> (d * kDigitBits)) & (kBuckets - 1)] == entries.size()) continue;
    u32 start = 0;
    for (auto& c : count) start += std::exchange(c, start);
    for (const auto& entry : entries) other[count[(entry.key >> (d * kDigitBits)) & (kBuckets - 1)]++] = entry;
    entries.swap(other);
  }
}

template <class Real, class Load>
void encode(Row n_rows, EncodedColumn& column, u32 order_from, Load load) {
  using Key = decltype(key_of(Real{}));
  std::vector<Keyed<Key>> entries;
  std::vector<Row> missing;
  entries.reserve(n_rows);
  for (Row row = 0; row < n_rows; ++row) {
    const Real x = load(row);
    if (std::isnan(x)) {
      missing.push_back(row);
      continue;
    }
    if (std::isinf(x) && column.infinite_row < 0) column.infinite_row = row;
    entries.push_back({key_of(x), row});
  }
  column.n_missing = missing.size();
  sort_keys(entries);
  for (std::size_t i = 0; i < entries.size(); ++i) column.n_codes += i == 0 || entries[i].key != entries[i - 1].key;
  if (order_from > 0 && column.n_codes >= order_from) {
    column.order.resize(n_rows + kOrderPadding);
    for (std::size_t i = 0; i < entries.size(); ++i) column.order[i] = entries[i].row;
    std::copy(missing.begin(), missing.end(), column.order.begin() + static_cast<std::ptrdiff_t>(entries.size()));
    return;
  }
  column.codes.assign(n_rows, kMissing);
  Code code = 0;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    code += i > 0 && entries[i].key != entries[i - 1].key;
    column.codes[entries[i].row] = code;
  }
}

}  // namespace

EncodedColumn encode_numeric(const View& view, Row n_rows, u32 order_from) {
  EncodedColumn column;
  column.cells = view;
  if (view.type == Type::F32)
    encode<float>(n_rows, column, order_from, [&](Row row) { return view.at<float>(row); });
  else
    encode<double>(n_rows, column, order_from, [&](Row row) { return view.number(row); });
  return column;
}

void rank_rows(EncodedColumn& column) {
  if (column.order.empty()) return;
  const std::size_t n_rows = column.order.size() - kOrderPadding;
  const std::size_t known = n_rows - column.n_missing;
  column.codes.assign(n_rows, kMissing);
  Code code = 0;
  for (std::size_t i = 0; i < known; ++i) {
    code += i > 0 && column.cells.number(column.order[i]) != column.cells.number(column.order[i - 1]);
    column.codes[column.order[i]] = code;
  }
  column.order = {};
}

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
  }
  return weights;
}

}  // namespace tw
