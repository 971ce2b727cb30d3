// The rows of a (sub)tree whose cuts are drawn, and the cells of a node.
#pragma once

#include <algorithm>
#include <array>
#include <numeric>
#include <span>
#include <vector>

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

// The cells of a node's rows, column after column, which begin so far apart.
template <class T>
void fetch_cells(const Table& table, const DrawnFrame<T>& frame, const u32* ids, u32 n, std::span<const Column> columns, std::size_t apart,
                 T* out) {
  constexpr std::size_t kTogether = 8;
  constexpr u32 kBlock = 256;  // rows that are fetched from the table at a time, for all the columns
  if (!frame.cells.empty()) {
    std::array<const T*, kTogether> cells;
    for (std::size_t at = 0; at < columns.size(); at += kTogether, out += kTogether * apart) {
      const std::size_t some = std::min(kTogether, columns.size() - at);
      for (std::size_t c = 0; c < some; ++c) cells[c] = frame.cells.data() + columns[at + c] * frame.ids.size();
      for (u32 i = 0; i < n; ++i)
        for (std::size_t c = 0; c < some; ++c) out[c * apart + i] = cells[c][ids[i]];
    }
    return;
  }
  for (u32 at = 0; at < n; at += kBlock) {
    const u32 end = std::min(n, at + kBlock);
    for (std::size_t c = 0; c < columns.size(); ++c) {
      const View& cells = table.columns[columns[c]].cells;
      T* to = out + c * apart;
      if (cells.type == Type::F32)
        for (u32 i = at; i < end; ++i) to[i] = static_cast<T>(cells.at<float>(ids[i]));
      else
        for (u32 i = at; i < end; ++i) to[i] = static_cast<T>(cells.number(ids[i]));
    }
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
