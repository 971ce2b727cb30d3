// Losses of rows at every node if it were a leaf: one pass sends the rows to the leaves, sums go up from there.
#include "prune/held_out.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <queue>
#include <span>

#include "base/errors.hpp"
#include "prune/depth_first.hpp"
#include "tree/router.hpp"

namespace tw {

namespace {

struct Visit {
  u32 leaf;
  Row row;
  double weight;
};

std::vector<Visit> visits_of(const Tree& tree, const std::vector<View>& cells, const Table& rows, const Costs& costs, unsigned threads,
                             const JobControl& job) {
  const Routes routes = route(tree, cells, rows.n_rows, {threads, Nonfinite::nothing, true}, job);
  std::vector<Visit> visits;
  visits.reserve(routes.begin.empty() ? rows.n_rows : routes.leaves.size());
  for (Row row = 0; row < rows.n_rows; ++row) {
    double weight = rows.weights.plain(rows.weights[row]);
    if (!costs.factor.empty()) weight *= costs.counts(rows.target.class_of[row]);
    if (routes.begin.empty()) {
      visits.push_back({static_cast<u32>(routes.leaf[row]), row, weight});
      continue;
    }
    for (auto i = static_cast<std::size_t>(routes.begin[row]); i < static_cast<std::size_t>(routes.begin[row + 1]); ++i)
      visits.push_back({static_cast<u32>(routes.leaves[i]), row, weight * routes.shares[i]});
  }
  return visits;
}

// Adds every node's entry to its parent's; children come after their parents.
void add_up(const Tree& tree, std::vector<double>& sums) {
  for (std::size_t i = tree.size(); i-- > 1;) sums[static_cast<std::size_t>(tree.parent[i])] += sums[i];
}

// The nodes at and above some leaves, children before their parents. Of a few leaves those alone are found, so that a tree of as many
// leaves as classes is not gone through for each of these.
class AboveLeaves {
 public:
  explicit AboveLeaves(const Tree& tree) : tree_(tree), every_(tree.size()), known_(tree.size(), 0) {
    std::iota(every_.rbegin(), every_.rend(), 0U);
  }

  const std::vector<u32>& of(std::span<const Visit> visits) {
    constexpr std::size_t kFew = 16;  // a node found costs more than one gone through
    if (visits.size() > tree_.size() / kFew) return every_;
    some_.clear();
    for (const Visit& visit : visits) push(visit.leaf);
    while (!next_.empty()) {
      some_.push_back(next_.top());
      next_.pop();
      if (some_.back() > 0) push(static_cast<u32>(tree_.parent[some_.back()]));
    }
    for (const u32 node : some_) known_[node] = 0;
    return some_;
  }

 private:
  void push(u32 node) {
    if (known_[node] != 0) return;
    known_[node] = 1;
    next_.push(node);
  }

