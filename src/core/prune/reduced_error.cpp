// Reduced-error pruning (Quinlan 1987): rows apart from the training rows decide. Nodes answer by their training rows.
#include <algorithm>
#include <cmath>
#include <limits>
#include <queue>

#include "prune/depth_first.hpp"
#include "prune/pruner.hpp"

namespace tw {

namespace {

constexpr double kRounding = 1e-12;  // of losses that are sums

// Losses saved by ended nodes, summed over any subtree: a binary indexed tree over a depth-first numbering.
class Saved {
 public:
  explicit Saved(const Tree& tree) : order_(tree), sums_(tree.size() + 1, 0) {}
  void add(std::size_t node, double saved) {
    for (std::size_t i = order_.first[node] + 1; i < sums_.size(); i += i & (~i + 1)) sums_[i] += saved;
  }
  double below(std::size_t node) const { return up_to(order_.first[node] + order_.size[node]) - up_to(order_.first[node]); }

 private:
  double up_to(std::size_t end) const {
    double sum = 0;
    for (std::size_t i = end; i > 0; i &= i - 1) sum += sums_[i];
    return sum;
  }
  DepthFirst order_;
  std::vector<double> sums_;
};

// Bottom up: a node ends if that costs no more than what is left of its branches. The result is the best pruned tree for these rows, and
// the smallest of the best.
Plan bottom_up(const PruneInput& input) {
  const Tree& tree = input.tree;
  const std::vector<double>& loss = input.loss;
  std::vector<u8> ends(tree.size(), 0);
  std::vector<double> below(tree.size(), 0);
  for (std::size_t i = tree.size(); i-- > 0;) {
    ends[i] = !tree.leaf(i) && loss[i] <= below[i] + kRounding * loss[i];
    if (tree.leaf(i) || ends[i]) below[i] = loss[i];
    if (i > 0) below[static_cast<std::size_t>(tree.parent[i])] += below[i];
  }
  return {tree, ends};
}

// Greedy, as it was first described: the node whose end helps most ends first (of equals the one of the lowest number, which is nearest to
// the root on its path), until every end would harm. Keys: when a node ended, or went with one above it, counted from 1; 0 for leaves.
std::vector<double> greedy(const PruneInput& input) {
  const Tree& tree = input.tree;
  const std::vector<double>& loss = input.loss;
  std::vector<double> below(tree.size(), 0);
  for (std::size_t i = tree.size(); i-- > 0;) {
    if (tree.leaf(i)) below[i] = loss[i];
    if (i > 0) below[static_cast<std::size_t>(tree.parent[i])] += below[i];
  }
  struct Offer {
    double helps;
    u32 node;
    bool operator<(const Offer& other) const { return helps != other.helps ? helps < other.helps : node > other.node; }
  };
  Saved saved(tree);
  // What a node's end helps only falls while others end, so an old offer is an upper bound: it is renewed when it comes to the top.
  std::priority_queue<Offer> offers;
  const auto offer = [&](u32 node) {
    const double helps = below[node] - saved.below(node) - loss[node];
    const double slack = kRounding * loss[node];
    return Offer{std::abs(helps) <= slack ? 0 : helps, node};
  };
  for (u32 i = 0; i < tree.size(); ++i)
    if (!tree.leaf(i)) offers.push(offer(i));
  std::vector<double> when(tree.size(), 0);
  std::vector<u8> gone(tree.size(), 0);
  std::vector<u32> open;
  double count = 0;
  while (!offers.empty()) {
    input.job.check();
    const Offer top = offers.top();
    offers.pop();
    if (gone[top.node]) continue;
    const Offer now = offer(top.node);
    if (now.helps < top.helps) {
      offers.push(now);
      continue;
    }
    if (now.helps < 0) break;
    when[top.node] = ++count;
    saved.add(top.node, now.helps);
    open.assign(1, top.node);
    while (!open.empty()) {
      const u32 at = open.back();
      open.pop_back();
      if (gone[at]) continue;  // so is what hangs below it
      gone[at] = 1;
      for (u32 c = tree.first_child[at]; c < tree.first_child[at] + tree.n_children[at]; ++c) open.push_back(c);
    }
  }
  for (std::size_t i = 0; i < tree.size(); ++i) {
    if (tree.leaf(i)) continue;
    if (when[i] == 0) when[i] = std::numeric_limits<double>::infinity();
    if (i > 0) when[i] = std::min(when[i], when[static_cast<std::size_t>(tree.parent[i])]);
  }
  return when;
}

const Enrol<PrunerEntry> enrol({
    .name = "reduced_error",
    .summary = "nodes end where that costs no more on a pruning set (Quinlan 1987)",
    .rows = RowsNeeded::pruning,
    .options = {{.name = "order",
                 .doc =
                     "bottom up gives the best pruned tree for these rows, and the smallest of the best; greedy ends the node that helps "
                     "most, again and again, until every end would harm",
                 .kind = OptionKind::choice,
                 .usual = "bottom_up",
                 .choices = {"bottom_up", "greedy"},
                 .path_end = "greedy"}},
    .plan = &bottom_up,
    .keys = &greedy,
    .keys_by_rows = true,
});

}  // namespace

}  // namespace tw
