// What is left of a list when whole blocks are done, shared by the files of the instruction sets. In an unnamed namespace on purpose: each
// of those files must keep the copy that was compiled for it.
#pragma once

#include <algorithm>

#include "base/types.hpp"

namespace tw {

namespace {

// Divides entries i..n of a list of which `first` and `second` entries have been placed, and puts the second part behind the first.
template <class Entry>
u32 divide_rest(Entry* list, u32 i, u32 n, u32 first, u32 second, const u64* bitmap, Entry* spare) {
  for (; i < n; ++i) {
    const Entry entry = list[i];
    const u32 id = static_cast<u32>(entry) >> 1;
    const u32 bit = static_cast<u32>(bitmap[id >> 6] >> (id & 63)) & 1;
    list[first] = entry;
    spare[second] = entry;
    first += bit;
    second += 1 - bit;
  }
  std::copy_n(spare, second, list + first);
  return first;
}

}  // namespace

}  // namespace tw
