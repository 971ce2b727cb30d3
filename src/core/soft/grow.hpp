// Growing a soft tree node by node (Irsoy, Yildiz and Alpaydin 2012): a leaf becomes a gate with two leaves, of which only the new
// parameters are trained, and stays one where rows held out are answered better; and training all parameters of a tree together.
#pragma once

#include "base/job_control.hpp"
#include "soft/model.hpp"
#include "soft/objective.hpp"

namespace tw {

struct SoftSettings {
  double penalty = 1;    // on squared weights of columns and squared answers, in rows
  u32 restarts = 3;      // random gates that training begins with, beside the best cuts
  u32 iterations = 100;  // of training a gate, at most
  u32 max_depth = 10;
  double min_leaf = 1;           // the weight that must reach both new leaves
  double least_improvement = 0;  // of the loss on rows held out
  bool from_start = true;        // whether training all parameters together may end where it begins
  u64 seed = 0;
  unsigned threads = 1;
};

// The tree of some rows; `held` decide how far it grows, and none of them means that the rows themselves do.
SoftTree grow_soft(const SoftRows& rows, const SoftRows& held, const SoftSettings& settings, JobControl& job);

// The same tree trained once more, node by node in the order in which it grew, each gate from where it was.
SoftTree retrain_soft(const SoftRows& rows, const SoftTree& tree, const SoftSettings& settings, JobControl& job);

// All parameters trained together from where they are: for as many iterations as answer the rows held out best, which are then counted
// among the others.
struct Refined {
  SoftTree tree;
  u32 iterations = 0;
};
// `free`: which parameters are trained; empty: every one.
Refined refine_soft(const SoftRows& rows, const SoftRows& held, const SoftRows& all, const SoftTree& tree, const std::vector<u8>& free,
                    const SoftSettings& settings, JobControl& job);

}  // namespace tw
