// Partial trees: nodes expanded branch by branch until one leaf stays, and the paths to these leaves as rules.
#include "rules/partial.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "base/numbers.hpp"
#include "grow/limits.hpp"
#include "tree/builder.hpp"

namespace tw {

namespace {

constexpr double kWeka = 1e-6;       // numbers closer than this are equal in WEKA
constexpr double kPruneSlack = 0.1;  // errors; as in C4.5

// The result of a node: a leaf, or the path to one.
struct Outcome {
  struct Turn {
    Split split;
    double gain;
    std::vector<NodeFacts> branches;
    u32 taken;
  };
  std::vector<Turn> turns;  // last first
  NodeFacts facts;
  double errors = 0;  // expected of the node as a leaf
  double covered = 0;
  std::vector<Row> rows;  // of the leaf at the end
  std::vector<i64> weights;

  bool leaf() const { return turns.empty(); }
};

struct Open {
  PlainNode task;
  NodeTargets targets;
  Candidate chosen;
  std::vector<Row> rows;
  std::vector<i64> weights;
  std::vector<PlainNode> branches;
  std::vector<NodeTargets> below;
  std::vector<std::optional<Outcome>> outcomes;
  std::size_t visited = 0;  // branches
  u32 last = 0;
};

class Partial {
 public:
  Partial(NodeGrower& grower, const Table& table, const PartialSettings& settings, JobControl& job)
      : grower_(grower), table_(table), settings_(settings), job_(job) {}

  Outcome find(PlainNode root) {
    std::vector<Open> open;
    Outcome found;
    bool finished = enter(open, std::move(root), found);
    while (!open.empty()) {
      job_.check();
      Open& at = open.back();
      if (finished) {
        at.outcomes[at.last] = std::move(found);
        finished = false;
      }
      // Branches are expanded, that of the least entropy first, for as long as they turn out to be leaves.
      if (at.visited == 0 || (at.visited < at.branches.size() && at.outcomes[at.last]->leaf())) {
        ++at.visited;
        if (const auto next = purest(at)) {
          at.last = *next;
          PlainNode branch = std::move(at.branches[*next]);
          finished = enter(open, std::move(branch), found);
          continue;
        }
        if (at.visited > 1)
          for (std::size_t b = 0; b < at.branches.size(); ++b)
            if (!at.outcomes[b]) at.outcomes[b] = as_leaf(at.below[b], std::move(at.branches[b].rows));
      }
      found = closed(at);
      finished = true;
      open.pop_back();
    }
    return found;
  }

  // The path as a tree, nodes beside it as leaves.
  PartialRule written(const Outcome& found) const {
    Builder builder(table_.target.n_classes);
    builder.describe(0, found.leaf() ? found.facts : root_);
    u32 at = 0;
    for (std::size_t t = found.turns.size(); t-- > 0;) {
      const Outcome::Turn& turn = found.turns[t];
      const u32 first = builder.divide(at, turn.split, turn.gain);
      for (u32 b = 0; b < turn.branches.size(); ++b) builder.describe(first + b, turn.branches[b]);
      at = first + turn.taken;
    }
    PartialRule out{std::move(builder).finish(tree_columns(table_), false), 0};
    for (std::size_t t = found.turns.size(); t-- > 0;) out.leaf = out.tree.first_child[out.leaf] + found.turns[t].taken;
    return out;
  }

 private:
  // Whether the node is a leaf, which is then `found`; otherwise it is opened.
  bool enter(std::vector<Open>& open, PlainNode task, Outcome& found) {
    Open next;
    next.task = std::move(task);
    auto chosen = grower_.examine(next.task, next.targets);
    if (next.task.depth == 0) root_ = next.targets.facts;
    if (!chosen) {
      found = as_leaf(next.targets, std::move(next.task.rows));
      return true;
    }
    next.chosen = std::move(*chosen);
    next.rows = next.task.rows.rows;
    next.weights = next.task.rows.weights;
    next.branches = grower_.divide(next.task, next.targets, next.chosen);
    next.below.resize(next.branches.size());
    for (std::size_t b = 0; b < next.branches.size(); ++b) {
      if (next.branches[b].rows.rows.empty()) {
        next.below[b].facts = next.targets.facts;
        next.below[b].facts.weight = 0;
      } else {
        grower_.read(next.branches[b], next.below[b]);
      }
    }
    next.outcomes.resize(next.branches.size());
    open.push_back(std::move(next));
    return false;
  }

