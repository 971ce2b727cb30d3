// Puts the rows of a column in the order of their keys; rows of equal keys stay in the order of the table. LSD radix sort, 8 bits a
// pass, above a few hundred rows; digits on which all keys agree are skipped.
#pragma once

#include <span>
#include <vector>

#include "base/types.hpp"

namespace tw {

struct KeyedRow {
  u32 key;
  Row row;
};

// Room to sort in, kept from one column to the next.
struct RadixRoom {
  std::vector<KeyedRow> one, two;
};

// Sorts keys that stand one per row. The result lies in `room`.
std::span<KeyedRow> sort_rows(std::span<const u32> keys, RadixRoom& room);

// The same, but the rows take the place of the keys. Returns how many keys were distinct.
u32 replace_by_rows(std::span<u32> keys, RadixRoom& room);

// Sorts entries that already know their rows, in place.
void sort_entries(std::span<KeyedRow> entries, RadixRoom& room);

}  // namespace tw
