// Sends rows down a tree, block by block.
#include "tree/router.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <string>

#include "base/parallel.hpp"
#include "tree/branch.hpp"
#include "tree/compact.hpp"

namespace tw {

namespace {

constexpr u64 kBlock = 4096;

class Router {
 public:
  // Many rows pass the same nodes: their tests are then read once.
  Router(const Tree& tree, const std::vector<View>& cells, bool many_rows) : tree_(tree), cells_(cells) {
    if (!many_rows) return;
    tests_.reserve(tree.size());
    for (std::size_t node = 0; node < tree.size(); ++node) tests_.emplace_back(tree, node);
  }

  // The leaf of a row, or the first node whose missing cell goes down all branches.
  std::size_t descend(std::size_t node, u64 row) const {
    while (!tree_.leaf(node)) {
      const i32 b = tests_.empty() ? branch_of(tree_, cells_, node, row) : tests_[node].branch_of(ViewRow{tree_, cells_, row});
      if (b == kAllBranches) break;
      node = tree_.first_child[node] + static_cast<std::size_t>(b);
    }
    return node;
  }

  // All leaves of a row with their shares, in ascending order of leaf.
  void spread(std::size_t from, u64 row, std::vector<std::pair<i64, double>>& out) const {
    out.clear();
    std::vector<std::pair<std::size_t, double>> open{{from, 1.0}};
    while (!open.empty()) {
      auto [node, share] = open.back();
      open.pop_back();
      node = descend(node, row);
      if (tree_.leaf(node)) {
        out.emplace_back(static_cast<i64>(node), share);
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
  const Tree& tree_;
  const std::vector<View>& cells_;
  std::vector<NodeTest> tests_;
};

}  // namespace

Routes route(const Tree& tree, const std::vector<View>& cells, u64 n_rows, const Routing& how, const JobControl& job) {
  const auto inner = [&](i64 node) { return !tree.leaf(static_cast<std::size_t>(node)); };
  const CompactTree* compact = how.compact ? &tree.compact.get([&] { return make_compact(tree); }) : nullptr;
  if (compact != nullptr && compact->pairs.empty()) compact = nullptr;
  const Router router(tree, cells, (compact == nullptr || compact->stops) && n_rows > tree.size());
  Routes routes;
  routes.leaf.resize(n_rows);
  std::atomic<bool> refused{false};
  std::atomic<bool> fractions{false};
  const u64 blocks = (n_rows + kBlock - 1) / kBlock;
  for_each(blocks, how.threads, [&](std::size_t block, unsigned) {
    job.check();
    if (refused.load(std::memory_order_relaxed)) return;
    const u64 first = block * kBlock;
    const u64 last = std::min(n_rows, first + kBlock);
    if (holds_nonfinite(cells, first, last, how.nonfinite)) {
      refused = true;
      return;
    }
    if (compact != nullptr) walk(*compact, tree, cells, first, last, &routes.leaf[first]);
    if (compact != nullptr && !compact->stops) return;
    for (u64 row = first; row < last; ++row) {
      i64& leaf = routes.leaf[row];
      if (compact != nullptr && leaf != kStopped) continue;
      leaf = static_cast<i64>(router.descend(0, row));
      if (inner(leaf)) fractions.store(true, std::memory_order_relaxed);
    }
  });
  routes.refused = refused;
  if (refused || !fractions) return routes;
  // Second pass, one thread: only rows that stopped at an inner node are spread.
  std::vector<std::pair<i64, double>> ends;
  routes.begin.assign(1, 0);
  for (u64 row = 0; row < n_rows; ++row) {
    if (row % kBlock == 0) job.check();
    if (inner(routes.leaf[row]))
      router.spread(static_cast<std::size_t>(routes.leaf[row]), row, ends);
    else
      ends.assign(1, {routes.leaf[row], 1.0});
    auto best = ends.front();
    for (const auto& end : ends) {
      routes.leaves.push_back(end.first);
      routes.shares.push_back(end.second);
      if (end.second > best.second) best = end;
    }
    routes.leaf[row] = best.first;
    routes.begin.push_back(static_cast<i64>(routes.leaves.size()));
  }
  return routes;
}

namespace {

// The nodes from the root to each of the leaves, ascending, each once.
void collect(const Tree& tree, std::span<const i64> leaves, std::vector<i32>& nodes) {
  nodes.clear();
  for (const i64 leaf : leaves)
    for (auto at = static_cast<i32>(leaf); at >= 0; at = tree.parent[static_cast<std::size_t>(at)]) nodes.push_back(at);
  std::sort(nodes.begin(), nodes.end());
  nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
}

}  // namespace

Paths paths(const Tree& tree, std::span<const i64> ends, std::span<const i64> leaves, unsigned threads) {
  if (ends.empty() || ends.front() != 0 || !std::is_sorted(ends.begin(), ends.end()) || static_cast<u64>(ends.back()) != leaves.size())
    throw Invalid("the offsets do not cover the leaves");
  for (const i64 leaf : leaves)
    if (leaf < 0 || static_cast<u64>(leaf) >= tree.size()) throw Invalid("no such node: " + std::to_string(leaf));
  const u64 n_rows = ends.size() - 1;
  const u64 blocks = (n_rows + kBlock - 1) / kBlock;
  const std::vector<u32> depth = depths(tree);
  const auto of_row = [&](u64 row) { return leaves.subspan(static_cast<u64>(ends[row]), static_cast<u64>(ends[row + 1] - ends[row])); };
  const auto each_row = [&](auto&& visit) {
    for_each(blocks, threads, [&](std::size_t block, unsigned) {
      std::vector<i32> nodes;
      for (u64 row = block * kBlock; row < std::min(n_rows, (block + 1) * kBlock); ++row) visit(row, of_row(row), nodes);
    });
  };
  Paths out;
  out.begin.assign(n_rows + 1, 0);
  each_row([&](u64 row, std::span<const i64> own, std::vector<i32>& nodes) {
    if (own.size() != 1) collect(tree, own, nodes);
    out.begin[row + 1] = own.size() == 1 ? depth[static_cast<u64>(own[0])] + 1 : static_cast<i64>(nodes.size());
  });
  for (u64 row = 0; row < n_rows; ++row) out.begin[row + 1] += out.begin[row];
  out.nodes.resize(static_cast<u64>(out.begin.back()));
  each_row([&](u64 row, std::span<const i64> own, std::vector<i32>& nodes) {
    if (own.size() != 1) {
      collect(tree, own, nodes);
      std::copy(nodes.begin(), nodes.end(), out.nodes.begin() + out.begin[row]);
      return;
    }
    // A parent's number is lower than its children's, so upwards is from the end.
    i64 place = out.begin[row + 1];
    for (auto at = static_cast<i32>(own[0]); at >= 0; at = tree.parent[static_cast<std::size_t>(at)])
      out.nodes[static_cast<u64>(--place)] = at;
  });
  return out;
}

}  // namespace tw
