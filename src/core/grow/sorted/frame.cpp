// Fills the frame of a whole table, and the small frames of its nodes.
#include "grow/sorted/frame.hpp"

#include <bit>
#include <cmath>
#include <type_traits>
#include <utility>

#include "base/memory.hpp"
#include "base/parallel.hpp"

namespace tw {

namespace {

constexpr u32 kCopyBlock = 256;  // rows copied column by column: a block of rows of a row-wise table stays in the cache

bool single_holds(Type type) { return type == Type::F32 || type == Type::I8 || type == Type::U8 || type == Type::I16 || type == Type::U16; }

template <class Real>
void copy_cells(const View& cells, const Row* rows, u32 n, Real* to) {
  if (cells.type == Type::F32)
    for (u32 i = 0; i < n; ++i) to[i] = static_cast<Real>(cells.at<float>(rows[i]));
  else
    for (u32 i = 0; i < n; ++i) to[i] = static_cast<Real>(cells.number(rows[i]));
}

// Targets as 31-bit numbers of steps from their mid-range.
template <class Id>
std::vector<i32> rough_targets(const Table& table, Frame<Id>& frame) {
  const std::vector<double>& value = table.target.value;
  std::vector<i32> rough(value.size(), 0);
  const auto [low, high] = std::minmax_element(value.begin(), value.end());
  const double half = *high / 2 - *low / 2;
  const double centre = *low / 2 + *high / 2;
  int magnitude = 0;
  std::frexp(half, &magnitude);
  frame.rough_step = std::ldexp(1.0, std::clamp(magnitude - 30, -1022, 1023));
  if (half > 0)
    for (std::size_t row = 0; row < value.size(); ++row)
      rough[row] = static_cast<i32>(std::lrint((value[row] - centre) / frame.rough_step));
  return rough;
}

// What the frame holds need not be kept in the table, unless others hold the column.
void drop_codes(Table& table, Column j) {
  if (table.columns.sole(j)) table.columns.edit(j).codes = {};
}

// Writes the codes of a row side by side; what was read is given back.
void take_codes(Table& table, const FramePlan& plan, std::vector<u16>& codes) {
  const std::size_t width = plan.coded.size();
  codes.resize(width * table.n_rows);
  constexpr Row kGiveBack = 1 << 16;
  for (Row begin = 0; begin < table.n_rows && width > 0; begin += kGiveBack) {
    const Row end = std::min(table.n_rows - begin, kGiveBack) + begin;
    for (Row at = begin; at < end; at += kCopyBlock) {
      const Row stop = std::min(at + kCopyBlock, end);
      for (std::size_t slot = 0; slot < width; ++slot) {
        const EncodedColumn& column = table.columns[plan.coded[slot]];
        for (Row row = at; row < stop; ++row) codes[row * width + slot] = static_cast<u16>(std::min(column.codes[row], column.n_codes));
      }
    }
    for (const Column j : plan.coded)
      if (plan.much && table.columns.sole(j)) give_back(table.columns.edit(j).codes.data() + begin, (end - begin) * sizeof(Code));
  }
  for (const Column j : plan.coded) drop_codes(table, j);
}

// The rows that do not hold the common value of a column, in order of theirs.
std::vector<Row> rows_beside(const EncodedColumn& column, const SparseColumn& sparse, Row n_rows) {
  const std::size_t n = std::size_t{sparse.below} + sparse.above;
  if (column.sparse()) return column.stored;
  std::vector<Row> rows(n);
  if (!column.order.empty()) {
    std::copy_n(column.order.begin(), sparse.below, rows.begin());
    std::copy_n(column.order.begin() + n_rows - sparse.above, sparse.above, rows.begin() + sparse.below);
    return rows;
  }
  std::vector<u32> starts(column.n_codes, 0);
  for (Row row = 0; row < n_rows; ++row) ++starts[column.codes[row]];
  const auto common = static_cast<std::size_t>(std::max_element(starts.begin(), starts.end()) - starts.begin());
  starts[common] = 0;
  u32 at = 0;
  for (u32& start : starts) at += std::exchange(start, at);
  for (Row row = 0; row < n_rows; ++row)
    if (column.codes[row] != common) rows[starts[column.codes[row]]++] = row;
  return rows;
}

}  // namespace

template <class Id>
void fill_frame(Table& table, const FramePlan& plan, unsigned threads, Frame<Id>& frame) {
  frame.shape(table.n_rows, plan.n_lists());
  frame.two_classes = plan.two_classes;
  frame.kernels = &kernels();
  std::vector<i32> rough;
  if (plan.numbers) {
    frame.step.resize(table.n_rows);
    if constexpr (sizeof(Id) == 8) rough = rough_targets(table, frame);
  } else {
    frame.label.resize(table.n_rows);
    for (Row row = 0; row < table.n_rows; ++row) frame.label[row] = static_cast<u8>(table.target.class_of[row]);
    table.target.class_of = {};
  }
  if (plan.weighted) {
    frame.weight.resize(table.n_rows);
    for (Row row = 0; row < table.n_rows; ++row) frame.weight[row] = table.weights[row];
  }
  if (plan.weighted && plan.numbers) frame.moment.resize(table.n_rows);
  // What entries of 64 bits hold is put together first: it is read at random once per list.
  std::vector<Id> wide(sizeof(Id) == 8 ? table.n_rows : 0);
  const auto made = [&](Row row) {
    const auto low = static_cast<Id>(row << 1 | (plan.two_classes ? u32{frame.label[row]} : 0U));
    if constexpr (sizeof(Id) == 8)
      return u64{plan.numbers ? static_cast<u32>(rough[row]) : static_cast<u32>(frame.weight[row])} << 32 | low;
    else
      return low;
  };
  for (Row row = 0; row < wide.size(); ++row) wide[row] = made(row);
  const auto entry = [&](Row row) { return wide.empty() ? made(row) : wide[row]; };
  for_each(plan.lists.size(), threads, [&](std::size_t f, unsigned) {
    const Column j = plan.lists[f];
    const bool sole = table.columns.sole(j);
    if (std::is_same_v<Id, Row> && sole) {
      if constexpr (std::is_same_v<Id, Row>) frame.lists[f] = std::move(table.columns.edit(j).order);
      for (Row i = 0; i < table.n_rows; ++i) frame.lists[f][i] = entry(static_cast<Row>(frame.lists[f][i]));
      return;
    }
    const std::vector<Row>& order = table.columns[j].order;
    frame.lists[f].resize(table.n_rows + kOrderPadding);
    for (Row i = 0; i < table.n_rows; ++i) frame.lists[f][i] = entry(order[i]);
    if (!sole) return;
    if (plan.much) give_back(table.columns.edit(j).order.data(), order.size() * sizeof(Row));  // the allocator might keep it
    table.columns.edit(j).order = {};
  });
  frame.sparse.resize(plan.sparse.size());
  for_each(plan.sparse.size(), threads, [&](std::size_t s, unsigned) {
    const SparseColumn& sparse = plan.sparse[s];
    const EncodedColumn& column = table.columns[sparse.column];
    std::vector<Row> rows = rows_beside(column, sparse, table.n_rows);
    frame.sparse[s].resize(rows.size() + kOrderPadding);
    for (std::size_t i = 0; i < rows.size(); ++i) frame.sparse[s][i] = entry(rows[i]);
    if (!table.columns.sole(sparse.column)) return;
    EncodedColumn& own = table.columns.edit(sparse.column);
    if (plan.much && !own.order.empty()) give_back(own.order.data(), own.order.size() * sizeof(Row));
    own.order = {};
    own.codes = {};
    own.stored = {};
  });
  if (plan.listed_in_order()) {
    frame.lists[plan.source()].resize(table.n_rows + kOrderPadding);
    for (Row row = 0; row < table.n_rows; ++row) frame.lists[plan.source()][row] = entry(row);
  }
  frame.bits.assign(std::size_t{plan.bit_words} * table.n_rows, 0);
  for (Column j = 0; j < table.columns.size(); ++j) {
    const i32 bit = plan.bit_of[j];
    if (bit < 0) continue;
    u64* words = frame.bits.data() + bit / 64;
    const std::vector<Code>& codes = table.columns[j].codes;
    for (Row row = 0; row < table.n_rows; ++row) words[std::size_t{row} * plan.bit_words] |= u64{codes[row]} << (bit % 64);
    drop_codes(table, j);
  }
  take_codes(table, plan, frame.codes);
}

template void fill_frame(Table&, const FramePlan&, unsigned, Frame<u16>&);
template void fill_frame(Table&, const FramePlan&, unsigned, Frame<u32>&);
template void fill_frame(Table&, const FramePlan&, unsigned, Frame<u64>&);

namespace {

// Numbers the rows of a node in table order, so that what is read per row is read almost in sequence.
template <class Id>
void number_rows(const Id* source, bool in_order, u32 n, u32 n_ids, Narrowing& space) {
  space.ids.resize(n);
  space.number_of.resize(std::max<std::size_t>(space.number_of.size(), n_ids));
  if (in_order) {
    for (u32 i = 0; i < n; ++i) space.ids[i] = Frame<Id>::id_of(source[i]);
  } else {
    space.members.resize(std::max<std::size_t>(space.members.size(), n_ids / 64 + 1), 0);
    for (u32 i = 0; i < n; ++i) space.members[Frame<Id>::id_of(source[i]) / 64] |= u64{1} << (Frame<Id>::id_of(source[i]) & 63);
    u32 i = 0;
    for (std::size_t word = 0; i < n; ++word) {
      for (u64 left = std::exchange(space.members[word], 0); left != 0; left &= left - 1)
        space.ids[i++] = static_cast<u32>(word * 64 + static_cast<std::size_t>(std::countr_zero(left)));
    }
  }
  for (u32 i = 0; i < n; ++i) space.number_of[space.ids[i]] = static_cast<u16>(i);
}

void copy_all_cells(const Table& table, const FramePlan& plan, Frame<u16>& into) {
  into.floats.resize(plan.celled.size());
  into.doubles.resize(plan.celled.size());
  for (std::size_t f = 0; f < plan.celled.size(); ++f) {
    const bool single = single_holds(table.columns[plan.celled[f]].cells.type);
    into.floats[f].resize(single ? into.n : 0);
    into.doubles[f].resize(single ? 0 : into.n);
  }
  for (u32 at = 0; at < into.n; at += kCopyBlock) {
    const u32 block = std::min(kCopyBlock, into.n - at);
    for (std::size_t f = 0; f < plan.celled.size(); ++f) {
      const View& cells = table.columns[plan.celled[f]].cells;
      if (into.doubles[f].empty())
        copy_cells(cells, into.row.data() + at, block, into.floats[f].data() + at);
      else
        copy_cells(cells, into.row.data() + at, block, into.doubles[f].data() + at);
    }
  }
}

// Whether cells of few rows are looked at so often that a copy pays: cuts of numbers come near the best more often than those of classes,
// and few columns are soon copied.
bool copies_pay(const FramePlan& plan) {
  constexpr std::size_t kFewColumns = 8;
  return plan.numbers || plan.celled.size() <= kFewColumns;
}

}  // namespace

// What some rows have side by side: so many items each, which are copied without a call where they are few.
template <class Item>
void take_several(const std::vector<Item>& of, std::size_t width, const std::vector<u32>& ids, std::vector<Item>& to) {
  to.resize(width * ids.size());
  const auto take = [&](auto n) {
    for (std::size_t i = 0; i < ids.size(); ++i) std::copy_n(of.data() + ids[i] * n, std::size_t{n}, to.data() + i * n);
  };
  constexpr std::size_t kFew = 16;
  const bool few = [&]<std::size_t... w>(std::index_sequence<w...>) {
    return ((width == w + 1 && (take(std::integral_constant<std::size_t, w + 1>{}), true)) || ...);
  }(std::make_index_sequence<kFew>{});
  if (!few && width > 0) take(width);
}

template <class Id>
void narrow_frame(const Table& table, const FramePlan& plan, Frame<Id>& from, u32 begin, u32 n, std::vector<SparseSlice>& sparse,
                  Narrowing& space, Frame<u16>& into) {
  into.shape(n, plan.n_lists());
  into.two_classes = plan.two_classes;
  into.kernels = from.kernels;
  number_rows(from.list(plan.source()) + begin, plan.listed_in_order(), n, from.n, space);
  const std::vector<u32>& ids = space.ids;
  into.row.resize(n);
  for (u32 i = 0; i < n; ++i) into.row[i] = from.row_of(ids[i]);
  for (std::size_t f = 0; f < plan.n_lists(); ++f) {
    Id* wide = from.list(f) + begin;
    into.lists[f].resize(n + kOrderPadding);
    u16* narrow = into.list(f);
    for (u32 i = 0; i < n; ++i) narrow[i] = static_cast<u16>(space.number_of[Frame<Id>::id_of(wide[i])] << 1 | (wide[i] & 1));
    if (sizeof(Id) > sizeof(u16) && plan.much) give_back(wide, n * sizeof(Id));
  }
  into.sparse.resize(sparse.size());
  for (std::size_t s = 0; s < sparse.size(); ++s) {
    const Id* wide = from.sparse[s].data() + std::exchange(sparse[s].begin, 0);
    into.sparse[s].resize(sparse[s].size() + kOrderPadding);
    for (u32 i = 0; i < sparse[s].size(); ++i)
      into.sparse[s][i] = static_cast<u16>(space.number_of[Frame<Id>::id_of(wide[i])] << 1 | (wide[i] & 1));
  }
  const auto take = [&](auto& to, const auto& of) {
    to.resize(n);
    for (u32 i = 0; i < n; ++i) to[i] = of[ids[i]];
  };
  if (!from.floats.empty()) {
    into.floats.resize(plan.celled.size());
    into.doubles.resize(plan.celled.size());
    for (std::size_t f = 0; f < plan.celled.size(); ++f) {
      if (from.doubles[f].empty())
        take(into.floats[f], from.floats[f]);
      else
        take(into.doubles[f], from.doubles[f]);
    }
  } else if (table.n_rows >= kCopyCellsFrom || (n <= kFewIds && copies_pay(plan))) {
    copy_all_cells(table, plan, into);
  }
  if (plan.numbers) {
    if (!from.value.empty())
      take(into.value, from.value);
    else if (table.n_rows >= kCopyCellsFrom)
      take(into.value, table.target.value);  // the ids of a large frame are rows
    into.step.resize(n);
  } else {
    take(into.label, from.label);
  }
  if (plan.weighted) {
    take(into.weight, from.weight);
    if (plan.numbers) into.moment.resize(n);
  }
  take_several(from.bits, plan.bit_words, ids, into.bits);
  take_several(from.codes, plan.coded.size(), ids, into.codes);
}

template void narrow_frame(const Table&, const FramePlan&, Frame<u16>&, u32, u32, std::vector<SparseSlice>&, Narrowing&, Frame<u16>&);
template void narrow_frame(const Table&, const FramePlan&, Frame<u32>&, u32, u32, std::vector<SparseSlice>&, Narrowing&, Frame<u16>&);
template void narrow_frame(const Table&, const FramePlan&, Frame<u64>&, u32, u32, std::vector<SparseSlice>&, Narrowing&, Frame<u16>&);

namespace {

constexpr u32 kBefore = 16;

template <class Real>
std::vector<Real> make_inverses() {
  std::vector<Real> table(kBefore + kSmallFrame + 64, 0);
  for (u32 i = 1; i < kSmallFrame + 48; ++i) table[kBefore + i] = Real{1} / static_cast<Real>(i);
  return table;
}

}  // namespace

const float* inverse_table() {
  static const std::vector<float> table = make_inverses<float>();
  return table.data() + kBefore;
}

const double* inverse_table_exact() {
  static const std::vector<double> table = make_inverses<double>();
  return table.data() + kBefore;
}

}  // namespace tw
