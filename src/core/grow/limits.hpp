// When a node is to be a leaf, and the candidates that are kept for show: shared by the engines.
#pragma once

#include <algorithm>

#include "grow/settings.hpp"
#include "tree/builder.hpp"

namespace tw {

inline bool stops(const GrowSettings& settings, u32 depth, const NodeTargets& targets) {
  return targets.pure || depth >= settings.max_depth || targets.facts.weight < settings.min_split ||
         (settings.min_impurity && targets.facts.impurity <= *settings.min_impurity) ||
         (settings.purity < 1 && targets.largest_share >= settings.purity);
}

// Whether the chosen split of a node of `weight` gains enough, and two of its branches hold enough, missing rows in parts; `all` is the
// weight of all rows.
inline bool enough(const GrowSettings& settings, const Candidate& chosen, double weight, double all) {
  if (settings.min_branch > 0) {
    i64 present = 0;
    for (const i64 w : chosen.branch_present) present += w;
    const double least = (settings.min_branch - 1e-6) / weight * static_cast<double>(present);
    const auto holds = [&](i64 w) { return static_cast<double>(w) >= least; };
    if (std::count_if(chosen.branch_present.begin(), chosen.branch_present.end(), holds) < 2) return false;
  }
  return chosen.gain >= settings.min_gain && weight / all * chosen.gain >= settings.min_decrease;
}

// Whether every branch that holds rows holds the weight that is asked of all of them.
inline bool all_heavy(const GrowSettings& settings, const Table& table, const Candidate& candidate) {
  const double least = settings.min_every * (1 - 1e-6);
  const auto light = [&](i64 weight) { return weight > 0 && table.weights.plain(weight) < least; };
  return std::none_of(candidate.branch_present.begin(), candidate.branch_present.end(), light);
}

// Whether candidates are kept for show.
inline bool keeps_some(const GrowSettings& settings) { return settings.keep_candidates || settings.max_competitors > 0; }

// Keeps all candidates, or the chosen one and its best competitors, as the settings say.
void keep_candidates(const GrowSettings& settings, u32 node, const std::vector<Candidate>& candidates, std::size_t pick, bool taken,
                     Builder& builder);

std::vector<TreeColumn> tree_columns(const Table& table);

}  // namespace tw
