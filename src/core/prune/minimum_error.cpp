// Minimum-error pruning: a node ends if the error to expect of it is no larger than that of its branches, weighted (Niblett and Bratko 1986
// by Laplace's estimate; Cestnik and Bratko 1991 by the m-estimate; for numbers Karalič and Cestnik 1991).
#include <algorithm>
#include <limits>

#include "base/errors.hpp"
#include "prune/estimate.hpp"
#include "prune/pruner.hpp"

namespace tw {

namespace {

std::vector<double> root_shares(const Tree& tree) {
  std::vector<double> share(tree.n_classes, 0);
  const Tree::Range classes = tree.classes(0);
  for (std::size_t c = classes.begin; c < classes.end; ++c) share[tree.class_id[c]] = tree.class_weight[c] / weight_at(tree, 0);
  return share;
}

// The least loss of any answer where rows of each class weigh this much.
double least_loss(const std::vector<double>& weight, const std::vector<double>& loss) {
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t answer = 0; answer < weight.size(); ++answer) {
    double sum = 0;
    for (std::size_t truth = 0; truth < weight.size(); ++truth) sum += weight[truth] * loss[truth * weight.size() + answer];
    least = std::min(least, sum);
  }
  return least;
}

double of_classes(const Tree& tree, std::size_t node, std::optional<double> m, const std::vector<double>& prior, double likeliest,
                  const std::vector<double>& loss) {
  const double n = weight_at(tree, node);
  const double lent = m ? *m : tree.n_classes;
  if (n + lent == 0) return 0;
  const double equal = 1.0 / tree.n_classes;
  const Tree::Range classes = tree.classes(node);
  if (!loss.empty()) {
    std::vector<double> weight(tree.n_classes, 0);
    for (std::size_t k = 0; k < weight.size(); ++k) weight[k] = lent * (m ? prior[k] : equal);
    for (std::size_t c = classes.begin; c < classes.end && n > 0; ++c) weight[tree.class_id[c]] += tree.class_weight[c];
    return least_loss(weight, loss) / (n + lent);
  }
  if (!m) return (errors_at(tree, node) + tree.n_classes - 1) / (n + tree.n_classes);
  // Classes that do not occur here have what the root lends them, of which the likeliest has most.
  double most = *m * likeliest;
  for (std::size_t c = classes.begin; c < classes.end && n > 0; ++c)
    most = std::max(most, tree.class_weight[c] + *m * prior[tree.class_id[c]]);
  return 1 - most / (n + *m);
}

// By node, the loss to expect of the best answer it could give as a leaf. Without `m`, class shares are (n_k + 1) / (n + K) of K declared
// classes, so that the expected error is (errors + K - 1) / (n + K). With it, class shares (or mean and variance) are drawn towards the
// root's as if m more rows had come from there.
std::vector<double> expected_error(const Tree& tree, std::optional<double> m, const Costs& costs) {
  std::vector<double> out(tree.size(), 0);
  const std::vector<double> prior = root_shares(tree);
  const double likeliest = prior.empty() ? 0 : *std::max_element(prior.begin(), prior.end());
  for (std::size_t i = 0; i < tree.size(); ++i) {
    if (tree.n_classes > 0) {
      out[i] = of_classes(tree, i, m, prior, likeliest, costs.loss);
      continue;
    }
    const double n = tree.weight[i];
    if (n + *m == 0) continue;
    const double a = n / (n + *m);
    const double d = tree.value[i] - tree.value[0];
    out[i] = a * tree.impurity[i] + (1 - a) * tree.impurity[0] + a * (1 - a) * d * d;
  }
  return out;
}

Plan plan(const PruneInput& input) {
  const Tree& tree = input.tree;
  const std::optional<double> m = input.options.maybe("m");
  if (!m && tree.n_classes == 0) throw Invalid("'minimum_error' without m counts classes, this tree predicts numbers: give m, such as m=2");
  constexpr double kRounding = 1e-12;
  const std::vector<double> expected = expected_error(tree, m, input.costs);
  std::vector<u8> ends(tree.size(), 0);
  std::vector<double> kept = expected;
  for (std::size_t i = tree.size(); i-- > 0;) {
    if (tree.leaf(i)) continue;
    double sum = 0;
    double weight = 0;
    for (std::size_t c = tree.first_child[i]; c < tree.first_child[i] + tree.n_children[i]; ++c) {
      const double n = weight_at(tree, c);
      sum += n * kept[c];
      weight += n;
    }
    const double below = weight > 0 ? sum / weight : expected[i];
    ends[i] = expected[i] <= below + kRounding * below;
    if (!ends[i]) kept[i] = below;
  }
  return {tree, ends};
}

const Enrol<PrunerEntry> enrol({
    .name = "minimum_error",
    .summary = "by the errors to expect (Niblett and Bratko 1986; Cestnik and Bratko 1991; for numbers Karalič and Cestnik 1991)",
    .errors = ErrorsNeeded::squares,
    .options = {{.name = "m",
                 .doc = "rows that the root lends every node; without it Laplace's estimate, which is for classes only",
                 .high = 1e300}},
    .plan = &plan,
});

}  // namespace

}  // namespace tw
