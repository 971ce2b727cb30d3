#include "prune/limits.hpp"

namespace tw {

std::vector<u8> beyond_limits(const Tree& tree, const AfterLimits& limits) {
  const std::vector<u32> depth = depths(tree);
  std::vector<u8> ends(tree.size(), 0);
  for (std::size_t i = 0; i < tree.size(); ++i)
    ends[i] = !tree.leaf(i) && (depth[i] >= limits.max_depth || tree.weight[i] < limits.min_weight || tree.gain[i] < limits.min_gain);
  return ends;
}

}  // namespace tw
