// Removes branches that no row can take.
#include "prune/impossible.hpp"

#include <algorithm>

#include "tree/read.hpp"

namespace tw {

namespace {

std::vector<Code> levels_of_branch(const Split& split, u32 branch) {
  std::vector<Code> levels;
  for (std::size_t l = 0; l < split.levels.size(); ++l)
    if (split.branch_of[l] == branch) levels.push_back(split.levels[l]);
  return levels;
}

}  // namespace

Tree without_impossible_branches(const Tree& tree) {
  // Parents come first, so the groups above a node are final when it is reached.
  std::vector<Split> splits(tree.size());
  bool any = false;
  for (std::size_t i = 0; i < tree.size(); ++i) {
    if (tree.leaf(i)) continue;
    splits[i] = split_of(tree, i);
    if (splits[i].family != Family::grouped) continue;
    for (std::size_t below = i, at = i; tree.parent[at] >= 0; below = at) {
      at = static_cast<std::size_t>(tree.parent[at]);
      if (splits[at].family != Family::grouped || tree.column[at] != tree.column[i]) continue;
      const std::vector<Code> possible = levels_of_branch(splits[at], static_cast<u32>(below - tree.first_child[at]));
      Split& split = splits[i];
      const u32 last = split.n_branches - 1;
      for (std::size_t l = split.levels.size(); l-- > 0;) {
        if (split.branch_of[l] != last || std::binary_search(possible.begin(), possible.end(), split.levels[l])) continue;
        split.levels.erase(split.levels.begin() + static_cast<std::ptrdiff_t>(l));
        split.branch_of.erase(split.branch_of.begin() + static_cast<std::ptrdiff_t>(l));
        any = true;
      }
      if (levels_of_branch(split, last).empty() && split.n_branches > 2) --split.n_branches;
      break;
    }
  }
  if (!any) return tree;
  Builder builder(tree.n_classes);
  std::vector<std::pair<std::size_t, u32>> open{{0, 0}};
  while (!open.empty()) {
    const auto [node, to] = open.back();
    open.pop_back();
    builder.describe(to, facts_of(tree, node));
    copy_candidates(tree, node, to, builder);
    if (tree.leaf(node)) continue;
    const u32 first = builder.divide(to, splits[node], tree.gain[node]);
    for (u32 b = 0; b < splits[node].n_branches; ++b) open.emplace_back(tree.first_child[node] + b, first + b);
  }
  return std::move(builder).finish(tree.columns, false);
}

}  // namespace tw
