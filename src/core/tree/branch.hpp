// Which branch of an inner node a row takes, from its cells.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "tree/tree.hpp"

namespace tw {

// The branch, or kAllBranches where a missing cell is followed down all of them.
inline i32 branch_of(const Tree& tree, const std::vector<View>& cells, std::size_t node, u64 row) {
  const auto column = static_cast<std::size_t>(tree.column[node]);
  const double x = cells[column].number(row);
  const bool presence = static_cast<Family>(tree.family[node]) == Family::presence;
  if (tree.columns[column].kind == Kind::numeric) {
    if (std::isnan(x)) return tree.missing_to[node];
    if (presence) return 0;
    i32 b = 0;
    const bool strict = tree.strict[node] != 0;
    for (auto c = tree.cut_begin[node]; c < tree.cut_begin[node + 1] && !(strict ? x < tree.cut_at[c] : x <= tree.cut_at[c]); ++c) ++b;
    return b;
  }
  if (!(x >= 0 && x < tree.columns[column].n_levels)) return tree.missing_to[node];
  if (presence) return 0;
  const auto level = static_cast<u32>(x);
  const auto listed = tree.level_begin[node + 1] - tree.level_begin[node];
  if (listed == tree.columns[column].n_levels) return static_cast<i32>(tree.level_branch[tree.level_begin[node] + level]);  // all are
  const auto begin = tree.level.begin() + static_cast<std::ptrdiff_t>(tree.level_begin[node]);
  const auto end = tree.level.begin() + static_cast<std::ptrdiff_t>(tree.level_begin[node + 1]);
  const auto at = std::lower_bound(begin, end, level);
  if (at != end && *at == level) return static_cast<i32>(tree.level_branch[static_cast<std::size_t>(at - tree.level.begin())]);
  return tree.otherwise[node] != kNowhere ? tree.otherwise[node] : tree.missing_to[node];
}

}  // namespace tw
