// What a pruner decides: which nodes end, and which make way for one of their descendants. Only `carried_out` acts on it.
#pragma once

#include <string>
#include <vector>

#include "base/job_control.hpp"
#include "search/node_rows.hpp"
#include "table/table.hpp"
#include "tree/tree.hpp"

namespace tw {

// The rows a pruner looks at: cells as the tree's columns want them, targets and weights of the table.
struct PruneRows {
  std::vector<View> cells;
  const Table& table;
};

struct Plan {
  std::vector<u8> ends;          // by node: becomes a leaf
  std::vector<u32> replaced_by;  // by node: itself, or the descendant that takes its place

  explicit Plan(const Tree& tree) : ends(tree.size(), 0), replaced_by(tree.size()) {
    for (u32 i = 0; i < replaced_by.size(); ++i) {
      replaced_by[i] = i;
      ends[i] = tree.leaf(i);
    }
  }
  // These nodes end, and nothing else changes.
  Plan(const Tree& tree, const std::vector<u8>& ended) : Plan(tree) {
    for (std::size_t i = 0; i < ends.size(); ++i) ends[i] = ends[i] || ended[i];
  }
  bool raises() const {
    for (u32 i = 0; i < replaced_by.size(); ++i)
      if (replaced_by[i] != i) return true;
    return false;
  }
};

// Which weights give the fractions of a row that goes down all branches: of these rows, or of those the tree was grown from.
enum class FractionBasis : u8 { these_rows, tree };

// The rows of a node divided among its branches: missing cells as the split says, in fractions where it says all branches.
struct BranchRows {
  std::vector<NodeRows> branches;
  NodeRows shared;           // rows that went down all branches, whole
  std::vector<i64> present;  // weight of the others, by branch
  // Of branches that end: what is not listed of them, by branch and class.
  std::vector<i64> counted;
};

// What is listed of a branch that ends, beside its fractions of shared rows, which never are: its own rows, or nothing, or the former only
// where no rows are shared.
enum class EndedRows : u8 { listed, counted, counted_beside_shared };

// `ends`: by branch, those that end; may be empty. (Where counting would take more numbers than rows, all is listed.)
BranchRows divide_rows(const Tree& tree, const PruneRows& rows, u32 node, const NodeRows& here,
                       FractionBasis basis = FractionBasis::these_rows, const std::vector<u8>& ends = {},
                       EndedRows ended = EndedRows::listed);

// All rows of the table.
NodeRows all_rows(const Table& table);

// What nodes that get other rows are described by: the criterion of their impurity, and what a row of each class counts (empty: one each).
struct DescribedBy {
  std::string criterion;
  std::vector<double> factor = {};
};

// The tree after the plan. Where a descendant took a node's place, its figures come from all rows of that place. `anew`: every node is
// described by these rows, which are not those it was grown from, and knows their levels.
Tree carried_out(const Tree& tree, const Plan& plan, const PruneRows& rows, const DescribedBy& by, bool anew, const JobControl& job,
                 FractionBasis basis = FractionBasis::these_rows);

}  // namespace tw
