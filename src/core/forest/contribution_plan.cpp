// Makes the steps of a tree, and asks the tests that are no plain cuts.
#include "forest/contribution_plan.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

namespace tw {

namespace {

// The column that a node asks for. A sum over several columns is no player of the game: it belongs to none of them alone.
u32 column_of(const Tree& tree, std::size_t node) {
  const Tree::Range terms = tree.terms(node);
  if (terms.size() == 0) return static_cast<u32>(tree.column[node]);
  const u32 column = tree.term_column[terms.begin];
  for (std::size_t t = terms.begin; t < terms.end; ++t)
    if (tree.term_column[t] != column)
      throw Invalid("node " + std::to_string(node) +
                    " tests a number made of several columns: its contributions belong to none of them alone");
  return column;
}

bool plain_cut(const Tree& tree, std::size_t node) {
  return tree.n_children[node] == 2 && tree.columns[static_cast<std::size_t>(tree.column[node])].kind == Kind::numeric &&
         tree.terms(node).size() == 0 && tree.surrogates(node).size() == 0 && tree.cuts(node).size() == 1;
}

}  // namespace

double SoftGate::first(double x) const {
  if (x <= at.front()) return share.front();
  if (x >= at.back()) return share.back();
  const auto next = static_cast<std::size_t>(std::upper_bound(at.begin(), at.end(), x) - at.begin());
  const double part = (x - at[next - 1]) / (at[next] - at[next - 1]);
  return share[next - 1] + part * (share[next] - share[next - 1]);
}

ContributionPlan::ContributionPlan(const Member& member, std::span<const SoftGate> gates, double scale, u32 n_sums)
    : member_(member), tree_(*member.tree), n_sums_(n_sums) {
  std::vector<const SoftGate*> gate_of(tree_.size(), nullptr);
  for (const SoftGate& gate : gates) gate_of[gate.node] = &gate;
  std::vector<i32> step_of(tree_.size(), -1);
  for (u32 node = 0; node < tree_.size(); ++node)
    if (!tree_.leaf(node)) {
      step_of[node] = static_cast<i32>(steps_.size());
      add_step(node, gate_of[node]);
    }
  // Leaves follow their branch, in the order of the nodes.
  std::size_t at = 0;
  for (u32 node = 0; node < tree_.size(); ++node)
    for (u32 c = 0; c < tree_.n_children[node]; ++c) {
      WalkBranch& branch = branches_[at++];
      const u32 child = tree_.first_child[node] + c;
      branch.step = step_of[child];
      if (branch.step < 0) branch.begin = child;  // until `weigh` writes down what it says
    }
  number_ways();
  weigh(scale);
}

void ContributionPlan::add_step(u32 node, const SoftGate* gate) {
  WalkStep step;
  step.column = column_of(tree_, node);
  step.first_branch = static_cast<u32>(branches_.size());
  step.n_branches = tree_.n_children[node];
  const u32 first = tree_.first_child[node];
  double total = 0;
  for (u32 c = 0; c < step.n_branches; ++c) total += tree_.weight[first + c];
  for (u32 c = 0; c < step.n_branches; ++c) {
    WalkBranch branch;
    // Branches without any weight can only come from a tree made by hand: they then count alike, as where rows are divided.
    branch.share = total > 0 ? tree_.weight[first + c] / total : 1.0 / step.n_branches;
    branches_.push_back(branch);
  }
  if (gate == nullptr && plain_cut(tree_, node)) {
    step.cut = tree_.cut_at[tree_.cuts(node).begin];
    // x < t is x <= the number before t.
    if (tree_.strict[node]) step.cut = std::nextafter(step.cut, -std::numeric_limits<double>::infinity());
    const i32 missing = tree_.missing_to[node];
    step.missing_first = missing == 0 ? 1 : missing == 1 ? 0 : branches_[step.first_branch].share;
  } else {
    step.asked = static_cast<i32>(n_asked_);
    n_asked_ += step.n_branches;
    asked_.push_back({node, static_cast<u32>(steps_.size()), gate, NodeTest(tree_, node)});
  }
  steps_.push_back(step);
}

// Where the columns of a way were asked for last, how long ways are, and how many columns are on one.
void ContributionPlan::number_ways() {
  if (steps_.empty()) return;
  struct Place {
    u32 step;
    u32 next;    // branch
    i32 before;  // the level that asked for the same column last, before this one did
  };
  std::vector<i32> last(tree_.columns.size(), -1);
  std::vector<Place> way;
  u32 columns = 0;
  u32 most = 0;
  const auto enter = [&](u32 at) {
    WalkStep& step = steps_[at];
    i32& asked = last[step.column];
    step.above = asked;
    if (asked >= 0) {
      const Place& place = way[static_cast<std::size_t>(asked)];
      branches_[steps_[place.step].first_branch + place.next - 1].again = true;
    } else {
      most = std::max(most, ++columns);
    }
    way.push_back({at, 0, asked});
    asked = static_cast<i32>(way.size()) - 1;
    depth_ = std::max(depth_, static_cast<u32>(way.size()));
  };
  enter(0);
  while (!way.empty()) {
    Place& place = way.back();
    const WalkStep& step = steps_[place.step];
    if (place.next == step.n_branches) {
      last[step.column] = place.before;
      if (place.before < 0) --columns;
      way.pop_back();
      continue;
    }
    const i32 next = branches_[step.first_branch + place.next++].step;
    if (next >= 0) enter(static_cast<u32>(next));
  }
  points_ = quadrature((most + 1) / 2);
  for (std::size_t q = 0; q < points_.at.size(); ++q) again_.push_back(points_.weight[q] / (points_.at[q] * (1 - points_.at[q])));
}

// What leaves say, and what the tree says of a row of which nothing is known.
void ContributionPlan::weigh(double scale) {
  base_.assign(n_sums_, 0.0);
  const auto add = [&](u32 node, double reach) {
    const auto entry = [&](u32 sum, double value) {
      entries_.push_back({sum, scale * value});
      base_[sum] += reach * (scale * value);
    };
    if (member_.begin.empty()) return entry(member_.output, member_.values[node]);
    for (u32 at = member_.begin[node]; at < member_.begin[node + 1]; ++at)
      if (member_.values[at] != 0) entry(member_.outputs[at], member_.values[at]);
  };
  if (steps_.empty()) return add(0, 1);
  std::vector<double> reach(steps_.size(), 1.0);
  for (std::size_t at = 0; at < steps_.size(); ++at)
    for (u32 c = 0; c < steps_[at].n_branches; ++c) {
      WalkBranch& branch = branches_[steps_[at].first_branch + c];
      const double share = reach[at] * branch.share;
      if (branch.step >= 0) {
        reach[static_cast<std::size_t>(branch.step)] = share;
        continue;
      }
      const u32 leaf = branch.begin;
      branch.begin = static_cast<u32>(entries_.size());
      add(leaf, share);
      branch.end = static_cast<u32>(entries_.size());
    }
}

void ContributionPlan::ask(const std::vector<View>& lanes, double* shares) const {
  for (const Asked& asked : asked_) {
    const WalkStep& step = steps_[asked.step];
    const WalkBranch* branches = branches_.data() + step.first_branch;
    double* out = shares + static_cast<std::size_t>(step.asked) * kLanes;
    for (u32 l = 0; l < kLanes; ++l) {
      const ViewRow row{tree_, lanes, l};
      const double x = asked.gate == nullptr ? std::numeric_limits<double>::quiet_NaN() : row.number(step.column);
      if (!std::isnan(x)) {
        out[l] = asked.gate->first(x);
        out[kLanes + l] = 1 - out[l];
        continue;
      }
      const i32 taken = asked.test.branch_of(row);
      for (u32 c = 0; c < step.n_branches; ++c) out[c * kLanes + l] = taken < 0 ? branches[c].share : static_cast<i32>(c) == taken ? 1 : 0;
    }
  }
}

Walk ContributionPlan::walk() const {
  Walk walk;
  walk.steps = steps_.data();
  walk.branches = branches_.data();
  walk.entries = entries_.data();
  walk.n_points = static_cast<u32>(points_.at.size());
  walk.at = points_.at.data();
  walk.weight = points_.weight.data();
  walk.again = again_.data();
  walk.n_sums = n_sums_;
  return walk;
}

}  // namespace tw
