// The rows of a (sub)tree whose cuts are drawn, and the cells of a node.
#pragma once

#include <algorithm>
#include <array>
#include <cstring>
#include <numeric>
#include <span>
#include <type_traits>
#include <vector>

#include "base/prefetch.hpp"
#include "table/table.hpp"

namespace tw {

// Rows of the table, or of a subtree, which then have numbers of their own: those of every node stand together in `ids`.
template <class T>
struct DrawnFrame {
  std::vector<u32> ids;
  std::vector<T> cells;  // column after column; none: they are read from the table
  std::vector<u8> label;
  std::vector<double> value;
  std::vector<i64> weight;  // none: one each
};

// Cells of some rows of columns that lie alike, column after column: a row is asked for once, long before it is read.
template <std::size_t kColumns, class T>
void gather_cells(const std::array<View, kColumns>& from, const u32* ids, u32 n, std::size_t apart, T* out) {
  std::array<const std::byte*, kColumns> data;
  for (std::size_t c = 0; c < kColumns; ++c) data[c] = from[c].data;
  const std::ptrdiff_t stride = from[0].stride;
  constexpr u32 kAhead = 2 * kPrefetchDistance;
  const bool apart_rows = stride > static_cast<std::ptrdiff_t>(sizeof(T));
  for (u32 i = 0; i < n; ++i) {
    if (apart_rows && i + kAhead < n) {
      const std::ptrdiff_t next = static_cast<std::ptrdiff_t>(ids[i + kAhead]) * stride;
      for (std::size_t c = 0; c < kColumns; ++c) prefetch(data[c] + next);
    }
    const std::ptrdiff_t at = static_cast<std::ptrdiff_t>(ids[i]) * stride;
    for (std::size_t c = 0; c < kColumns; ++c) std::memcpy(out + c * apart + i, data[c] + at, sizeof(T));
  }
}

// The cells of a node's rows, column after column, which begin so far apart.
template <class T>
void fetch_cells(const Table& table, const DrawnFrame<T>& frame, const u32* ids, u32 n, std::span<const Column> columns, std::size_t apart,
                 T* out) {
  constexpr std::size_t kTogether = 4;
  constexpr Type kOwn = std::is_same_v<T, float> ? Type::F32 : Type::F64;
  const auto cells_of = [&](Column j) -> View {
    if (frame.cells.empty()) return table.columns[j].cells;
    return {reinterpret_cast<const std::byte*>(frame.cells.data() + j * frame.ids.size()), sizeof(T), kOwn};
  };
  std::array<View, kTogether> cells;
  for (std::size_t at = 0; at < columns.size();) {
    const std::size_t some = std::min(kTogether, columns.size() - at);
    for (std::size_t c = 0; c < some; ++c) cells[c] = cells_of(columns[at + c]);
    const auto alike = [&](const View& other) { return other.type == kOwn && other.stride == cells[0].stride; };
    if (some == kTogether && std::all_of(cells.begin(), cells.end(), alike)) {
      gather_cells(cells, ids, n, apart, out + at * apart);
      at += kTogether;
      continue;
    }
    if (cells[0].type == kOwn)
      gather_cells<1>({cells[0]}, ids, n, apart, out + at * apart);
    else
      for (u32 i = 0; i < n; ++i) out[at * apart + i] = static_cast<T>(cells[0].number(ids[i]));
    ++at;
  }
}

// Some rows of a frame in one of their own.
template <class T>
void narrow_to(const Table& table, const DrawnFrame<T>& from, const u32* ids, u32 n, std::span<const Column> columns, DrawnFrame<T>& to) {
  to.cells.resize(columns.size() * n);
  fetch_cells(table, from, ids, n, columns, n, to.cells.data());
  const auto take = [&](auto& into, const auto& of) {
    into.resize(of.empty() ? 0 : n);
    for (std::size_t i = 0; i < into.size(); ++i) into[i] = of[ids[i]];
  };
  take(to.label, from.label);
  take(to.value, from.value);
  take(to.weight, from.weight);
  to.ids.resize(n);
  std::iota(to.ids.begin(), to.ids.end(), 0U);
}

}  // namespace tw
