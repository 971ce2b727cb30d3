#include "prune/minimum_error.hpp"

#include <algorithm>

#include "base/errors.hpp"
#include "prune/estimate.hpp"

namespace tw {

namespace {

std::vector<double> root_shares(const Tree& tree) {
  std::vector<double> share(tree.n_classes, 0);
  const Tree::Range classes = tree.classes(0);
  for (std::size_t c = classes.begin; c < classes.end; ++c) share[tree.class_id[c]] = tree.class_weight[c] / tree.weight[0];
  return share;
}

}  // namespace

std::vector<double> expected_error(const Tree& tree, std::optional<double> m) {
  if (!m && tree.n_classes == 0) throw Invalid("the expected error of numbers needs m");
  std::vector<double> out(tree.size(), 0);
  const std::vector<double> prior = root_shares(tree);
  const double likeliest = prior.empty() ? 0 : *std::max_element(prior.begin(), prior.end());
  for (std::size_t i = 0; i < tree.size(); ++i) {
    const double n = tree.weight[i];
    if (!m) {
      out[i] = (errors_at(tree, i) + tree.n_classes - 1) / (n + tree.n_classes);
    } else if (n + *m == 0) {
      out[i] = 0;
    } else if (tree.n_classes > 0) {
      // Classes that do not occur here have what the root lends them, of which the likeliest has most.
      double most = *m * likeliest;
      const Tree::Range classes = tree.classes(i);
      for (std::size_t c = classes.begin; c < classes.end && n > 0; ++c)
        most = std::max(most, tree.class_weight[c] + *m * prior[tree.class_id[c]]);
      out[i] = 1 - most / (n + *m);
    } else {
      const double a = n / (n + *m);
      const double d = tree.value[i] - tree.value[0];
      out[i] = a * tree.impurity[i] + (1 - a) * tree.impurity[0] + a * (1 - a) * d * d;
    }
  }
  return out;
}

std::vector<u8> minimum_error(const Tree& tree, const std::vector<double>& expected) {
  constexpr double kRounding = 1e-12;
  std::vector<u8> ends(tree.size(), 0);
  std::vector<double> kept = expected;
  for (std::size_t i = tree.size(); i-- > 0;) {
    if (tree.leaf(i)) continue;
    double sum = 0;
    double weight = 0;
    for (std::size_t c = tree.first_child[i]; c < tree.first_child[i] + tree.n_children[i]; ++c) {
      sum += tree.weight[c] * kept[c];
      weight += tree.weight[c];
    }
    const double below = weight > 0 ? sum / weight : expected[i];
    ends[i] = expected[i] <= below + kRounding * below;
    if (!ends[i]) kept[i] = below;
  }
  return ends;
}

}  // namespace tw
