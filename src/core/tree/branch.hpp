// Which branch of an inner node a row takes, from its cells.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "tree/tree.hpp"

namespace tw {

// Where a row goes whose cell is missing: as the first surrogate says that knows its own cell, otherwise where missing cells go.
inline i32 missing_branch(const Tree& tree, const std::vector<View>& cells, std::size_t node, u64 row) {
  const Tree::Range here = tree.surrogates(node);
  if (here.size() == 0) return tree.missing_to[node];
  std::size_t level = Tree::range(tree.surrogate_level_begin, node).begin;
  for (std::size_t s = here.begin; s < here.end; ++s) {
    const std::size_t column = tree.surrogate_column[s];
    const double x = cells[column].number(row);
    const std::size_t count = tree.surrogate_levels[s];
    if (tree.columns[column].kind == Kind::numeric) {
      if (std::isnan(x)) continue;
      const bool below = tree.strict[node] != 0 ? x < tree.surrogate_at[s] : x <= tree.surrogate_at[s];
      return static_cast<i32>(below ? tree.surrogate_below[s] : 1 - tree.surrogate_below[s]);
    }
    if (x >= 0 && x < tree.columns[column].n_levels) {
      const auto begin = tree.surrogate_level_code.begin() + static_cast<std::ptrdiff_t>(level);
      const auto end = begin + static_cast<std::ptrdiff_t>(count);
      const auto at = std::lower_bound(begin, end, static_cast<u32>(x));
      if (at != end && *at == static_cast<u32>(x))
        return static_cast<i32>(tree.surrogate_level_branch[static_cast<std::size_t>(at - tree.surrogate_level_code.begin())]);
    }
    level += count;
  }
  return tree.missing_to[node];
}

// The branch, or kAllBranches where a missing cell is followed down all of them.
inline i32 branch_of(const Tree& tree, const std::vector<View>& cells, std::size_t node, u64 row) {
  const auto column = static_cast<std::size_t>(tree.column[node]);
  const double x = cells[column].number(row);
  const bool presence = static_cast<Family>(tree.family[node]) == Family::presence;
  if (tree.columns[column].kind == Kind::numeric) {
    if (std::isnan(x)) return missing_branch(tree, cells, node, row);
    if (presence) return 0;
    i32 b = 0;
    const bool strict = tree.strict[node] != 0;
    for (auto c = tree.cut_begin[node]; c < tree.cut_begin[node + 1] && !(strict ? x < tree.cut_at[c] : x <= tree.cut_at[c]); ++c) ++b;
    return b;
  }
  if (!(x >= 0 && x < tree.columns[column].n_levels)) return missing_branch(tree, cells, node, row);
  if (presence) return 0;
  const auto level = static_cast<u32>(x);
  const auto listed = tree.level_begin[node + 1] - tree.level_begin[node];
  if (listed == tree.columns[column].n_levels) return static_cast<i32>(tree.level_branch[tree.level_begin[node] + level]);  // all are
  const auto begin = tree.level.begin() + static_cast<std::ptrdiff_t>(tree.level_begin[node]);
  const auto end = tree.level.begin() + static_cast<std::ptrdiff_t>(tree.level_begin[node + 1]);
  const auto at = std::lower_bound(begin, end, level);
  if (at != end && *at == level) return static_cast<i32>(tree.level_branch[static_cast<std::size_t>(at - tree.level.begin())]);
  return tree.otherwise[node] != kNowhere ? tree.otherwise[node] : missing_branch(tree, cells, node, row);
}

}  // namespace tw
