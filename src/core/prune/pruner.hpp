// What a pruner's file enrols: its name, what it needs, its options, and the functions that decide. Everything else (checks, messages,
// paths, carrying the plan out) is shared and read off these facts.
#pragma once

#include <string>
#include <vector>

#include "base/job_control.hpp"
#include "base/registry.hpp"
#include "prune/costs.hpp"
#include "prune/option.hpp"
#include "prune/plan.hpp"

namespace tw {

// Which rows a method looks at: none beside what the nodes remember; a pruning set, as one loss per node; or the training rows.
enum class RowsNeeded : u8 { none, pruning, training };
inline constexpr const char* kRowsNeededNames[] = {"none", "pruning", "training"};

// What a method must be able to take errors for: anything, means over rows, or, of numbers, means of squares.
enum class ErrorsNeeded : u8 { any, means, squares };
inline constexpr const char* kErrorsNeededNames[] = {"any", "means", "squares"};

struct PruneInput {
  const Tree& tree;
  const Costs& costs;
  const OptionValues& options;
  const JobControl& job;
  std::vector<double> loss = {};    // by node: losses of the pruning set if the node were a leaf; empty without such rows
  const PruneRows* rows = nullptr;  // the training rows
};

struct PrunerEntry {
  std::string name;
  std::string summary;  // one line, with its source
  RowsNeeded rows = RowsNeeded::none;
  bool classes_only = false;
  bool losses = true;  // takes a matrix of losses into account
  ErrorsNeeded errors = ErrorsNeeded::means;
  std::vector<PrunerOption> options = {};
  // The tree of a method that chooses from no path.
  Plan (*plan)(const PruneInput&) = nullptr;
  // By node, for methods with a path of nested trees: the key at which it ends; infinite: never. Keys never rise from a node to one below
  // it.
  std::vector<double> (*keys)(const PruneInput&) = nullptr;
  bool keys_by_rows = false;  // keys are found by the pruning set
  bool above_keys = false;    // a node ends above its key, not at it
};

const PrunerEntry& pruner_entry(const std::string& name);

std::vector<double> keys_of(const PrunerEntry& pruner, const PruneInput& input);

// The tree after a method that chooses from no path, or is given an option that says how far to go. `anew`: the rows are not those the tree
// was grown from, and all its nodes are described by them.
Tree pruned(const PrunerEntry& pruner, const PruneInput& input, bool anew);

}  // namespace tw
