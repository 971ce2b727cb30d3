// What rows say about every node of a tree, were it a leaf: rows it was not grown from, or those it was.
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

// A row that goes down several branches counts in parts. A class the tree does not know (n_classes and above) is always wrong, at the
// highest price there is. Deviances are halved; of a node that says 0, rows with events are judged as if it had seen half an event.
Losses held_out(const Tree& tree, const std::vector<View>& cells, const Table& rows, const Costs& costs, unsigned threads,
                const JobControl& job);

enum class Risk : u8 { error, impurity };

// The same for the rows the tree was grown from, by what its nodes remember of them: losses, or impurity times weight.
std::vector<double> own_risk(const Tree& tree, Risk risk, const Costs& costs);

}  // namespace tw
