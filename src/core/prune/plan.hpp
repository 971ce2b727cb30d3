// What a pruner decides: which nodes end, and which make way for one of their descendants. `carried_out` is the only place that acts on it.
#pragma once

#include <vector>

#include "base/job_control.hpp"
#include "search/searcher.hpp"
#include "tree/tree.hpp"

namespace tw {

// The rows a pruner looks at: cells as the tree's columns want them, targets and weights of the table.
struct PruneRows {
  std::vector<View> cells;
  const Table& table;
};

struct Plan {
  std::vector<u8> ends;        // by node: becomes a leaf
  std::vector<u32> stands_in;  // by node: itself, or the descendant that takes its place

  explicit Plan(const Tree& tree) : ends(tree.size(), 0), stands_in(tree.size()) {
    for (u32 i = 0; i < stands_in.size(); ++i) {
      stands_in[i] = i;
      ends[i] = tree.leaf(i);
    }
  }
  bool raises() const {
    for (u32 i = 0; i < stands_in.size(); ++i)
      if (stands_in[i] != i) return true;
    return false;
  }
};

// How rows that go down all branches are divided: as the others of these rows, or as those the tree was grown from.
enum class Parts : u8 { by_rows, by_tree };

// The rows of a node divided among its branches: missing cells as the split says, in parts where it says all branches.
struct Divided {
  std::vector<NodeRows> branches;
  NodeRows shared;           // rows that went down all branches, whole
  std::vector<i64> present;  // weight of the others, by branch
  // Of branches that end: what is not listed of them, by branch and class.
  std::vector<i64> counted;
};

// What is listed of a branch that ends, beside its parts of shared rows, which never are: its own rows, or nothing, or the former only
// where no rows are shared.
enum class Ended : u8 { listed, counted, counted_beside_shared };

// `ends`: by branch, those that end; may be empty. (Where counting would take more numbers than rows, all is listed.)
Divided divide_rows(const Tree& tree, const PruneRows& rows, u32 node, const NodeRows& here, Parts how = Parts::by_rows,
                    const std::vector<u8>& ends = {}, Ended ended = Ended::listed);

// All rows of the table.
NodeRows all_rows(const Table& table);

// The tree after the plan. Where a descendant took a node's place, what it says comes from all rows of that place: `searcher` describes it.
// `anew`: every node is described by these rows, which are not those it was grown from.
Tree carried_out(const Tree& tree, const Plan& plan, const PruneRows& rows, const Searcher& searcher, bool anew, const JobControl& job,
                 Parts how = Parts::by_rows);

}  // namespace tw
