// Numeric columns become ranks or rows in order: keys are read block by block, sorted by their upper words, and told apart by the lower
// ones.
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <utility>

#include "base/parallel.hpp"
#include "table/radix.hpp"
#include "table/table.hpp"

namespace tw {

namespace {

constexpr Row kBlock = 128;           // rows read at a time: what a cache keeps while their columns are told apart
constexpr u32 kMissingKey = ~u32{0};  // beyond the key of every number, so missing rows come last
constexpr std::size_t kFew = 64;
constexpr std::size_t kEntriesAhead = 32;  // entries ahead whose lower words are fetched

// Keys are unsigned numbers in the order of the values. A double's key has two words; a column is sorted by the upper one, and rows that
// agree in it by the lower one.
struct Key {
  u32 upper;
  u32 lower;
};

// The bits of a float, changed so that unsigned order is numeric order. Adding 0 makes -0.0 equal to 0.0.
Key key_of(float x) {
  const u32 bits = std::bit_cast<u32>(x + 0.0F);
  return {std::isnan(x) ? kMissingKey : bits ^ ((bits >> 31) != 0 ? 0xffffffffU : 0x80000000U), 0};
}

Key key_of(double x) {
  if (std::isnan(x)) return {kMissingKey, 0};
  const u64 bits = std::bit_cast<u64>(x + 0.0);
  const u64 key = bits ^ ((bits >> 63) != 0 ? ~u64{0} : u64{1} << 63);
  return {static_cast<u32>(key >> 32), static_cast<u32>(key)};
}

template <class WholeNumbers>
Key key_of(WholeNumbers x) {
  if constexpr (sizeof(WholeNumbers) == 8)
    return key_of(static_cast<double>(x));
  else if constexpr (std::is_signed_v<WholeNumbers>)
    return {static_cast<u32>(static_cast<i32>(x)) ^ 0x80000000U, 0};
  else
    return {static_cast<u32>(x), 0};
}

// A column on its way: the upper words of its keys stand in `column.order`.
struct Draft {
  EncodedColumn& column;
  std::vector<u32> lower{};  // the lower words, where the type has them
  bool deep = false;         // they matter: the upper ones do not tell all values apart

  bool missing(u32 upper) const { return upper == kMissingKey && column.n_missing > 0; }
  bool wide() const { return column.cells.type == Type::F64 || column.cells.type == Type::I64 || column.cells.type == Type::U64; }
};

// The distinct upper words of a column and their ranks, if they are few.
class FewKeys {
 public:
  explicit FewKeys(const Draft& draft) {
    const std::vector<u32>& upper = draft.column.order;
    for (Row row = 0; few() && row < upper.size(); ++row)
      if (!draft.missing(upper[row])) add(upper[row], row);
    if (!few()) return;
    std::vector<u32> ascending;
    for (const Slot& slot : slots_)
      if (slot.used) ascending.push_back(slot.upper);
    std::sort(ascending.begin(), ascending.end());
    for (Slot& slot : slots_)
      slot.code = static_cast<Code>(std::lower_bound(ascending.begin(), ascending.end(), slot.upper) - ascending.begin());
  }

  bool few() const { return count_ <= kFew; }
  std::size_t size() const { return count_; }
  Code code_of(u32 upper) const { return slots_[find(upper)].code; }
  // A row that has this key.
  Row sample(u32 upper) const { return slots_[find(upper)].row; }

 private:
  static constexpr std::size_t kSlots = 256;  // never more than a quarter full
  struct Slot {
    u32 upper = 0;
    Row row = 0;
    Code code = 0;
    bool used = false;
  };
  std::size_t find(u32 upper) const {
    std::size_t at = upper * 0x9e3779b1U >> 24;
    while (slots_[at].used && slots_[at].upper != upper) at = (at + 1) % kSlots;
    return at;
  }
  void add(u32 upper, Row row) {
    Slot& slot = slots_[find(upper)];
    if (!slot.used && ++count_ <= kFew) slot = {upper, row, 0, true};
  }

