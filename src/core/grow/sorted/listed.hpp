// How lists are divided where the rows of one branch are listed: those are marked, and the lists are divided by the marks. Where they are
// few, they are looked up in every list instead and taken out: the other entries move as one.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstring>
#include <span>

#include "grow/sorted/frame.hpp"

namespace tw {

// Rows of a node that make up one branch.
struct ListedBranch {
  std::vector<u32> ids;
  bool first = true;        // of the two branches
  std::vector<u32> places;  // work space: where they stand in a list

  // Whether looking them up in a list of n is cheaper than a look at all of it.
  bool few(u32 n) const { return ids.size() * 1024 <= n; }
};

// Puts entries that have come first behind the others.
template <class Id>
void put_behind(Id* slice, u32 n, u32 first, Id* spare) {
  std::copy_n(slice, first, spare);
  std::memmove(slice, slice + first, (n - first) * sizeof(Id));
  std::copy_n(spare, first, slice + (n - first));
}

// Divides a list by the marks of its frame; how many entries are marked.
template <class Id>
u32 divide_by_marks(const Frame<Id>& frame, Id* slice, u32 n, bool marked_first, Id* spare) {
  const u32 marked = divide_list(frame, slice, n, frame.marks.data(), spare);
  if (!marked_first) put_behind(slice, n, marked, spare);
  return marked;
}

// Moves entries that stand at these places, in order, to the front or to the end.
template <class Id>
void take_out(Id* slice, u32 n, std::span<const u32> places, bool to_front, Id* spare) {
  const auto m = static_cast<u32>(places.size());
  for (u32 i = 0; i < m; ++i) spare[i] = slice[places[i]];
  const auto move = [&](u32 from, u32 to, u32 count) { std::memmove(slice + to, slice + from, count * sizeof(Id)); };
  if (to_front) {
    for (u32 i = m; i-- > 0;) {  // what stands behind place i has moved already
      const u32 begin = i == 0 ? 0 : places[i - 1] + 1;
      move(begin, begin + (m - i), places[i] - begin);
    }
    std::copy_n(spare, m, slice);
  } else {
    for (u32 i = 0; i < m; ++i) {
      const u32 begin = places[i] + 1;
      move(begin, begin - (i + 1), (i + 1 < m ? places[i + 1] : n) - begin);
    }
    std::copy_n(spare, m, slice + (n - m));
  }
}

// Where rows stand in a list of n entries, the last `missing` of which have no value: entries are in order of value, equal ones and missing
// ones in order of their rows. False if a row is not where it should be.
template <class Id, class CellOf>
bool find_places(const Id* slice, u32 n, u32 missing, const CellOf& cell, ListedBranch& branch) {
  const u32 present = n - missing;
  branch.places.clear();
  for (const u32 id : branch.ids) {
    const double value = cell(id);
    const bool known = !std::isnan(value);
    const auto before = [&](Id entry, u32 wanted) {
      const u32 own = Frame<Id>::id_of(entry);
      if (!known) return own < wanted;
      const double other = cell(own);
      return other < value || (other == value && own < wanted);
    };
    const Id* at = std::lower_bound(slice + (known ? 0 : present), slice + (known ? present : n), id, before);
    if (at == slice + n || Frame<Id>::id_of(*at) != id) return false;
    branch.places.push_back(static_cast<u32>(at - slice));
  }
  std::sort(branch.places.begin(), branch.places.end());
  return true;
}

// The same in a list in order of rows.
template <class Id>
bool find_rows(const Id* slice, u32 n, ListedBranch& branch) {
  return find_places(slice, n, n, [](u32) { return std::numeric_limits<double>::quiet_NaN(); }, branch);
}

}  // namespace tw
