// Finds splits that save no training error, bottom up.
#include "prune/collapse.hpp"

#include <stdexcept>

#include "prune/estimate.hpp"

namespace tw {

std::vector<u8> useless_splits(const Tree& tree) {
  if (tree.n_classes == 0) throw std::invalid_argument("splits that mend no error are found in trees of classes only");
  constexpr double kEpsilon = 1e-3;  // both programs'
  std::vector<double> below(tree.size(), 0);
  std::vector<u8> cut(tree.size(), 0);
  for (const auto& [leaf, errors] : tree.saved) below[leaf] = -errors;
  for (std::size_t i = tree.size(); i-- > 0;) {
    const double here = errors_at(tree, i);
    if (tree.leaf(i))
      below[i] += here;
    else
      cut[i] = below[i] >= here - kEpsilon;
    if (i > 0) below[static_cast<std::size_t>(tree.parent[i])] += below[i];
  }
  return cut;
}

}  // namespace tw
