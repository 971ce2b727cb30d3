// Encodes some rows of encoded columns: orders and ranks close up, nothing is sorted again.
#include "table/row_subset.hpp"

#include <algorithm>
#include <utility>

#include "base/parallel.hpp"
#include "table/binned.hpp"

namespace tw {

namespace {

constexpr Row kNotHere = ~Row{0};

std::size_t size_of(Type type) {
  switch (type) {
    case Type::I8:
    case Type::U8: return 1;
    case Type::I16:
    case Type::U16: return 2;
    case Type::F32:
    case Type::I32:
    case Type::U32: return 4;
    default: return 8;
  }
}

template <std::size_t Size>
void copy_block(const View& view, std::span<const Row> rows, std::byte* to) {
  for (const Row row : rows) {
    std::memcpy(to, view.data + static_cast<std::ptrdiff_t>(row) * view.stride, Size);
    to += Size;
  }
}

void copy_block(const View& view, std::span<const Row> rows, std::byte* to) {
  switch (size_of(view.type)) {
    case 1: return copy_block<1>(view, rows, to);
    case 2: return copy_block<2>(view, rows, to);
    case 4: return copy_block<4>(view, rows, to);
    default: return copy_block<8>(view, rows, to);
  }
}

void order_subset(const EncodedColumn& whole, const std::vector<Row>& number_of, std::size_t count, EncodedColumn& subset) {
  subset.order.resize(count + kOrderPadding, 0);
  const std::size_t present = number_of.size() - whole.n_missing;
  std::size_t at = 0;
  const auto take = [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const Row number = number_of[whole.order[i]];
      subset.order[at] = number;  // there is room behind the end
      at += number != kNotHere;
    }
  };
  take(0, present);
  subset.n_missing = count - at;
  take(present, number_of.size());
  std::fill(subset.order.begin() + static_cast<std::ptrdiff_t>(count), subset.order.end(), Row{0});
}

// What is stored of the rows, in the order it had. `cells`: theirs.
void stored_subset(const EncodedColumn& whole, const std::vector<Row>& number_of, EncodedColumn& subset) {
  const auto take = [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i)
      if (const Row number = number_of[whole.stored[i]]; number != kNotHere) subset.stored.push_back(number);
  };
  take(0, whole.below);
  subset.below = static_cast<u32>(subset.stored.size());
  take(whole.below, whole.stored.size());
  const SparseCells& cells = subset.cells.sparse();
  subset.n_codes = subset.stored.size() < cells.n_rows;
  for (std::size_t i = 0; i < subset.stored.size(); ++i)
    subset.n_codes += i == 0 || cells.number(subset.stored[i - 1]) < cells.number(subset.stored[i]);
}

// Ranks of numbers close up where values are gone; levels keep their numbers.
void code_subset(const EncodedColumn& whole, std::span<const Row> rows, EncodedColumn& subset) {
  std::vector<Code> place(whole.n_codes, 0);
  subset.codes.resize(rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Code code = subset.codes[i] = whole.codes[rows[i]];
    if (code == kMissing)
      ++subset.n_missing;
    else
      place[code] = 1;
  }
  if (whole.kind == Kind::nominal) {
    subset.seen.assign(place.begin(), place.end());
    return;
  }
  subset.n_codes = 0;
  for (Code& code : place) subset.n_codes += std::exchange(code, subset.n_codes);
  for (Code& code : subset.codes)
    if (code != kMissing) code = place[code];
}

std::unique_ptr<OwnedCells::Stored> stored_of(const SparseCells& whole, std::span<const Row> rows) {
  auto out = std::make_unique<OwnedCells::Stored>();
  std::size_t at = 0;  // both ascend
  for (std::size_t i = 0; i < whole.n; ++i) {
    const auto row = static_cast<Row>(whole.rows[i]);
    at = static_cast<std::size_t>(std::lower_bound(rows.begin() + static_cast<std::ptrdiff_t>(at), rows.end(), row) - rows.begin());
    if (at == rows.size()) break;
    if (rows[at] != row) continue;
    out->rows.push_back(static_cast<i32>(at));
    out->values.push_back(whole.values[i]);
  }
  out->cells = {out->rows.data(), out->values.data(), out->rows.size(), rows.size()};
  return out;
}

}  // namespace

OwnedCells copy_rows(std::span<const View> views, std::span<const Row> rows) {
  constexpr std::size_t kBlock = 256;  // a block of rows of a row-wise table stays in the cache
  OwnedCells out;
  for (const View& view : views) {
    if (view.type == Type::Sparse) {
      out.cells.emplace_back();
      out.sparse.push_back(stored_of(view.sparse(), rows));
      out.views.push_back({reinterpret_cast<const std::byte*>(&out.sparse.back()->cells), 0, Type::Sparse});
      continue;
    }
    out.cells.emplace_back(rows.size() * size_of(view.type));
    out.views.push_back({out.cells.back().data(), static_cast<std::ptrdiff_t>(size_of(view.type)), view.type});
  }
  for (std::size_t begin = 0; begin < rows.size(); begin += kBlock)
    for (std::size_t j = 0; j < views.size(); ++j)
      if (views[j].type != Type::Sparse)
        copy_block(views[j], rows.subspan(begin, std::min(kBlock, rows.size() - begin)),
                   out.cells[j].data() + begin * size_of(views[j].type));
  return out;
}

Columns subset_of(const Columns& columns, std::span<const Row> rows, const std::vector<View>& cells, Row n_rows, bool sample,
                  unsigned threads) {
  std::vector<Row> number_of(n_rows, kNotHere);
  for (std::size_t i = 0; i < rows.size(); ++i) number_of[rows[i]] = static_cast<Row>(i);
  std::vector<EncodedColumn> out(columns.size());
  for_each(columns.size(), threads, [&](std::size_t j, unsigned) {
    EncodedColumn& subset = out[j];
    subset.kind = columns[j].kind;
    subset.n_codes = columns[j].n_codes;
    if (subset.kind == Kind::numeric) subset.cells = cells[j];
    if (in_place(columns[j]))
      subset = column_in_place(columns[j].kind, columns[j].n_codes, cells[j], static_cast<Row>(rows.size()));
    else if (columns[j].sparse())
      stored_subset(columns[j], number_of, subset);
    else if (columns[j].order.empty())
      code_subset(columns[j], rows, subset);
    else
      order_subset(columns[j], number_of, rows.size(), subset);
    if (sample) subset.seen = columns[j].seen;
  });
  return Columns(std::move(out));
}

}  // namespace tw
