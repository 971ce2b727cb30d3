// The rows of a (sub)tree as the sorted engine keeps them: for every numeric column of many values a list of the rows in order of
// value, missing ones behind, all lists divided alike when a node is; a node is one slice of every list. Columns of few values and
// nominal ones need no list: their codes are counted. Ids are table rows in the large frame, 16-bit numbers of their own in a
// small one, which then fits the second-level cache. An entry of a large frame of numbers carries its target as well, roughly, and one of
// weighted classes its weight: those of a million rows are too many for the cache.
#pragma once

#include <algorithm>
#include <bit>
#include <vector>

#include "base/prefetch.hpp"
#include "search/kernels.hpp"
#include "search/settings.hpp"
#include "table/table.hpp"

namespace tw {

inline constexpr u32 kSmallFrame = 32768;               // ids of a small frame leave one bit of 16 for the label
inline constexpr u32 kListFrom = 65;                    // numeric columns of fewer values are counted
inline constexpr u32 kCopyCellsFrom = 4 * kSmallFrame;  // rows; smaller tables stay in the cache: their cells need no copy
inline constexpr u32 kCountedBelow = 65535;             // counted columns of more values are read from the table

// A numeric column of which most rows hold one value: only the others have a list.
struct SparseColumn {
  Column column = 0;
  double common = 0;  // the value that is left out
  u32 below = 0;      // rows of the table below it, and above
  u32 above = 0;
};

// Where a node stands in such a list: entries below the common value, those above it behind them.
struct SparseSlice {
  u32 begin = 0;
  u32 below = 0;
  u32 above = 0;

  u32 size() const { return below + above; }
};

// How each column is kept, in table order.
struct FramePlan {
  std::vector<Column> lists;
  std::vector<i32> list_of;    // per column: its list, or -1
  std::vector<i32> bit_of;     // per column: its bit in the words of the rows, or -1. Columns of two values without missing cells
  std::vector<Column> coded;   // others: a code per row
  std::vector<i32> slot_of;    // per column: its place among those, or -1. The codes of columns of very many values stay in the table
  std::vector<Column> celled;  // columns whose cells are looked at: those of lists, and numbers whose cuts are drawn
  std::vector<i32> cells_of;   // per column: its place among those, or -1
  std::vector<SparseColumn> sparse;
  std::vector<i32> sparse_of;                    // per column: its place among those, or -1
  std::vector<std::vector<double>> code_values;  // per numeric column whose codes the frame has: its values by code
  u32 bit_words = 0;
  bool two_classes = false;
  bool numbers = false;
  bool drawn = false;
  bool in_order = false;  // the rows of a node are read as the table has them
  bool weighted = false;
  bool carried = false;  // entries of the large frame carry the weight: it fits 32 bits, and those of all rows do not fit the cache
  bool much = false;     // memory that is done with is worth giving back at once

  // Where cuts are drawn, numbers need neither lists nor codes. `leaves_out`: lists may leave out the most common value.
  FramePlan(const Table& table, const SearchSettings& search, bool in_order, bool leaves_out);
  bool is_drawn(Column j) const { return drawn && cells_of[j] >= 0; }
  bool listed_in_order() const { return in_order || lists.size() < list_of.size(); }
  // Whether the rows of a node are looked at one by one: not if all columns have lists.
  bool reads_rows() const { return lists.size() + sparse.size() < list_of.size(); }
  // Where columns have no list of all rows there is one more list, of the rows in table order: their codes are then read almost in
  // sequence.
  std::size_t n_lists() const { return lists.size() + listed_in_order(); }
  std::size_t source() const { return listed_in_order() ? lists.size() : 0; }
};

// The cells of one list by id, for loops over many of them: kept in the frame, or in the table as a type that is known.
template <class T>
struct OwnCells {
  const T* at;
  double operator()(u32 id) const { return static_cast<double>(at[id]); }
  void prefetch_cell(u32 id) const { prefetch(at + id); }
};
template <class T>
struct TableCells {
  const View& cells;
  const Row* rows;  // table rows of the ids; null: they are the ids
  Row row(u32 id) const { return rows == nullptr ? id : rows[id]; }
  double operator()(u32 id) const { return static_cast<double>(cells.at<T>(row(id))); }
  void prefetch_cell(u32 id) const { prefetch(cells.data + static_cast<std::ptrdiff_t>(row(id)) * cells.stride); }
};
struct AnyCells : TableCells<double> {
  double operator()(u32 id) const { return cells.number(row(id)); }
};

// Weight of a row and weight times step, as sums of them are wanted together. The steps of a node have so many bits (stats/moments.cpp)
// that the sum fits 62 bits in units of 2^shift.
struct Moment {
  i64 weight = 0;
  i64 sum = 0;

