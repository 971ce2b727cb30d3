// The second step of C4.5rules: of the rules of one class, those that together with their exceptions are the shortest to describe.
#pragma once

#include <vector>

#include "rules/paths.hpp"

namespace tw {

// Positions among the drafts. All subsets are tried of up to ten rules; of more, what climbing or annealing finds.
std::vector<std::size_t> best_subset(const std::vector<Draft>& drafts, u32 label, const WeightedRows& rows, const SelectSettings& settings,
                                     const JobControl& job);

}  // namespace tw