  Outcome as_leaf(const NodeTargets& targets, NodeRows rows) const {
    Outcome out;
    out.facts = targets.facts;
    out.covered = targets.facts.weight;
    double most = 0;
    for (const auto& [label, weight] : targets.facts.classes) most = std::max(most, weight);
    out.errors = out.covered > 0 ? settings_.estimate.total(out.covered, out.covered - most) : 0;
    out.rows = std::move(rows.rows);
    out.weights = std::move(rows.weights);
    return out;
  }

  // The branch of least entropy that has not been expanded; the first that is pure. None below the least weight.
  std::optional<u32> purest(const Open& at) const {
    std::optional<u32> best;
    double least = std::numeric_limits<double>::max();
    for (u32 b = 0; b < at.branches.size(); ++b) {
      if (at.outcomes[b] || at.below[b].facts.weight < settings_.min_weight - kWeka) continue;
      const double here = entropy(at.below[b].facts);
      if (here <= kWeka) return b;
      if (here < least - kWeka) {
        least = here;
        best = b;
      }
    }
    return best;
  }

  static double entropy(const NodeFacts& facts) {
    double sum = 0;
    for (const auto& [label, weight] : facts.classes)
      if (weight > 0) sum -= weight * log2_of(weight / facts.weight);
    return sum / facts.weight;
  }

  // A node whose branches have been expanded: one leaf, or the path through the branch whose leaf covers most.
  Outcome closed(Open& at) const {
    const bool visited = std::any_of(at.outcomes.begin(), at.outcomes.end(), [](const auto& each) { return each.has_value(); });
    const bool leaves = std::all_of(at.outcomes.begin(), at.outcomes.end(), [](const auto& each) { return each && each->leaf(); });
    Outcome own = as_leaf(at.targets, {std::move(at.rows), std::move(at.weights), {}});
    if (!visited) return own;
    if (settings_.pruned && leaves) {
      double below = 0;
      for (const auto& each : at.outcomes) below += each->errors;
      if (own.errors <= below + kPruneSlack + kWeka) return own;
    }
    u32 best = 0;
    double most = -1;
    for (u32 b = 0; b < at.outcomes.size(); ++b) {
      if (!at.outcomes[b] || at.below[b].facts.weight < settings_.min_weight - kWeka) continue;
      if (at.outcomes[b]->covered > most + kWeka) {
        most = at.outcomes[b]->covered;
        best = b;
      }
    }
    Outcome out = std::move(*at.outcomes[best]);
    Outcome::Turn turn{std::move(at.chosen.split), at.chosen.gain, {}, best};
    for (const NodeTargets& branch : at.below) turn.branches.push_back(branch.facts);
    out.turns.push_back(std::move(turn));
    return out;
  }

  NodeGrower& grower_;
  const Table& table_;
  const PartialSettings& settings_;
  JobControl& job_;
  NodeFacts root_;  // of the tree in hand
};

}  // namespace

std::vector<PartialRule> cover_by_trees(Table table, const GrowSettings& growing, const PartialSettings& settings, JobControl& job) {
  NodeGrower grower(table, growing, job);
  Partial partial(grower, table, settings, job);
  std::vector<PartialRule> rules;
  job.total = table.n_rows;
  while (true) {
    PlainNode root = grower.root();
    job.done = table.n_rows - root.rows.rows.size();
    if (root.rows.rows.empty()) return rules;
    const Outcome found = partial.find(std::move(root));
    rules.push_back(partial.written(found));
    grower.take(found.rows, found.weights);
  }
}

}  // namespace tw