  static int shift(i64 total) {
    const int bits = static_cast<int>(std::bit_width(static_cast<u64>(total)));
    return bits <= 31 ? 0 : bits - 28;
  }
};

// Entries are id << 1 | label of two classes; in 64 bits with the rough target or the weight above.
template <class Id>
struct Frame {
  static constexpr u32 kPadding = kOrderPadding;

  u32 n = 0;
  bool two_classes = false;  // entries carry the label
  const Kernels* kernels = nullptr;
  std::vector<std::vector<Id>> lists;      // each with room for a block behind its end
  std::vector<std::vector<Id>> sparse;     // and those of sparse columns
  std::vector<u64> bitmap;                 // of the rows of the node in hand; others may stand at anything
  std::vector<u64> marks;                  // of some rows of the node in hand; none otherwise
  std::vector<Row> row;                    // of a small frame: table row of an id
  std::vector<u8> label;                   // class of an id
  std::vector<double> value;               // or its target, unless the table's own serves
  std::vector<i64> step;                   // and the target on the grid of the node in hand
  std::vector<i64> weight;                 // empty: one each
  std::vector<Moment> moment;              // of weighted numbers, at the node in hand
  int moment_shift = 0;                    // in units of 2^this
  double rough_step = 0;                   // what a rough target counts in units of the target
  i64 rough_total = 0;                     // sum of the rough targets over the node in hand
  std::vector<u16> codes;                  // of coded columns, those of a row side by side; missing is one more code
  std::vector<u64> bits;                   // of columns of two values: `bit_words` words per id
  std::vector<std::vector<float>> floats;  // of a small frame of a large table: cells of a list by id, where single precision holds them
  std::vector<std::vector<double>> doubles;

  Id* list(std::size_t f) { return lists[f].data(); }
  const Id* list(std::size_t f) const { return lists[f].data(); }
  Row row_of(u32 id) const { return row.empty() ? id : row[id]; }
  static u32 id_of(Id entry) { return static_cast<u32>(entry) >> 1; }
  static i32 rough_of(u64 entry) { return static_cast<i32>(entry >> 32); }
  bool weighted() const { return !weight.empty(); }
  i64 weight_of(u32 id) const { return weight.empty() ? 1 : weight[id]; }
  // Of a weighted frame of classes, whose entries of 64 bits carry it.
  i64 entry_weight(Id entry) const {
    if constexpr (sizeof(Id) == 8)
      return static_cast<i64>(entry >> 32);
    else
      return weight[id_of(entry)];
  }

  static constexpr std::size_t kInTable = ~std::size_t{0};  // instead of a list whose cells the frame may have

  // The value of an id in the column of a list.
  double cell(const View& cells, std::size_t f, u32 id) const {
    if (floats.empty() || f == kInTable) {
      if (cells.type == Type::F32) return static_cast<double>(cells.at<float>(row_of(id)));
      return cells.type == Type::F64 ? cells.at<double>(row_of(id)) : cells.number(row_of(id));
    }
    return floats[f].empty() ? doubles[f][id] : static_cast<double>(floats[f][id]);
  }

