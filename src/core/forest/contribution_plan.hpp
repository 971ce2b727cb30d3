// A tree as contributions read it: inner nodes as steps, with what is known of every branch before a row is seen.
#pragma once

#include <span>
#include <vector>

#include "forest/answers.hpp"
#include "forest/contribution_walk.hpp"
#include "forest/quadrature.hpp"
#include "tree/branch.hpp"

namespace tw {

// The share of a row that goes to the first branch of a node, by its cell: linear between points, constant outside.
struct SoftGate {
  u32 node = 0;
  std::vector<double> at, share;

  double first(double x) const;
};

class ContributionPlan {
 public:
  // What nodes say is multiplied by `scale`. Gates are those of the member; both outlive the plan.
  ContributionPlan(const Member& member, std::span<const SoftGate> gates, double scale, u32 n_sums);

  // Shares in which the rows of lanes take the branches of the steps that are no plain cuts: n_asked() x lanes.
  void ask(const std::vector<View>& lanes, double* shares) const;

  // The parts of a walk that depend on the tree alone; without steps there is nothing to walk.
  Walk walk() const;

  bool leaf() const { return steps_.empty(); }
  u32 n_asked() const { return n_asked_; }
  std::size_t n_scratch() const { return walk_scratch(depth_, static_cast<u32>(points_.at.size()), n_sums_); }
  std::size_t n_places() const { return 2 * (std::size_t{depth_} + 1); }

  // What the tree says if nothing is known of a row: the mean of its leaves by training weight.
  const std::vector<double>& base() const { return base_; }

 private:
  struct Asked {
    u32 node;
    u32 step;
    const SoftGate* gate;
    NodeTest test;
  };

  void add_step(u32 node, const SoftGate* gate);
  void number_ways();
  void weigh(double scale);

  const Member& member_;
  const Tree& tree_;
  u32 n_sums_;
  std::vector<WalkStep> steps_;  // the root first, parents before their branches
  std::vector<WalkBranch> branches_;
  std::vector<WalkEntry> entries_;
  std::vector<Asked> asked_;
  std::vector<double> base_;
  u32 depth_ = 0;
  u32 n_asked_ = 0;
  Quadrature points_;
  std::vector<double> again_;  // weights of the quadrature over t (1 - t)
};

}  // namespace tw
