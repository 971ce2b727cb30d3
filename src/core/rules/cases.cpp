// Distinct rows gathered from a table, and sets of them: their weight, and those a rule covers.
#include "rules/cases.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <numeric>

#include "base/hash.hpp"

namespace tw {

namespace {

// Rows in an order that depends on their cells and classes alone, equal rows side by side.
std::vector<Row> content_order(const Table& table, std::vector<u64>& key) {
  key.assign(table.n_rows, 0);
  for (Row row = 0; row < table.n_rows; ++row) key[row] = mix(table.target.class_of[row]);
  for (const EncodedColumn& column : table.columns)
    for (Row row = 0; row < table.n_rows; ++row) key[row] = mix(key[row], column.codes[row]);
  std::vector<std::pair<u64, Row>> keyed(table.n_rows);
  for (Row row = 0; row < table.n_rows; ++row) keyed[row] = {key[row], row};
  const auto before = [&](Row a, Row b) {
    for (const EncodedColumn& column : table.columns)
      if (column.codes[a] != column.codes[b]) return column.codes[a] < column.codes[b];
    return table.target.class_of[a] < table.target.class_of[b];
  };
  std::sort(keyed.begin(), keyed.end(), [&](const auto& a, const auto& b) {
    if (a.first != b.first) return a.first < b.first;
    return a.second != b.second && before(a.second, b.second);
  });
  std::vector<Row> order(table.n_rows);
  for (Row i = 0; i < table.n_rows; ++i) order[i] = keyed[i].second;
  return order;
}

bool same(const Table& table, Row a, Row b) {
  for (const EncodedColumn& column : table.columns)
    if (column.codes[a] != column.codes[b]) return false;
  return table.target.class_of[a] == table.target.class_of[b];
}

}  // namespace

Cases gather(const Table& table) {
  constexpr u64 kMost = u64{1} << 31;  // total weight: sums of two classes side by side fit one word
  Cases cases;
  cases.n_classes = table.target.n_classes;
  std::vector<u64> key;
  const std::vector<Row> order = content_order(table, key);
  std::vector<Row> chosen;
  std::vector<u64> weight;
  std::vector<u64> rows;
  // Whole weights count as repeated rows, which are held out one by one; the rows of other weights stay together.
  const bool whole = table.weights.shift == 0 && table.weights.each == 1;
  for (const Row row : order) {
    const auto w = static_cast<u64>(table.weights[row]);
    if (!chosen.empty() && key[chosen.back()] == key[row] && same(table, chosen.back(), row)) {
      weight.back() += w;
      rows.back() += whole ? w : 1;
      continue;
    }
    chosen.push_back(row);
    weight.push_back(w);
    rows.push_back(whole ? w : 1);
  }
  int down = 0;
  while ((static_cast<u64>(table.weights.total) >> down) + chosen.size() >= kMost && down < 62) ++down;
  cases.quantum = std::ldexp(table.weights.plain(1.0), down);
  cases.size = static_cast<u32>(chosen.size());
  cases.weight.resize(cases.size);
  cases.rows.resize(cases.size);
  for (u32 i = 0; i < cases.size; ++i) {
    cases.weight[i] = static_cast<u32>(std::max<u64>(weight[i] >> down, 1));
    cases.rows[i] = static_cast<u32>(down == 0 ? rows[i] : 1);
    cases.plain = cases.plain && cases.weight[i] == 1;
    cases.class_of.push_back(table.target.class_of[chosen[i]]);
  }
  for (const EncodedColumn& column : table.columns) {
    CaseColumn copy{column.kind, column.n_codes, column.n_missing > 0, {}, {}};
    copy.codes.resize(cases.size);
    for (u32 i = 0; i < cases.size; ++i) copy.codes[i] = column.codes[chosen[i]];
    if (column.kind == Kind::nominal && column.n_codes < 255) {
      copy.small.resize(cases.size);
      for (u32 i = 0; i < cases.size; ++i) copy.small[i] = static_cast<u8>(std::min(copy.codes[i], column.n_codes));
    }
    cases.columns.push_back(std::move(copy));
  }
  return cases;
}

u64 Cases::weigh(const Bits& set) const { return weigh(set, set); }

u64 Cases::weigh(const Bits& a, const Bits& b) const {
  u64 sum = 0;
  for (std::size_t w = 0; w < a.size(); ++w) {
    u64 left = a[w] & b[w];
    if (plain) {
      sum += static_cast<u64>(std::popcount(left));
      continue;
    }
    for (; left != 0; left &= left - 1) sum += weight[w * 64 + static_cast<std::size_t>(std::countr_zero(left))];
  }
  return sum;
}

Bits Cases::all() const {
  Bits bits(words(), ~u64{0});
  if (size % 64 != 0) bits.back() = (u64{1} << (size % 64)) - 1;
  return bits;
}

Bits Cases::of_class(u32 label) const {
  Bits bits = none();
  for (u32 i = 0; i < size; ++i) bits[i / 64] |= u64{class_of[i] == label} << (i % 64);
  return bits;
}

Bits Cases::covered(const Literals& rule) const {
  Bits bits = all();
  for (const Literal& literal : rule) {
    const std::vector<Code>& codes = columns[literal.column].codes;
    by_test(literal, [&](const auto& holds) {
      for (std::size_t w = 0; w < bits.size(); ++w) {
        if (bits[w] == 0) continue;
        u64 satisfied = 0;
        if (w * 64 + 64 <= size) {
          // Results as bytes, many at once, then eight of them packed into a byte.
          std::array<u8, 64> result;
          for (std::size_t i = 0; i < 64; ++i) result[i] = static_cast<u8>(holds(codes[w * 64 + i]));
          for (std::size_t i = 0; i < 8; ++i) {
            u64 eight = 0;
            std::memcpy(&eight, result.data() + 8 * i, 8);
            satisfied |= ((eight * 0x0102040810204080U) >> 56) << (8 * i);
          }
        } else {
          for (std::size_t i = w * 64; i < size; ++i) satisfied |= u64{holds(codes[i])} << (i % 64);
        }
        bits[w] &= satisfied;
      }
    });
  }
  return bits;
}

}  // namespace tw