  const Tree& tree_;
  std::vector<u32> every_;
  std::vector<u32> some_;
  std::vector<u8> known_;
  std::priority_queue<u32> next_;
};

// One class at a time: no more memory than one number per node, whatever the number of classes.
void class_losses(const Tree& tree, const Table& rows, std::span<const double> loss, std::vector<Visit> visits, Losses& out) {
  const auto& class_of = rows.target.class_of;
  std::stable_sort(visits.begin(), visits.end(), [&](const Visit& a, const Visit& b) { return class_of[a.row] < class_of[b.row]; });
  out.loss = loss.empty() ? out.weight : std::vector<double>(tree.size(), 0);
  if (!loss.empty()) out.square = out.loss;
  const double dearest = loss.empty() ? 0 : *std::max_element(loss.begin(), loss.end());
  std::vector<double> count(tree.size(), 0);
  AboveLeaves above(tree);
  for (std::size_t begin = 0, end = 0; begin < visits.size(); begin = end) {
    const u32 truth = class_of[visits[begin].row];
    while (end < visits.size() && class_of[visits[end].row] == truth) ++end;
    if (truth >= tree.n_classes && loss.empty()) break;  // right nowhere
    for (std::size_t i = begin; i < end; ++i) count[visits[i].leaf] += visits[i].weight;
    for (const u32 i : above.of({visits.data() + begin, end - begin})) {
      if (i > 0) count[static_cast<std::size_t>(tree.parent[i])] += count[i];
      if (!loss.empty()) {
        const double each = truth < tree.n_classes ? loss[truth * tree.n_classes + static_cast<std::size_t>(tree.label[i])] : dearest;
        out.loss[i] += count[i] * each;
        out.square[i] += count[i] * each * each;
      } else if (tree.label[i] == static_cast<i32>(truth)) {
        out.loss[i] = out.weight[i] - count[i];
      }
      count[i] = 0;
    }
  }
  if (loss.empty()) out.square = out.loss;
}

// Powers of the errors about each node's own value; going up, they are moved to the value of the parent.
void squared_losses(const Tree& tree, const Table& rows, const std::vector<Visit>& visits, Losses& out) {
  std::vector<double> first(tree.size(), 0), third(tree.size(), 0);
  std::vector<double>&zeroth = out.weight, &second = out.loss, &fourth = out.square;
  second.assign(tree.size(), 0);
  fourth.assign(tree.size(), 0);
  for (const Visit& visit : visits) {
    const double error = rows.target.value[visit.row] - tree.value[visit.leaf];
    const double square = error * error;
    first[visit.leaf] += visit.weight * error;
    second[visit.leaf] += visit.weight * square;
    third[visit.leaf] += visit.weight * square * error;
    fourth[visit.leaf] += visit.weight * square * square;
  }
  for (std::size_t i = tree.size(); i-- > 1;) {
    const auto up = static_cast<std::size_t>(tree.parent[i]);
    const double d = tree.value[i] - tree.value[up];
    first[up] += first[i] + d * zeroth[i];
    second[up] += second[i] + d * (2 * first[i] + d * zeroth[i]);
    third[up] += third[i] + d * (3 * second[i] + d * (3 * first[i] + d * zeroth[i]));
    fourth[up] += fourth[i] + d * (4 * third[i] + d * (6 * second[i] + d * (4 * first[i] + d * zeroth[i])));
  }
}

// Absolute errors about the value of every node. The rows of a node are adjacent in depth-first order of the leaves: sums of rows
// whose target is at most the node's value are looked up in a binary indexed tree, filled while nodes come in the order of their values.
void absolute_losses(const Tree& tree, const Table& rows, std::vector<Visit> visits, Losses& out) {
  squared_losses(tree, rows, visits, out);
  out.square = out.loss;
  const std::vector<u32> first = DepthFirst(tree).first;
  std::stable_sort(visits.begin(), visits.end(), [&](const Visit& a, const Visit& b) { return first[a.leaf] < first[b.leaf]; });
  const double centre = tree.value[0];
  struct Sums {
    double weight = 0;
    double value = 0;
  };
  std::vector<u32> begin(tree.size(), 0), end(tree.size(), 0);
  std::vector<Sums> all(tree.size());
  for (u32 i = 0; i < visits.size(); ++i) {
    const u32 leaf = visits[i].leaf;
    if (end[leaf] == 0) begin[leaf] = i;
    end[leaf] = i + 1;
    all[leaf].weight += visits[i].weight;
    all[leaf].value += visits[i].weight * (rows.target.value[visits[i].row] - centre);
  }
  for (std::size_t i = tree.size(); i-- > 1;) {
    const auto up = static_cast<std::size_t>(tree.parent[i]);
    if (end[i] == 0) continue;
    begin[up] = end[up] == 0 ? begin[i] : std::min(begin[up], begin[i]);
    end[up] = std::max(end[up], end[i]);
    all[up].weight += all[i].weight;
    all[up].value += all[i].value;
  }
  std::vector<u32> by_value(visits.size()), nodes;
  for (u32 i = 0; i < by_value.size(); ++i) by_value[i] = i;
  const auto target = [&](u32 i) { return rows.target.value[visits[i].row]; };
  std::stable_sort(by_value.begin(), by_value.end(), [&](u32 a, u32 b) { return target(a) < target(b); });
  for (u32 i = 0; i < tree.size(); ++i)
    if (end[i] > 0) nodes.push_back(i);
  std::stable_sort(nodes.begin(), nodes.end(), [&](u32 a, u32 b) { return tree.value[a] < tree.value[b]; });
  std::vector<Sums> sums(visits.size() + 1);
  const auto up_to = [&](std::size_t i) {
    Sums out_sums;
    for (; i > 0; i &= i - 1) {
      out_sums.weight += sums[i].weight;
      out_sums.value += sums[i].value;
    }
    return out_sums;
  };
  std::size_t next = 0;
  for (const u32 node : nodes) {
    for (; next < by_value.size() && target(by_value[next]) <= tree.value[node]; ++next) {
      const Visit& visit = visits[by_value[next]];
      for (std::size_t i = by_value[next] + 1; i < sums.size(); i += i & (~i + 1)) {
        sums[i].weight += visit.weight;
        sums[i].value += visit.weight * (rows.target.value[visit.row] - centre);
      }
    }
    const Sums high = up_to(end[node]);
    const Sums low = up_to(begin[node]);
    const double v = tree.value[node] - centre;
    const double weight = high.weight - low.weight;
    const double value = high.value - low.value;
    out.loss[node] = std::max(0.0, v * weight - value + (all[node].value - value) - v * (all[node].weight - weight));
  }
}

// Halved deviances of counts, y log(y / m) - y + m, from sums over the rows of each node.
void deviance_losses(const Tree& tree, const Table& rows, const std::vector<Visit>& visits, Losses& out) {
  struct Sums {
    double w = 0, y = 0, a = 0, yy = 0, ay = 0, aa = 0, events = 0;  // a: y log y - y; events: weight of rows that have some
  };
  std::vector<Sums> sums(tree.size());
  for (const Visit& visit : visits) {
    const double y = rows.target.value[visit.row];
    if (y < 0) throw Invalid("counts below 0 have no Poisson deviance");
    const double a = y > 0 ? y * std::log(y) - y : 0;
    Sums& s = sums[visit.leaf];
    s.w += visit.weight;
    if (y > 0) s.events += visit.weight;
    s.y += visit.weight * y;
    s.a += visit.weight * a;
    s.yy += visit.weight * y * y;
    s.ay += visit.weight * a * y;
    s.aa += visit.weight * a * a;
  }
  for (std::size_t i = tree.size(); i-- > 1;) {
    Sums& up = sums[static_cast<std::size_t>(tree.parent[i])];
    const Sums& s = sums[i];
    up = {up.w + s.w, up.y + s.y, up.a + s.a, up.yy + s.yy, up.ay + s.ay, up.aa + s.aa, up.events + s.events};
  }
  out.loss.assign(tree.size(), 0);
  out.square.assign(tree.size(), 0);
  for (std::size_t i = 0; i < tree.size(); ++i) {
    const Sums& s = sums[i];
    const double m = tree.value[i] > 0 ? tree.value[i] : 0.5 / std::max(1.0, tree.weight[i]);
    const double l = std::log(m);
    const double w = tree.value[i] > 0 ? s.w : s.events;  // 0 is right about rows without events
    out.loss[i] = std::max(0.0, s.a - l * s.y + m * w);
    out.square[i] = std::max(0.0, s.aa + l * l * s.yy + m * m * w - 2 * l * s.ay + 2 * m * s.a - 2 * l * m * s.y);
  }
}

}  // namespace

Losses held_out(const Tree& tree, const std::vector<View>& cells, const Table& rows, const Costs& costs, unsigned threads,
                const JobControl& job) {
  costs.check(tree);
  std::vector<Visit> visits = visits_of(tree, cells, rows, costs, threads, job);
  Losses out;
  out.weight.assign(tree.size(), 0);
  for (const Visit& visit : visits) out.weight[visit.leaf] += visit.weight;
  add_up(tree, out.weight);
  if (tree.n_classes > 0)
    class_losses(tree, rows, costs.loss, std::move(visits), out);
  else if (costs.measure == Measure::squares)
    squared_losses(tree, rows, visits, out);
  else if (costs.measure == Measure::absolute)
    absolute_losses(tree, rows, std::move(visits), out);
  else
    deviance_losses(tree, rows, visits, out);
  return out;
}

std::vector<double> own_risk(const Tree& tree, Risk risk, const Costs& costs) {
  costs.check(tree);
  const std::vector<double>& loss = costs.loss;
  std::vector<double> out(tree.size(), 0);
  for (std::size_t i = 0; i < tree.size(); ++i) {
    if (tree.weight[i] == 0) continue;  // an empty branch repeats the classes above it
    if (tree.n_classes == 0 || risk == Risk::impurity) {
      out[i] = tree.weight[i] * tree.impurity[i];
      continue;
    }
    const auto label = static_cast<u32>(tree.label[i]);
    const Tree::Range classes = tree.classes(i);
    for (std::size_t c = classes.begin; c < classes.end; ++c) {
      const u32 truth = tree.class_id[c];
      if (truth != label) out[i] += tree.class_weight[c] * (loss.empty() ? 1 : loss[truth * tree.n_classes + label]);
    }
  }
  return out;
}

}  // namespace tw
