// The plain engine: gathers the rows of a node, sorts or counts them, and carries everything: rows in fractions, any weights, any number of
// branches, any statistic, criteria written in Python.
#pragma once

#include <atomic>
#include <memory>
#include <span>
#include <vector>

#include "base/job_control.hpp"
#include "grow/chooser.hpp"
#include "grow/driver.hpp"
#include "grow/plain/node.hpp"
#include "search/proposer.hpp"
#include "tree/builder.hpp"
#include "tree/tree.hpp"

namespace tw {

class PlainEngine {
 public:
  using Node = PlainNode;
  using Spaces = std::span<PlainSpace>;

  PlainEngine(const Table& table, const GrowSettings& settings, JobControl& job);

  Tree run();
  // Whether nodes were ended early that had to be grown.
  bool doubtful() const { return doubtful_; }

  // The beginning, with these rows.
  Node root(NodeRows rows) const;
  void read(const Node& node, NodeTargets& targets) const { searcher_->read(node.rows, targets); }

  // ---- what the driver asks for ----

  std::optional<Candidate> examine(Node& node, Builder& builder, Spaces& spaces);
  // Of a class target the classes of a branch are known before its rows are: if they make it a leaf, no rows are gathered. With early
  // pruning the node may stay as it is.
  template <class Add>
  void divide(Node& node, Candidate& chosen, Builder& builder, Spaces& spaces, const Add& add) {
    auto children = branches_to_grow(node, chosen, builder, spaces);
    add_in_order(settings_.order(), children, add);
  }
  void end(const Node& node, Builder& builder, Spaces& spaces);
  void describe(Node& node, Builder& builder, Spaces& spaces);
  double urgency(const Node& node, const Candidate& chosen, Spaces& spaces) const {
    return targets_of(node, spaces).facts.weight * chosen.gain;
  }
  std::size_t rows(const Node& node) const { return node.rows.rows.size(); }

  // One node for every branch; some may hold no rows.
  std::vector<Node> branches(Node& node, const NodeTargets& targets, Candidate& chosen) const;

 private:
  const NodeTargets& targets_of(const Node& node, Spaces& spaces) const { return node.targets ? *node.targets : spaces[0].targets; }
  void list_numbers(NodeRows& node, Scratch& scratch) const;
  Spaces team_for(const Node& node, Spaces spaces) const;
  std::vector<Node> branches_to_grow(Node& node, Candidate& chosen, Builder& builder, Spaces& spaces);
  void add_surrogates(const Node& node, const NodeTargets& targets, Candidate& chosen, Spaces spaces) const;
  Node child_of(const Node& node, const Candidate& chosen, u32 branch, NodeRows rows) const;
  void read_branch(NodeTargets& child, const NodeTargets& above, const i64* weights) const;
  bool ends(NodeTargets& child, const NodeTargets& above, const i64* weights, u32 depth) const;
  Grown as_leaf(const i64* weights, std::size_t classes) const;
  Grown as_leaf(const NodeTargets& targets) const { return as_leaf(targets.class_total.data(), targets.classes.size()); }

  const Table& table_;
  const GrowSettings& settings_;
  JobControl& job_;
  const ChooserEntry& chooser_;
  std::unique_ptr<Searcher> searcher_;
  std::vector<std::unique_ptr<Proposer>> proposers_;
  std::vector<PlainSpace> spaces_;
  bool numbers_;  // there are numeric columns
  std::atomic<bool> doubtful_ = false;
};

// What the plain engine wants to know of the columns.
void prepare_columns(Table& table, const GrowSettings& settings);

}  // namespace tw
