// Rows per code of all columns of few codes of a node, counted in one pass over the rows: counters of different columns do not wait for
// each other. A branch may inherit them: what the other branch does not hold.
#pragma once

#include <limits>

#include "grow/sorted/frame.hpp"

namespace tw {

struct CodeCounts {
  struct Counted {
    u32 slot;
    u32 first;  // of its counters, a counter a code; missing cells are the last code
  };
  static constexpr u32 kNot = std::numeric_limits<u32>::max();

  std::vector<Counted> columns;
  std::vector<u32> first;  // per slot; kNot: not counted
  std::size_t room = 0;    // counters of all columns
  // Classes: the counters of one after the other, `row_of` saying where a class of the table stands; of weighted rows, sums instead.
  // Numbers: one row of counters, and one of sums.
  std::vector<u8> row_of;
  std::vector<u32> rows;
  std::vector<i64> sums;

  void start(std::size_t n_slots) {
    columns.clear();
    first.assign(n_slots, kNot);
    room = 0;
  }
  void join(u32 slot, u32 n_codes) {
    first[slot] = static_cast<u32>(room);
    columns.push_back({slot, static_cast<u32>(room)});
    room += std::size_t{n_codes} + 1;
  }

  // Counts a row of the table in a row of counters.
  void add(const u16* codes, std::size_t row) {
    u32* counters = rows.data() + row * room;
    for (const Counted& column : columns) ++counters[column.first + codes[column.slot]];
  }
  void add(const u16* codes, std::size_t row, i64 weight) {
    i64* counters = sums.data() + row * room;
    for (const Counted& column : columns) counters[column.first + codes[column.slot]] += weight;
  }
  void add(const u16* codes, i64 step) {
    for (const Counted& column : columns) {
      ++rows[column.first + codes[column.slot]];
      sums[column.first + codes[column.slot]] += step;
    }
  }

  // The same columns and classes, nothing counted.
  CodeCounts blank() const {
    CodeCounts other;
    other.columns = columns;
    other.first = first;
    other.room = room;
    other.row_of = row_of;
    other.rows.assign(rows.size(), 0);
    other.sums.assign(sums.size(), 0);
    return other;
  }
  void subtract(const CodeCounts& other) {
    for (std::size_t i = 0; i < rows.size(); ++i) rows[i] -= other.rows[i];
    for (std::size_t i = 0; i < sums.size(); ++i) sums[i] -= other.sums[i];
  }
};

}  // namespace tw
