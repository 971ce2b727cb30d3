// The rows of a table in bins as the binned engine reads them: the codes of a row side by side, so that one place of memory serves all of
// its columns, and one counter per column, code and class, or a weight and a sum.
#pragma once

#include <cstring>
#include <span>
#include <vector>

#include "table/table.hpp"
#include "tree/split.hpp"

namespace tw {

struct BinnedFrame {
  const std::byte* cells = nullptr;  // of the first row; the code after the last is a missing cell
  std::ptrdiff_t stride = 0;         // from row to row
  bool bytes = true;                 // or two bytes each
  std::vector<u32> offset;           // of a column in its row
  std::vector<u32> begin;            // by column: its first slot, a slot per code and one for missing cells; then how many there are
  u32 n_classes = 0;                 // 0: numbers
  bool narrow = true;                // weights of classes fit counters of 32 bits, sums of steps those of 64

  std::span<Row> rows;  // those of every node stand together, ascending
  std::span<const u8> label;
  std::span<const i64> weight;  // empty: one each

  // What is not borrowed.
  std::vector<std::byte> own_cells;  // where the columns of the table do not lie row by row
  std::vector<Row> own_rows;
  std::vector<u8> own_label;
  std::vector<i64> own_weight;

  BinnedFrame() = default;
  explicit BinnedFrame(const Table& table);
  // The counters alone.
  static BinnedFrame without_rows(const Table& table);
  BinnedFrame(BinnedFrame&&) = default;
  BinnedFrame& operator=(BinnedFrame&&) = default;

  std::size_t columns() const { return offset.size(); }
  u32 n_slots() const { return begin.back(); }
  // Counters of a slot: one per class; of numbers the weight, and the sum in one or in two.
  std::size_t per_slot() const { return n_classes > 0 ? n_classes : narrow ? 2 : 3; }
  i64 weight_of(Row row) const { return weight.empty() ? 1 : weight[row]; }
  u32 code_of(Column j, Row row) const {
    const std::byte* at = cells + static_cast<std::ptrdiff_t>(row) * stride + offset[j];
    if (bytes) return static_cast<u8>(*at);
    u16 code;
    std::memcpy(&code, at, sizeof code);
    return code;
  }
};

// A whole number of more than 64 bits in two counters, which may be added up over 2^31 rows.
constexpr unsigned kLowBits = 32;
inline void add_in_two(i64* at, i128 x) {
  at[0] += static_cast<i64>(x & ((i128{1} << kLowBits) - 1));
  at[1] += static_cast<i64>(x >> kLowBits);
}
inline i128 of_two(const i64* at) { return i128{at[1]} * (i128{1} << kLowBits) + at[0]; }

// What rows weigh by column, code and class; of numbers the weights and the sums of weighted steps.
struct BinnedCounts {
  std::vector<u32> narrow;
  std::vector<i64> wide;

  bool empty() const { return narrow.empty() && wide.empty(); }
  i64 at(std::size_t i) const { return narrow.empty() ? wide[i] : i64{narrow[i]}; }
  // The sum of the steps of a slot of numbers.
  i128 sum(const BinnedFrame& frame, std::size_t slot) const {
    const i64* at = wide.data() + slot * frame.per_slot() + 1;
    return frame.narrow ? i128{*at} : of_two(at);
  }
  void subtract(const BinnedCounts& other);
  void add(const BinnedCounts& other);
};

// Counts the rows of a node in some columns; the slots of the others stay as they are. `steps`: of numbers, by place in `rows`.
void count_rows(const BinnedFrame& frame, std::span<const Row> rows, std::span<const Column> columns, const i64* steps, unsigned threads,
                BinnedCounts& counts);

// Counters at 0: of all columns, or of some among others.
void clear_counts(const BinnedFrame& frame, BinnedCounts& counts);
void clear_counts(const BinnedFrame& frame, std::span<const Column> columns, BinnedCounts& counts);

// Which branch every code of a column takes, missing cells last: 0 or 1.
std::vector<u8> branches_by_code(const Split& split, u32 n_codes);

// Puts the rows that go to the first branch before the others, both in the order they are in; how many there are. `branch` by code, missing
// cells last.
u32 divide_rows(const BinnedFrame& frame, std::span<Row> rows, Column column, const std::vector<u8>& branch, std::vector<Row>& spare);

}  // namespace tw