  std::array<Slot, kSlots> slots_;
  std::size_t count_ = 0;
};

// Whether rows that agree in the upper word agree in the lower one too.
bool upper_tells(const Draft& draft, const FewKeys& few) {
  const std::vector<u32>& upper = draft.column.order;
  for (Row row = 0; draft.deep && row < upper.size(); ++row)
    if (!draft.missing(upper[row]) && draft.lower[row] != draft.lower[few.sample(upper[row])]) return false;
  return true;
}

template <class T>
void read_block(Row first, Row last, Draft& draft) {
  EncodedColumn& column = draft.column;
  std::array<u32, kBlock> upper;
  std::array<u32, kBlock> lower;
  bool deep = false;
  bool special = false;
  for (Row row = first; row < last; ++row) {
    const T x = column.cells.at<T>(row);
    const Key key = key_of(x);
    upper[row - first] = key.upper;
    if constexpr (sizeof(T) == 8) {
      lower[row - first] = key.lower;
      deep |= static_cast<u32>(std::bit_cast<u64>(static_cast<double>(x))) != 0;
    }
    if constexpr (std::is_floating_point_v<T>) special |= !(std::abs(x) <= std::numeric_limits<T>::max());
  }
  draft.deep = draft.deep || deep;
  if (special)
    for (Row row = first; row < last; ++row) {
      const auto x = static_cast<double>(column.cells.at<T>(row));
      column.n_missing += std::isnan(x);
      if (std::isinf(x) && column.infinite_row < 0) column.infinite_row = row;
    }
  column.order.insert(column.order.end(), upper.begin(), upper.begin() + (last - first));
  if constexpr (sizeof(T) == 8) draft.lower.insert(draft.lower.end(), lower.begin(), lower.begin() + (last - first));
}

void read_block(Row first, Row last, Draft& draft) {
  switch (draft.column.cells.type) {
    case Type::F32: return read_block<float>(first, last, draft);
    case Type::F64: return read_block<double>(first, last, draft);
    case Type::I8: return read_block<std::int8_t>(first, last, draft);
    case Type::I16: return read_block<std::int16_t>(first, last, draft);
    case Type::I32: return read_block<std::int32_t>(first, last, draft);
    case Type::I64: return read_block<std::int64_t>(first, last, draft);
    case Type::U8: return read_block<std::uint8_t>(first, last, draft);
    case Type::U16: return read_block<std::uint16_t>(first, last, draft);
    case Type::U32: return read_block<std::uint32_t>(first, last, draft);
    case Type::U64: return read_block<std::uint64_t>(first, last, draft);
    case Type::Sparse: return;  // encode_sparse reads those
  }
}

// Puts rows that agree in the upper word in the order of the lower one, and writes ranks in the place of the keys. Returns how many
// values are distinct.
u32 rank_entries(std::span<KeyedRow> entries, const Draft& draft, RadixRoom& room) {
  u32 code = 0;
  std::vector<KeyedRow> run;
  for (std::size_t i = 0, end; i < entries.size(); i = end) {
    end = i;
    do {
      if (draft.deep && end + kEntriesAhead < entries.size()) __builtin_prefetch(&draft.lower[entries[end + kEntriesAhead].row]);
      ++end;
    } while (end < entries.size() && entries[end].key == entries[i].key);
    if (!draft.deep || end == i + 1) {
      for (std::size_t k = i; k < end; ++k) entries[k].key = code;
      ++code;
      continue;
    }
    run.assign(entries.begin() + static_cast<std::ptrdiff_t>(i), entries.begin() + static_cast<std::ptrdiff_t>(end));
    bool apart = false;
    for (KeyedRow& entry : run) {
      entry.key = draft.lower[entry.row];
      apart = apart || entry.key != run[0].key;
    }
    if (apart) sort_entries(run, room);
    for (std::size_t k = 0; k < run.size(); ++k) {
      code += k > 0 && run[k].key != run[k - 1].key;
      entries[i + k] = {code, run[k].row};
    }
    ++code;
  }
  return code;
}

void finish(Draft& draft, u32 order_from, RadixRoom& room) {
  EncodedColumn& column = draft.column;
  const std::size_t n_rows = column.order.size();
  const auto pad = [&] { column.order.resize(n_rows + kOrderPadding); };
  const FewKeys few(draft);
  if (!few.few() && !draft.deep && order_from > 0 && order_from <= kFew + 1) {
    column.n_codes = replace_by_rows(column.order, room) - (column.n_missing > 0);
    return pad();
  }
  if (few.few() && (order_from == 0 || few.size() < order_from) && upper_tells(draft, few)) {
    column.n_codes = static_cast<u32>(few.size());
    for (u32& cell : column.order) cell = draft.missing(cell) ? kMissing : few.code_of(cell);
    column.codes = std::move(column.order);
    return;
  }
  const auto entries = sort_rows(column.order, room);
  const auto present = entries.first(n_rows - column.n_missing);
  column.n_codes = rank_entries(present, draft, room);
  if (order_from > 0 && column.n_codes >= order_from) {
    for (std::size_t i = 0; i < n_rows; ++i) column.order[i] = entries[i].row;
    return pad();
  }
  column.codes = std::move(column.order);
  for (const KeyedRow& entry : present) column.codes[entry.row] = entry.key;
  for (const KeyedRow& entry : entries.subspan(present.size())) column.codes[entry.row] = kMissing;
}

}  // namespace

void encode_numeric(const std::vector<EncodedColumn*>& columns, Row n_rows, u32 order_from, unsigned threads, const JobControl& job) {
  std::vector<RadixRoom> rooms(std::max(threads, 1U));
  const auto encode = [&](std::span<EncodedColumn* const> some) {
    std::vector<Draft> drafts;
    for (EncodedColumn* column : some) drafts.push_back({*column});
    // Every thread takes its share of the columns and reads their rows once, whichever way the table lies in memory.
    const std::size_t shares = std::min(rooms.size(), drafts.size());
    for_each(shares, threads, [&](std::size_t share, unsigned) {
      const auto own = std::span(drafts).first(drafts.size() * (share + 1) / shares).subspan(drafts.size() * share / shares);
      for (Draft& draft : own) {
        draft.column.order.reserve(n_rows + kOrderPadding);
        if (draft.wide()) draft.lower.reserve(n_rows);
      }
      for (Row row = 0; row < n_rows; row += std::min(kBlock, n_rows - row)) {
        job.check();
        for (Draft& draft : own) read_block(row, row + std::min(kBlock, n_rows - row), draft);
      }
    });
    for_each(drafts.size(), threads, [&](std::size_t j, unsigned worker) {
      job.check();
      finish(drafts[j], order_from, rooms[worker]);
      drafts[j].lower = {};
    });
  };
  // Keys of 32 bits take no room of their own; of wider ones only some columns at a time are read.
  std::vector<EncodedColumn*> narrow, wide;
  for (EncodedColumn* column : columns) (Draft{*column}.wide() ? wide : narrow).push_back(column);
  encode(narrow);
  const std::size_t together = std::max<std::size_t>(8, threads);
  for (std::size_t first = 0; first < wide.size(); first += together)
    encode(std::span(wide).subspan(first, std::min(together, wide.size() - first)));
}

void rank_rows(EncodedColumn& column) {
  if (column.sparse()) return rank_stored(column);
  if (column.order.empty()) return;
  const std::size_t n_rows = column.order.size() - kOrderPadding;
  const std::size_t present = n_rows - column.n_missing;
  column.codes.assign(n_rows, kMissing);
  Code code = 0;
  for (std::size_t i = 0; i < present; ++i) {
    code += i > 0 && column.cells.number(column.order[i]) != column.cells.number(column.order[i - 1]);
    column.codes[column.order[i]] = code;
  }
  column.n_codes = present > 0 ? code + 1 : 0;  // of a part of a table there may be fewer than of the whole
  column.order = {};
}

}  // namespace tw
