// The second step of C4.5rules: of the rules of one class, those that together with their exceptions are the shortest to describe.
#pragma once

#include <vector>

#include "rules/library_draws.hpp"
#include "rules/paths.hpp"

namespace tw {

// Indices of the drafts. Of up to ten rules all subsets are tried; of more, hill climbing or annealing searches. Draws go on from class to
// class.
std::vector<std::size_t> best_subset(const std::vector<Draft>& drafts, u32 label, const WeightedRows& rows, bool annealed,
                                     LibraryDraws& draws, const JobControl& job);

}  // namespace tw
