// The walk of some rows through a tree by which contributions are found, once per instruction set: the same numbers, more of them at once
// (AVX2 gains nothing over the plain one).
//
// Take a set S of columns. The tree answers for S if a node on a column of S sends the row where its test sends it (in shares b of its
// branches), and a node on any other column sends it down all branches (in shares s: those of the training rows, or where another row
// goes). So a leaf counts as the product over the columns of its way of either b or s, each multiplied over the nodes on that column.
// Shapley's value weighs the sets by how large they are, and the weights are an integral (Owen 1972): let every column be in S with
// probability t, then
//   contribution of j = integral from 0 to 1 over t of d answer / d (probability of j alone).
// Under that integral stands a polynomial of a degree below the number of columns on a way, so that a quadrature of half as many points is
// exact; all factors lie between 0 and 1, so that nothing cancels however deep the tree is. At a node, given t,
//   u = the probability that its column is not in S, given that the row has come here: 1 - t if the column was not asked before,
//   r = u s + (1 - u) b is the share of the row that takes a branch, and u s / r the probability below it,
//   (b - s) u (1 - u) / (t (1 - t)) times the share that has come here times what the branch answers is what it adds to its column.
#pragma once

#include "base/types.hpp"

namespace tw {

inline constexpr u32 kLanes = 8;  // rows abreast

struct WalkStep {
  double cut = 0;            // of a plain cut: x <= cut takes the first of two branches
  double missing_first = 0;  // of a plain cut: the share of the first branch where the cell is missing
  u32 column = 0;
  i32 above = -1;  // the level of the step above it that asks for the same column last
  u32 first_branch = 0;
  u32 n_branches = 0;
  i32 asked = -1;  // where shares of the branches stand that are asked for before; -1: a plain cut
};

struct WalkBranch {
  double share = 0;  // of the training rows
  i32 step = -1;     // the step it leads to; -1: a leaf
  u32 begin = 0;     // of a leaf: what it says
  u32 end = 0;
  bool again = false;  // the column is asked for again below
};

struct WalkEntry {
  u32 sum = 0;
  double value = 0;
};

// Rows that go through a tree: cells (columns x lanes) and the shares that were asked for (x lanes).
struct WalkRows {
  const double* cells = nullptr;
  const double* asked = nullptr;
};

struct Walk {
  const WalkStep* steps = nullptr;
  const WalkBranch* branches = nullptr;
  const WalkEntry* entries = nullptr;
  u32 n_points = 0;
  const double* at = nullptr;
  const double* weight = nullptr;
  const double* again = nullptr;  // weight / (t (1 - t))
  u32 n_sums = 0;

  WalkRows rows;
  WalkRows others;  // with cells: where these go stands for the training shares, lane by lane

  double* scratch = nullptr;  // walk_scratch() of them
  u32* places = nullptr;      // two per level
  double* sums = nullptr;     // columns x sums x lanes, which are added to
};

constexpr std::size_t walk_level(u32 n_points, u32 n_sums) { return std::size_t{kLanes} * (n_points * (4 + std::size_t{n_sums}) + 2); }
constexpr std::size_t walk_scratch(u32 levels, u32 n_points, u32 n_sums) { return (levels + 1) * walk_level(n_points, n_sums); }

using WalkFunction = void (*)(const Walk& walk);

// That of the instruction set in use.
WalkFunction contribution_walk();
WalkFunction contribution_walk_avx512();

}  // namespace tw
