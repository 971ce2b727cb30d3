// Cost-complexity pruning (Breiman, Friedman, Olshen and Stone 1984, chapter 3): what a leaf must cost for a node to become one.
#include "prune/cost_complexity.hpp"

#include <algorithm>
#include <utility>

#include "prune/held_out.hpp"
#include "prune/pruner.hpp"

namespace tw {

namespace {

// The least risk + cost * leaves of a subtree, as a function of the cost, is concave and made of lines: towards large costs the node alone
// (slope 1), towards small ones more and more leaves. A node keeps its last line; the costs at which lines change are in a heap with the
// largest on top, whose entry leads from the line above that cost to the line below it. Where a node is worth less than
// its branches, everything above that cost in the heaps of its branches is done with: every entry is pushed and popped once.
class Heaps {
 public:
  explicit Heaps(std::size_t nodes)
      : cost(nodes, 0), risk(nodes, 0), slope(nodes, 0), left_(nodes, kNone), right_(nodes, kNone), rank_(nodes, 1) {}

  static constexpr u32 kNone = ~u32{0};

  // Leftist heaps: the way to the right is short, so this loop and the one back are.
  u32 joined(u32 a, u32 b) {
    way_.clear();
    while (a != kNone && b != kNone) {
      if (cost[a] < cost[b]) std::swap(a, b);
      way_.push_back(a);
      a = right_[a];
    }
    u32 below = a == kNone ? b : a;
    for (; !way_.empty(); way_.pop_back()) {
      const u32 at = way_.back();
      right_[at] = below;
      if (rank(left_[at]) < rank(right_[at])) std::swap(left_[at], right_[at]);
      rank_[at] = rank(right_[at]) + 1;
      below = at;
    }
    return below;
  }
  u32 without_top(u32 top) { return joined(left_[top], right_[top]); }

  // By node, as an entry: at this cost the line changes; its risk and slope fall and rise by these below it.
  std::vector<double> cost, risk, slope;

 private:
  u32 rank(u32 at) const { return at == kNone ? 0 : rank_[at]; }

  std::vector<u32> left_, right_, rank_;
  std::vector<u32> way_;
};

}  // namespace

std::vector<double> cost_complexity(const Tree& tree, const std::vector<double>& risk) {
  constexpr double kRounding = 1e-12;  // of a risk that is a sum
  Heaps heaps(tree.size());
  std::vector<u32> top(tree.size(), Heaps::kNone);
  for (std::size_t i = tree.size(); i-- > 0;) {
    if (tree.leaf(i)) continue;
    double below = 0;  // the branches together: below + slope * cost
    double slope = tree.n_children[i];
    u32 heap = Heaps::kNone;
    for (std::size_t c = tree.first_child[i]; c < tree.first_child[i] + tree.n_children[i]; ++c) {
      below += risk[c];
      heap = heaps.joined(heap, top[c]);
    }
    const auto meets = [&] {
      const double saved = risk[i] - below;
      return saved <= kRounding * risk[i] ? 0 : saved / (slope - 1);
    };
    double cost = meets();
    while (heap != Heaps::kNone && cost < heaps.cost[heap]) {
      below -= heaps.risk[heap];
      slope += heaps.slope[heap];
      heap = heaps.without_top(heap);
      cost = meets();
    }
    heaps.cost[i] = cost;
    heaps.risk[i] = risk[i] - below;
    heaps.slope[i] = slope - 1;
    top[i] = heaps.joined(heap, static_cast<u32>(i));
  }
  std::vector<double> out = std::move(heaps.cost);
  for (std::size_t i = 1; i < tree.size(); ++i)
    if (!tree.leaf(i)) out[i] = std::min(out[i], out[static_cast<std::size_t>(tree.parent[i])]);
  return out;
}

namespace {

// In units of the error of all rows.
std::vector<double> keys(const PruneInput& input) {
  const Risk risk = input.options.text("risk") == "impurity" ? Risk::impurity : Risk::error;
  std::vector<double> out = cost_complexity(input.tree, own_risk(input.tree, risk, input.costs));
  for (double& cost : out) cost /= input.tree.weight[0];
  return out;
}

const Enrol<PrunerEntry> enrol({
    .name = "cost_complexity",
    .summary = "the smallest tree of least error + alpha * leaves (Breiman, Friedman, Olshen and Stone 1984)",
    .rows = RowsNeeded::pruning,
    .options = {{.name = "alpha", .doc = "what a leaf costs, in units of the error of all rows", .role = OptionRole::key},
                leaves_option(),
                rule_option(),
                {.name = "risk",
                 .doc = "what alpha is weighed against: the training error (the book, rpart), or the impurity (scikit-learn)",
                 .kind = OptionKind::choice,
                 .usual = "error",
                 .choices = {"error", "impurity"},
                 .of_path = true}},
    .keys = &keys,
});

}  // namespace

}  // namespace tw
