// The best split of a column whose rows are summarised in several places.
#pragma once

#include <span>

#include "search/searcher.hpp"

namespace tw {

// Instance i of the node lies in piece `piece_of[i]`, a number from 0 up; without pieces the column is searched at once.
std::optional<Candidate> best_of_pieces(const Searcher& searcher, const NodeRows& node, Column column, std::span<const i64> piece_of);

}  // namespace tw
