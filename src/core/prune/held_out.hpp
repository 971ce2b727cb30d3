// Losses of rows at every node of a tree if it were a leaf: rows it was not grown from, or those it was.
#pragma once

#include <vector>

#include "base/job_control.hpp"
#include "prune/costs.hpp"
#include "table/table.hpp"
#include "tree/tree.hpp"

namespace tw {

struct Losses {
  std::vector<double> weight;  // of the rows that pass the node, as their classes count
  std::vector<double> loss;    // their losses if the node answered for them
  std::vector<double> square;  // squares of these losses, for their standard error
};

// A row that goes down several branches counts in fractions. A class that the tree has not seen (n_classes and above) is always wrong, at
// the highest loss there is. Deviances are halved; a node that predicts 0 is judged on rows with events as if it had seen half an event.
Losses held_out(const Tree& tree, const std::vector<View>& cells, const Table& rows, const Costs& costs, unsigned threads,
                const JobControl& job);

enum class Risk : u8 { error, impurity };

// The same for the rows the tree was grown from, by the figures of its nodes: losses, or impurity times weight.
std::vector<double> own_risk(const Tree& tree, Risk risk, const Costs& costs);

}  // namespace tw