  template <class Use>
  auto with_cells(const View& cells, std::size_t f, const Use& use) const {
    if (!floats.empty()) return floats[f].empty() ? use(OwnCells<double>{doubles[f].data()}) : use(OwnCells<float>{floats[f].data()});
    const Row* rows = row.empty() ? nullptr : row.data();
    if (cells.type == Type::F32) return use(TableCells<float>{cells, rows});
    if (cells.type == Type::F64) return use(TableCells<double>{cells, rows});
    return use(AnyCells{{cells, rows}});
  }

  void shape(u32 rows, std::size_t n_lists) {
    n = rows;
    lists.resize(n_lists);
    bitmap.assign(std::max(rows, kFewIds) / 64 + 2, 0);
    marks.assign(bitmap.size(), 0);
  }

  // Sets or clears the bit of an id.
  void mark(u32 id, bool first) {
    const u64 bit = u64{1} << (id & 63);
    u64& word = bitmap[id >> 6];
    word = first ? word | bit : word & ~bit;
  }
};

// Rows of the node in hand whose cell of the split's column is missing.
struct LostRows {
  std::vector<u32> ids;
  std::vector<u64> bits;  // one per id, of these rows only

  bool holds(u32 id) const { return (bits[id >> 6] >> (id & 63) & 1) != 0; }
  void set(u32 n) {
    if (ids.empty()) return;
    bits.resize(std::max<std::size_t>(bits.size(), n / 64 + 1), 0);
    for (const u32 id : ids) bits[id >> 6] |= u64{1} << (id & 63);
  }
  void clear() {
    for (const u32 id : ids) bits[id >> 6] = 0;
    ids.clear();
  }
};

// Divides a slice of a list by a bitmap over the ids of the frame, stably; how many entries are in it, which then come first.
inline u32 divide_list(const Frame<u16>& frame, u16* slice, u32 n, const u64* bitmap, u16* spare) {
  return (frame.n <= kFewIds ? frame.kernels->divide_few : frame.kernels->divide16)(slice, n, bitmap, spare);
}
inline u32 divide_list(const Frame<u32>& frame, u32* slice, u32 n, const u64* bitmap, u32* spare) {
  return frame.kernels->divide32(slice, n, bitmap, spare);
}
inline u32 divide_list(const Frame<u64>& frame, u64* slice, u32 n, const u64* bitmap, u64* spare) {
  return frame.kernels->divide64(slice, n, bitmap, spare);
}

inline bool scan_list(const Kernels& k, const u16* list, u32 last, const float* inverse, float limit, TwoClassScan& scan,
                      TwoClassHit& hit) {
  return k.scan16(list, last, inverse, limit, scan, hit);
}
inline bool scan_list(const Kernels& k, const u32* list, u32 last, const float* inverse, float limit, TwoClassScan& scan,
                      TwoClassHit& hit) {
  return k.scan32(list, last, inverse, limit, scan, hit);
}

// The frame of the whole table; takes order and codes out of the table's columns.
template <class Id>
void fill_frame(Table& table, const FramePlan& plan, unsigned threads, Frame<Id>& frame);

// Work space of those who make small frames.
struct Narrowing {
  std::vector<u32> ids;        // of the frame that is made: those that its rows have in the other
  std::vector<u16> number_of;  // and back
  std::vector<u64> members;    // bit per id of the other
};

// The frame of one node, which is told where it then stands in sparse lists. Its part of a large frame's lists is given back.
template <class Id>
void narrow_frame(const Table& table, const FramePlan& plan, Frame<Id>& from, u32 begin, u32 n, std::vector<SparseSlice>& sparse,
                  Narrowing& space, Frame<u16>& into);

// 1/i for i up to a small frame's size, with room for a block before and behind.
const float* inverse_table();
const double* inverse_table_exact();

}  // namespace tw
