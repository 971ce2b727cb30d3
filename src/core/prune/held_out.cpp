#include "prune/held_out.hpp"

#include <algorithm>

#include "base/errors.hpp"
#include "tree/router.hpp"

namespace tw {

namespace {

struct Visit {
  u32 leaf;
  Row row;
  double weight;
};

std::vector<Visit> visits_of(const Tree& tree, const std::vector<View>& cells, const Table& rows, unsigned threads, const Work& work) {
  const Routes routes = route(tree, cells, rows.n_rows, {threads, Unfit::nothing, true}, work);
  std::vector<Visit> visits;
  visits.reserve(routes.begin.empty() ? rows.n_rows : routes.leaves.size());
  for (Row row = 0; row < rows.n_rows; ++row) {
    const double weight = rows.weights.plain(rows.weights[row]);
    if (routes.begin.empty()) {
      visits.push_back({static_cast<u32>(routes.leaf[row]), row, weight});
      continue;
    }
    for (auto i = static_cast<std::size_t>(routes.begin[row]); i < static_cast<std::size_t>(routes.begin[row + 1]); ++i)
      visits.push_back({static_cast<u32>(routes.leaves[i]), row, weight * routes.shares[i]});
  }
  return visits;
}

// Adds every node's entry to its parent's; children stand behind their parents.
void add_up(const Tree& tree, std::vector<double>& sums) {
  for (std::size_t i = tree.size(); i-- > 1;) sums[static_cast<std::size_t>(tree.parent[i])] += sums[i];
}

// One class at a time: no more memory than one number a node, whatever the number of classes.
void class_losses(const Tree& tree, const Table& rows, std::span<const double> loss, std::vector<Visit> visits, Losses& out) {
  const auto& class_of = rows.target.class_of;
  std::stable_sort(visits.begin(), visits.end(), [&](const Visit& a, const Visit& b) { return class_of[a.row] < class_of[b.row]; });
  out.loss = loss.empty() ? out.weight : std::vector<double>(tree.size(), 0);
  if (!loss.empty()) out.square = out.loss;
  std::vector<double> count(tree.size());
  for (std::size_t begin = 0, end = 0; begin < visits.size(); begin = end) {
    const u32 truth = class_of[visits[begin].row];
    while (end < visits.size() && class_of[visits[end].row] == truth) ++end;
    if (truth >= tree.n_classes && loss.empty()) break;  // right nowhere
    std::fill(count.begin(), count.end(), 0.0);
    for (std::size_t i = begin; i < end; ++i) count[visits[i].leaf] += visits[i].weight;
    add_up(tree, count);
    if (loss.empty()) {
      for (std::size_t i = 0; i < tree.size(); ++i)
        if (tree.label[i] == static_cast<i32>(truth)) out.loss[i] = out.weight[i] - count[i];
      continue;
    }
    const double dearest = *std::max_element(loss.begin(), loss.end());
    for (std::size_t i = 0; i < tree.size(); ++i) {
      const double each = truth < tree.n_classes ? loss[truth * tree.n_classes + static_cast<std::size_t>(tree.label[i])] : dearest;
      out.loss[i] += count[i] * each;
      out.square[i] += count[i] * each * each;
    }
  }
  if (loss.empty()) out.square = out.loss;
}

// Powers of the errors about each node's own value; going up, they are moved to the value of the parent.
void number_losses(const Tree& tree, const Table& rows, const std::vector<Visit>& visits, Losses& out) {
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

}  // namespace

Losses held_out(const Tree& tree, const std::vector<View>& cells, const Table& rows, std::span<const double> loss, unsigned threads,
                const Work& work) {
  if (!loss.empty() && loss.size() != std::size_t{tree.n_classes} * tree.n_classes) throw Invalid("the losses do not fit the classes");
  std::vector<Visit> visits = visits_of(tree, cells, rows, threads, work);
  Losses out;
  out.weight.assign(tree.size(), 0);
  for (const Visit& visit : visits) out.weight[visit.leaf] += visit.weight;
  add_up(tree, out.weight);
  if (tree.n_classes > 0)
    class_losses(tree, rows, loss, std::move(visits), out);
  else
    number_losses(tree, rows, visits, out);
  return out;
}

std::vector<double> own_risk(const Tree& tree, Risk risk, std::span<const double> loss) {
  if (!loss.empty() && loss.size() != std::size_t{tree.n_classes} * tree.n_classes) throw Invalid("the losses do not fit the classes");
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
