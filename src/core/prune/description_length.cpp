#include "prune/description_length.hpp"

#include <algorithm>
#include <cmath>

#include "base/numbers.hpp"
#include "prune/estimate.hpp"

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

}  // namespace

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
    else if (family == Family::subset || family == Family::grouped)
      bits[i] += tree.n_children[i] == 2 ? levels - 1 : levels * log2_of(tree.n_children[i]);
  }
  return bits;
}

std::vector<u8> description_length(const Tree& tree, const std::vector<double>& leaf, const std::vector<double>& split) {
  std::vector<u8> ends(tree.size(), 0);
  std::vector<double> below(tree.size(), 0);
  for (std::size_t i = tree.size(); i-- > 0;) {
    const double as_split = split[i] + below[i];
    ends[i] = !tree.leaf(i) && leaf[i] <= as_split;
    const double bits = 1 + (tree.leaf(i) || ends[i] ? leaf[i] : as_split);
    if (i > 0) below[static_cast<std::size_t>(tree.parent[i])] += bits;
  }
  return ends;
}

}  // namespace tw
