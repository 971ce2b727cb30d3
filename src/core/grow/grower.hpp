// From a table to a tree.
#pragma once

#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "base/job_control.hpp"
#include "grow/settings.hpp"
#include "tree/tree.hpp"

namespace tw {

// Grows a tree; the same one for any number of threads. Columns of `table` may be discretised in place.
Tree grow(Table& table, GrowSettings settings, JobControl& job);

// One node of a tree that is grown step by step.
struct Task {
  u32 node = 0;
  u32 depth = 0;
  u64 path = 0;
  NodeRows rows;
  std::vector<Column> spent;                  // columns that may be used once per path and have been
  std::vector<std::pair<Column, u32>> steps;  // kept only where somebody asks for it
};

class Grower;

// The same decisions node by node, by the plain engine and on one thread: for those who follow some branches only. No pruner may have
// closed branches beforehand.
class NodeGrower {
 public:
  NodeGrower(Table& table, GrowSettings settings, JobControl& job);
  ~NodeGrower();
  NodeGrower(const NodeGrower&) = delete;
  NodeGrower& operator=(const NodeGrower&) = delete;

  // The beginning, with these rows.
  Task root(NodeRows rows) const;
  // Reads the targets of a node; its split, or nothing if it is to be a leaf.
  std::optional<Candidate> look(Task& task, NodeTargets& targets);
  // Reads the targets alone.
  void read(const Task& task, NodeTargets& targets) const;
  // One node for every branch; some may hold no rows.
  std::vector<Task> divide(Task& task, const NodeTargets& targets, Candidate& chosen);

 private:
  GrowSettings settings_;
  std::unique_ptr<Grower> grower_;
};

}  // namespace tw
