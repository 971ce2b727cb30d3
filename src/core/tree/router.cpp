#include "tree/router.hpp"

#include <algorithm>
#include <cmath>

#include "base/parallel.hpp"

namespace tw {

namespace {

constexpr u64 kBlock = 4096;

class Router {
 public:
  Router(const Tree& tree, const std::vector<View>& cells) : tree_(tree), cells_(cells) {}

  // The branch of a row at an inner node, or kAllBranches.
  i32 branch(std::size_t node, u64 row) const {
    const auto column = static_cast<std::size_t>(tree_.column[node]);
    const double x = cells_[column].number(row);
    const auto family = static_cast<Family>(tree_.family[node]);
    if (tree_.columns[column].kind == Kind::numeric) {
      if (std::isnan(x)) return tree_.missing_to[node];
      return family == Family::presence ? 0 : cut_branch(node, x);
    }
    const bool known = x >= 0 && x < tree_.columns[column].n_levels;
    if (!known) return tree_.missing_to[node];
    const auto level = static_cast<u32>(x);
    if (family == Family::presence) return 0;
    const Tree::Range levels = tree_.levels(node);
    const auto begin = tree_.level.begin() + static_cast<std::ptrdiff_t>(levels.begin);
    const auto end = tree_.level.begin() + static_cast<std::ptrdiff_t>(levels.end);
    const auto at = std::lower_bound(begin, end, level);
    if (at != end && *at == level) return static_cast<i32>(tree_.level_branch[static_cast<std::size_t>(at - tree_.level.begin())]);
    if (tree_.otherwise[node] != kNowhere) return tree_.otherwise[node];
    return tree_.missing_to[node];
  }

  // The leaf of a row, or the first node whose missing cell goes down all branches.
  std::size_t descend(std::size_t node, u64 row) const {
    while (!tree_.leaf(node)) {
      const i32 b = branch(node, row);
      if (b == kAllBranches) break;
      node = tree_.first_child[node] + static_cast<std::size_t>(b);
    }
    return node;
  }

  // All leaves of a row with their shares, in ascending order of leaf.
  void spread(std::size_t from, u64 row, std::vector<std::pair<u32, double>>& out) const {
    out.clear();
    std::vector<std::pair<std::size_t, double>> open{{from, 1.0}};
    while (!open.empty()) {
      auto [node, share] = open.back();
      open.pop_back();
      node = descend(node, row);
      if (tree_.leaf(node)) {
        out.emplace_back(static_cast<u32>(node), share);
        continue;
      }
      const std::size_t first = tree_.first_child[node];
      const std::size_t last = first + tree_.n_children[node];
      double total = 0;
      for (std::size_t c = first; c < last; ++c) total += tree_.weight[c];
      // Children without any weight can only come from a hand-made tree: they then count alike.
      const double equal = 1 / static_cast<double>(last - first);
      for (std::size_t c = first; c < last; ++c)
        if (tree_.weight[c] > 0 || total == 0) open.emplace_back(c, share * (total > 0 ? tree_.weight[c] / total : equal));
    }
    std::sort(out.begin(), out.end());
  }

 private:
  i32 cut_branch(std::size_t node, double x) const {
    const auto [begin, end] = tree_.cuts(node);
    i32 b = 0;
    if (tree_.strict[node])
      for (u64 c = begin; c < end && !(x < tree_.cut_at[c]); ++c) ++b;
    else
      for (u64 c = begin; c < end && !(x <= tree_.cut_at[c]); ++c) ++b;
    return b;
  }

  const Tree& tree_;
  const std::vector<View>& cells_;
};

}  // namespace

Routes route(const Tree& tree, const std::vector<View>& cells, u64 n_rows, unsigned threads, const Work& work) {
  const Router router(tree, cells);
  Routes routes;
  routes.leaf.resize(n_rows);
  const u64 blocks = (n_rows + kBlock - 1) / kBlock;
  for_each(blocks, threads, [&](std::size_t block, unsigned) {
    work.check();
    const u64 last = std::min(n_rows, (block + 1) * kBlock);
    for (u64 row = block * kBlock; row < last; ++row) routes.leaf[row] = static_cast<u32>(router.descend(0, row));
  });
  const bool fractions = std::any_of(routes.leaf.begin(), routes.leaf.end(), [&](u32 node) { return !tree.leaf(node); });
  if (!fractions) return routes;
  // Second pass, one thread: only rows that stopped at an inner node are spread.
  std::vector<std::pair<u32, double>> ends;
  routes.begin.assign(1, 0);
  for (u64 row = 0; row < n_rows; ++row) {
    if (row % kBlock == 0) work.check();
    if (tree.leaf(routes.leaf[row]))
      ends.assign(1, {routes.leaf[row], 1.0});
    else
      router.spread(routes.leaf[row], row, ends);
    auto best = ends.front();
    for (const auto& end : ends) {
      routes.leaves.push_back(end.first);
      routes.shares.push_back(end.second);
      if (end.second > best.second) best = end;
    }
    routes.leaf[row] = best.first;
    routes.begin.push_back(routes.leaves.size());
  }
  return routes;
}

}  // namespace tw
