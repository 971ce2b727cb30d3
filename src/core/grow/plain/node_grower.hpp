// The plain engine node by node, on one thread: for those who follow some branches only. No early pruning.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/job_control.hpp"
#include "grow/plain/node.hpp"
#include "grow/settings.hpp"

namespace tw {

class PlainEngine;
class ShrinkingRows;

class NodeGrower {
 public:
  NodeGrower(Table table, GrowSettings settings, JobControl& job);
  ~NodeGrower();
  NodeGrower(const NodeGrower&) = delete;
  NodeGrower& operator=(const NodeGrower&) = delete;

  // The beginning: the rows that are left.
  PlainNode root() const;
  // Takes these weights off these rows for all beginnings to come.
  void take(std::span<const Row> rows, std::span<const i64> weights);
  // Reads the targets of a node; its split, or nothing if it is to be a leaf.
  std::optional<Candidate> examine(PlainNode& node, NodeTargets& targets);
  // Reads the targets alone.
  void read(const PlainNode& node, NodeTargets& targets) const;
  // One node for every branch; some may hold no rows.
  std::vector<PlainNode> divide(PlainNode& node, const NodeTargets& targets, Candidate& chosen);

 private:
  Table table_;
  GrowSettings settings_;
  PlainSpace space_;
  std::unique_ptr<PlainEngine> engine_;
  std::unique_ptr<ShrinkingRows> left_;
};

}  // namespace tw
