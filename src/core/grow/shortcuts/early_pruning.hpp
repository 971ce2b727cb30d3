// Prunes nodes as soon as all below them has been grown, so that branches which pruning would take away again are not kept: splits that
// save no training error, and splits that are expected to make no fewer errors than a leaf. A shortcut only: what it cannot decide without
// the rows (a node whose largest branch is divided may make way for that branch), and all above it, is left to the pruner, which would
// have decided the same. Some nodes need not be grown at all, because no split of theirs could survive. Depth first only.
#pragma once

#include <vector>

#include "grow/settings.hpp"
#include "tree/builder.hpp"

namespace tw {

// What is known of a branch that has been grown.
struct Grown {
  double weight = 0;
  double errors = 0;    // as a leaf
  double below = 0;     // of its leaves, before pruning; at most, where it was not grown
  double least = 0;     // at least
  double expected = 0;  // of its leaves, where it is divided and that is known
  enum class State : u8 { absent, leaf, divided, unknown } state = State::absent;
};

inline Grown grown_leaf(double weight, double errors) { return {weight, errors, errors, errors, 0, Grown::State::leaf}; }

class EarlyPruner {
 public:
  // `least_branch`: what two branches of any split weigh at least.
  explicit EarlyPruner(const EarlyPruning& settings, double least_branch = 0)
      : settings_(settings), least_branch_(least_branch * (1 - 1e-6)) {}

  // Whether a node will end as a leaf however it is grown. What is expected without errors, n (1 - c^(1/n)), is concave in the weight:
  // with two branches of at least m, however much they are divided further and whatever is raised, no tree is expected to do better than
  // two leaves of m and n - m without errors.
  bool must_end(const Grown& leaf) const {
    constexpr double kRounding = 1e-6;
    if (!settings_.ends_nodes || !settings_.expected || leaf.errors > 1) return false;
    if (leaf.weight < 2 * least_branch_) return true;
    const double best = settings_.expected(least_branch_, 0) + settings_.expected(leaf.weight - least_branch_, 0);
    return settings_.expected(leaf.weight, leaf.errors) <= best + settings_.slack - kRounding;
  }

  // Whether something was left open that only growing everything can tell.
  bool doubtful() const { return doubtful_; }

  // What becomes of a node with these branches. A leaf: its split is to be undone.
  Grown outcome_of(double weight, double errors, const std::vector<Grown>& branches, std::size_t largest) {
    constexpr double kSaved = 1e-3;  // errors; both programs'
    double below = 0;
    double least = 0;
    for (const Grown& branch : branches) {
      below += branch.below;
      least += branch.least;
    }
    // The errors of the leaves that were there count further up, even where they are gone: both programs'.
    const bool useless = settings_.collapse && least >= errors - kSaved;
    Grown out = useless ? grown_leaf(weight, errors) : expect(weight, errors, branches, largest);
    out.below = below;
    out.least = least;
    // Branches that were not grown may or may not have saved an error. No matter, if pruning ends this node anyway.
    if (settings_.collapse && below >= errors - kSaved && out.state != Grown::State::leaf) doubtful_ = true;
    return out;
  }

  // Opens a node whose branches are being grown; those that are leaves from the start are known. `mark`: what the builder held before.
  void open(u32 node, const Builder::Mark& mark, double weight, double errors, std::vector<Grown> branches, std::size_t largest,
            std::size_t growing) {
    open_.push_back({node, mark, weight, errors, std::move(branches), largest, growing, {}});
    Open& now = open_.back();
    for (std::size_t b = 0; b < now.branches.size(); ++b)
      if (now.branches[b].state == Grown::State::unknown) now.order.push_back(b);
  }

  // A node has been divided: it waits for its branches, or its outcome is known at once where none is growing.
  void divided(u32 node, const Builder::Mark& mark, const Grown& here, std::vector<Grown> branches, std::size_t largest,
               std::size_t growing, Builder& builder) {
    if (growing > 0) return open(node, mark, here.weight, here.errors, std::move(branches), largest, growing);
    const Grown outcome = outcome_of(here.weight, here.errors, branches, largest);
    if (outcome.state == Grown::State::leaf) end(node, mark, outcome, builder);
    finished(outcome, builder);
  }

  // The next branch of the node that was opened last is finished; so are the nodes above that only waited for it.
  void finished(Grown branch, Builder& builder) {
    while (!open_.empty()) {
      Open& now = open_.back();
      now.branches[now.order[now.order.size() - now.growing]] = branch;
      if (--now.growing > 0) return;
      branch = outcome_of(now.weight, now.errors, now.branches, now.largest);
      if (branch.state == Grown::State::leaf) end(now.node, now.mark, branch, builder);
      open_.pop_back();
    }
  }

 private:
  static void end(u32 node, const Builder::Mark& mark, const Grown& outcome, Builder& builder) {
    builder.undo(node, mark);
    builder.note_saved(node, outcome.errors - outcome.below);
  }

  // The same for a split that saves errors.
  Grown expect(double weight, double errors, const std::vector<Grown>& branches, std::size_t largest) const {
    Grown out{weight, errors, 0, 0, 0, Grown::State::divided};
    if (!settings_.expected) return out;
    const bool may_raise = settings_.raising && branches[largest].state != Grown::State::leaf;
    for (const Grown& branch : branches) {
      if (branch.state == Grown::State::unknown || may_raise) {
        out.state = Grown::State::unknown;
        return out;
      }
      if (branch.state == Grown::State::leaf)
        out.expected += settings_.expected(branch.weight, branch.errors);
      else
        out.expected += branch.expected;
    }
    if (settings_.expected(weight, errors) <= out.expected + settings_.slack) {
      out.expected = 0;
      out.state = Grown::State::leaf;
    }
    return out;
  }

  struct Open {
    u32 node;
    Builder::Mark mark;
    double weight;
    double errors;
    std::vector<Grown> branches;
    std::size_t largest;
    std::size_t growing;             // branches that are not finished, the last ones of ...
    std::vector<std::size_t> order;  // ... those that are grown, in their order
  };
  const EarlyPruning& settings_;
  const double least_branch_;
  bool doubtful_ = false;
  std::vector<Open> open_;
};

}  // namespace tw
