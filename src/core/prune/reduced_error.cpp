#include "prune/reduced_error.hpp"

#include <algorithm>
#include <cmath>
#include <queue>

#include "prune/depth_first.hpp"

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

}  // namespace

std::vector<u8> reduced_error(const Tree& tree, const std::vector<double>& loss) {
  std::vector<u8> ends(tree.size(), 0);
  std::vector<double> below(tree.size(), 0);
  for (std::size_t i = tree.size(); i-- > 0;) {
    ends[i] = !tree.leaf(i) && loss[i] <= below[i] + kRounding * loss[i];
    if (tree.leaf(i) || ends[i]) below[i] = loss[i];
    if (i > 0) below[static_cast<std::size_t>(tree.parent[i])] += below[i];
  }
  return ends;
}

std::vector<u32> reduced_error_greedy(const Tree& tree, const std::vector<double>& loss, const JobControl& job) {
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
  // What a node's end helps only falls while others end, so an old offer is a bound: it is renewed when it comes to the top.
  std::priority_queue<Offer> offers;
  const auto offer = [&](u32 node) {
    const double helps = below[node] - saved.below(node) - loss[node];
    const double slack = kRounding * loss[node];
    return Offer{std::abs(helps) <= slack ? 0 : helps, node};
  };
  for (u32 i = 0; i < tree.size(); ++i)
    if (!tree.leaf(i)) offers.push(offer(i));
  std::vector<u32> when(tree.size(), 0);
  std::vector<u8> gone(tree.size(), 0);
  std::vector<u32> open;
  u32 count = 0;
  while (!offers.empty()) {
    job.check();
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
    if (when[i] == 0) when[i] = kNever;
    if (i > 0) when[i] = std::min(when[i], when[static_cast<std::size_t>(tree.parent[i])]);
  }
  return when;
}

}  // namespace tw
