// A tree of two-way splits in the form that rows are sent down fastest: 16 bytes per node, the children of a node side by
// side in one cache line, the heavier child's own children next to them. Many rows are on their way at once, so that the
// memory of one is fetched while the others move. Gives the same leaves as the general walk of tree/router.cpp.
#pragma once

#include <vector>

#include "tree/tree.hpp"

namespace tw {

struct CompactNode {
  u64 cut = 0;   // bits of the double t: x <= t goes to the first child; or, of a split by levels, its first word in `bits`
  u32 next = 0;  // the first child's place; of a leaf, its number in the tree
  u32 what = 0;  // kCompactLeaf, or the column and the flags below
};

inline constexpr u32 kCompactLeaf = ~u32{0};
inline constexpr u32 kMissingSecond = 1;  // a missing cell goes to the second child, otherwise to the first
inline constexpr u32 kMissingStops = 2;   // a missing cell goes down both, or by other columns: the general walk must take over
inline constexpr u32 kByLevels = 4;
inline constexpr u32 kListed = 8;  // levels that are not listed count as missing: as many words again say which are listed
inline constexpr u32 kColumnShift = 4;

struct alignas(32) CompactPair {
  CompactNode node[2];
};

struct CompactTree {
  std::vector<CompactPair> pairs;  // the root is the first of pair 0; empty if the tree does not have this form
  std::vector<u64> bits;           // one per level of the column: does it go to the second child?
  std::vector<u32> used;           // columns that are tested, ascending
  bool cuts = true;                // cuts only
  bool stops = false;              // a missing cell may stop a row
};

CompactTree make_compact(const Tree& tree);

inline constexpr i64 kStopped = -1;

// Leaves of the rows [first, last) into leaf[0 ...]; kStopped where the general walk must take over.
void walk(const CompactTree& compact, const Tree& tree, const std::vector<View>& cells, u64 first, u64 last, i64* leaf);

}  // namespace tw
