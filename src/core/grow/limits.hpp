// When a node is to be a leaf, and the candidates that are kept for show: shared by the engines.
#pragma once

#include "grow/settings.hpp"
#include "tree/builder.hpp"

namespace tw {

inline bool stops(const GrowSettings& settings, u32 depth, const NodeTargets& targets) {
  return targets.pure || depth >= settings.max_depth || targets.facts.weight < settings.min_split ||
         (settings.min_impurity && targets.facts.impurity <= *settings.min_impurity) ||
         (settings.purity < 1 && targets.largest_share >= settings.purity);
}

// Whether a split gains enough; `share` is the node's part of all weight.
inline bool enough(const GrowSettings& settings, double gain, double share) {
  return gain >= settings.min_gain && share * gain >= settings.min_decrease;
}

void keep_candidates(u32 node, const std::vector<Candidate>& candidates, std::size_t pick, bool taken, Builder& builder);

std::vector<TreeColumn> tree_columns(const Table& table);

}  // namespace tw
