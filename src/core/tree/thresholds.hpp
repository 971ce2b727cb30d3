// Moves thresholds without changing which training row goes where.
#pragma once

#include <vector>

#include "table/bins.hpp"
#include "tree/tree.hpp"

namespace tw {

// Every threshold `x <= t` at the largest value of its column in the table that is at most t (Quinlan 1993: thresholds occur in the data).
Tree at_training_values(Tree tree, const std::vector<View>& cells, u64 n_rows);

// The same of several trees of one table, in one pass over its cells.
void move_to_training_values(const std::vector<Tree*>& trees, const std::vector<View>& cells, u64 n_rows);

// Of a tree that was grown over codes of bins: the thresholds among the values again, by column. A cut between two codes lies between the
// largest value of the bins below and the least of those above.
Tree among_values(Tree tree, const std::vector<Bins>& bins);

}  // namespace tw
