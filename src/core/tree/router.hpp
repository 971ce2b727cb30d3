// Sends rows down a tree. A row ends in one leaf, or, where a missing cell is followed down all branches, in several with
// shares that add to one.
#pragma once

#include <span>
#include <vector>

#include "base/job_control.hpp"
#include "table/nonfinite.hpp"
#include "tree/tree.hpp"

namespace tw {

struct Routes {
  std::vector<i64> leaf;   // one per row; of several the one with the largest share (lowest number if equal)
  std::vector<i64> begin;  // empty if every row ends in one leaf; else row i owns [begin[i], begin[i + 1]) of the next two
  std::vector<i64> leaves;
  std::vector<double> shares;
  bool refused = false;  // a cell was met that may not be there; the rest is then without meaning
};

struct Routing {
  unsigned threads = 1;
  Nonfinite nonfinite = Nonfinite::nothing;  // cells that may not be there
  bool compact = true;                       // by the compact form where the tree has one; the leaves are the same
};

// `cells` has one view per column: numbers for numeric columns (NaN is missing), level numbers for nominal ones (anything that
// is not a level number is missing).
Routes route(const Tree& tree, const std::vector<View>& cells, u64 n_rows, const Routing& how, const JobControl& job);

// The nodes each row passes, ascending: row i owns [begin[i], begin[i + 1]) of `nodes`.
struct Paths {
  std::vector<i64> begin;
  std::vector<i32> nodes;
};

// Row i ends in leaves[ends[i] ... ends[i + 1]).
Paths paths(const Tree& tree, std::span<const i64> ends, std::span<const i64> leaves, unsigned threads);

}  // namespace tw
