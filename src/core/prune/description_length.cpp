// Pruning by description length: the tree and what it leaves open are sent as bits, and the shortest message wins (Rissanen 1978; for trees
// Quinlan and Rivest 1989; the code of the classes is that of Mehta, Rissanen and Agrawal 1995).
#include <algorithm>
#include <cmath>

#include "base/numbers.hpp"
#include "prune/estimate.hpp"
#include "prune/pruner.hpp"

namespace tw {

namespace {

constexpr double kPi = 3.14159265358979323846;
constexpr double kE = 2.71828182845904523536;

double class_bits(const Tree& tree, std::size_t node, double constant) {
  const double n = weight_at(tree, node);
  const Tree::Range classes = tree.classes(node);
  double bits = 0;
  for (std::size_t c = classes.begin; c < classes.end; ++c) bits += tree.class_weight[c] * log2_of(n / tree.class_weight[c]);
  return bits + std::max(0.0, (tree.n_classes - 1) / 2.0 * log2_of(n / 2) + constant);
}

// Bits of a node as a leaf: its rows' targets, given that they are there. Classes, n rows of K declared ones: the sum of
// n_k log2(n / n_k), and (K - 1)/2 log2(n / 2) + log2(pi^(K/2) / Gamma(K/2)), not below 0. Numbers, distinguished down to `precision`:
// n times the bits of a normal residual, 1/2 log2(2 pi e variance / precision^2), not below 0, and log2(n) for mean and variance.
std::vector<double> leaf_bits(const Tree& tree, double precision) {
  std::vector<double> bits(tree.size(), 0);
  const double half = tree.n_classes / 2.0;
  const double constant = tree.n_classes > 0 ? half * log2_of(kPi) - std::lgamma(half) / std::log(2.0) : 0;
  for (std::size_t i = 0; i < tree.size(); ++i) {
    const double n = tree.weight[i];
    if (n == 0) continue;
    if (tree.n_classes > 0) {
      bits[i] = class_bits(tree, i, constant);
      continue;
    }
    const double variance = tree.impurity[i] / precision / precision;
    if (variance > 0) bits[i] = n * std::max(0.0, 0.5 * log2_of(2 * kPi * kE * variance));
    bits[i] += std::max(0.0, log2_of(n));
  }
  return bits;
}

// Bits of a node's split: log2(columns) for its column; log2(n - 1) for every cut among n rows, L - 1 for a division of L listed levels in
// two, L log2(branches) in more, log2(declared levels) for one against the rest, none where every level has a branch of its own.
std::vector<double> split_bits(const Tree& tree) {
  std::vector<double> bits(tree.size(), 0);
  const double column = log2_of(static_cast<double>(tree.columns.size()));
  for (std::size_t i = 0; i < tree.size(); ++i) {
    if (tree.leaf(i)) continue;
    const auto family = static_cast<Family>(tree.family[i]);
    const double levels = static_cast<double>(tree.levels(i).size());
    bits[i] = column + static_cast<double>(tree.cuts(i).size()) * log2_of(std::max(1.0, tree.weight[i] - 1));
    if (family == Family::one_vs_rest)
      bits[i] += log2_of(tree.columns[static_cast<std::size_t>(tree.column[i])].n_levels);
    else if (form_of(family) == Form::levels && family != Family::multiway)
      bits[i] += tree.n_children[i] == 2 ? levels - 1 : levels * log2_of(tree.n_children[i]);
  }
  return bits;
}

// Down to which numbers are distinguished by default: a hundredth of their standard deviation.
double usual_precision(const Tree& tree) {
  const double hundredth = std::sqrt(tree.impurity[0]) / 100;
  return hundredth == 0 ? 1 : hundredth;
}

// Every node sends one bit, leaf or split, and then the bits of either. A node ends if that is no longer than its split and branches.
Plan plan(const PruneInput& input) {
  const Tree& tree = input.tree;
  const std::optional<double> precision = input.options.maybe("precision");
  const std::vector<double> leaf = leaf_bits(tree, precision ? *precision : usual_precision(tree));
  const std::vector<double> split = split_bits(tree);
  std::vector<u8> ends(tree.size(), 0);
  std::vector<double> below(tree.size(), 0);
  for (std::size_t i = tree.size(); i-- > 0;) {
    const double as_split = split[i] + below[i];
    ends[i] = !tree.leaf(i) && leaf[i] <= as_split;
    const double bits = 1 + (tree.leaf(i) || ends[i] ? leaf[i] : as_split);
    if (i > 0) below[static_cast<std::size_t>(tree.parent[i])] += bits;
  }
  return {tree, ends};
}

const Enrol<PrunerEntry> enrol({
    .name = "description_length",
    .summary = "nodes end where their targets take fewer bits without the split (Mehta, Rissanen and Agrawal 1995)",
    .losses = false,
    .errors = ErrorsNeeded::squares,
    .options = {{.name = "precision",
                 .doc = "down to which numbers are distinguished; by default a hundredth of their standard deviation; not for classes",
                 .high = 1e300,
                 .zero = false,
                 .numbers_only = true}},
    .plan = &plan,
});

}  // namespace

}  // namespace tw
