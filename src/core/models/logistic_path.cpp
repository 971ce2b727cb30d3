// The nested trees of cost-complexity pruning, the weakest node cut at every step.
#include "models/logistic_path.hpp"

#include <limits>

namespace tw {

namespace {

constexpr double kInfinite = std::numeric_limits<double>::max();

class Pruning {
 public:
  explicit Pruning(PathInput input) : in_(std::move(input)), alpha_(in_.tree.size(), kInfinite), leaf_(in_.tree.size()) {
    // The order in which a recursion would visit the nodes: of equal alphas the first is taken.
    std::vector<std::size_t> open{0};
    while (!open.empty()) {
      const std::size_t node = open.back();
      open.pop_back();
      order_.push_back(node);
      for (u32 b = in_.tree.n_children[node]; b-- > 0;) open.push_back(in_.tree.first_child[node] + b);
    }
    for (std::size_t i = 0; i < leaf_.size(); ++i) leaf_[i] = in_.tree.leaf(i) || in_.cut_at_once[i];
    update();
  }

  // Calls visit(node) of every inner node that is still there.
  template <class Visit>
  void each_inner(Visit&& visit) const {
    std::vector<u8> below(leaf_.size(), 0);
    for (const std::size_t node : order_) {
      const i32 up = in_.tree.parent[node];
      below[node] = up >= 0 && (below[static_cast<std::size_t>(up)] || leaf_[static_cast<std::size_t>(up)]);
      if (!below[node] && !leaf_[node]) visit(node);
    }
  }

  // The inner node of the least alpha, or none.
  std::size_t weakest() const {
    std::size_t found = kNone;
    each_inner([&](std::size_t node) {
      if (found == kNone || alpha_[node] < alpha_[found]) found = node;
    });
    return found;
  }
  void cut(std::size_t node) { leaf_[node] = 1; }

  // Errors and leaves of all subtrees as they are; then, from the root down, alphas; subtrees that save nothing are cut.
  void update() {
    const Tree& tree = in_.tree;
    std::vector<double> errors(tree.size(), 0);
    std::vector<double> leaves(tree.size(), 0);
    for (std::size_t node = tree.size(); node-- > 0;) {
      if (leaf_[node]) {
        errors[node] = in_.wrong[node];
        leaves[node] = 1;
        continue;
      }
      double inherited = 0;
      for (u32 b = 0; b < tree.n_children[node]; ++b) {
        const std::size_t child = tree.first_child[node] + b;
        errors[node] += errors[child];
        leaves[node] += leaves[child];
        inherited += leaf_[child] && !in_.own[child];
      }
      if (inherited > 1) leaves[node] -= inherited - 1;
    }
    each_inner([&](std::size_t node) {
      const double saved = in_.wrong[node] - errors[node];
      alpha_[node] = saved > 0 ? saved / in_.total / (leaves[node] - 1) : kInfinite;
      if (saved > 0) return;
      in_.cut_at_once[node] = 1;
      leaf_[node] = 1;
    });
  }

  double alpha(std::size_t node) const { return alpha_[node]; }
  const std::vector<u8>& leaf() const { return leaf_; }
  std::vector<u8> cut_at_once() { return std::move(in_.cut_at_once); }
  double sum_over_leaves(const std::vector<double>& held_out) const {
    std::vector<u8> below(leaf_.size(), 0);
    double sum = 0;
    for (std::size_t node = 0; node < leaf_.size(); ++node) {
      const i32 up = in_.tree.parent[node];
      below[node] = up >= 0 && (below[static_cast<std::size_t>(up)] || leaf_[static_cast<std::size_t>(up)]);
      if (!below[node] && leaf_[node]) sum += held_out[node];
    }
    return sum;
  }

  static constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();

 private:
  PathInput in_;
  std::vector<double> alpha_;
  std::vector<u8> leaf_;
  std::vector<std::size_t> order_;
};

}  // namespace

LogisticPath logistic_path(PathInput input, const std::vector<double>& held_out) {
  LogisticPath path;
  Pruning pruning(std::move(input));
  const auto record = [&](double alpha) {
    path.alpha.push_back(alpha);
    if (!held_out.empty()) path.error.push_back(pruning.sum_over_leaves(held_out));
  };
  record(0);
  for (std::size_t node = pruning.weakest(); node != Pruning::kNone; node = pruning.weakest()) {
    const double alpha = pruning.alpha(node);
    pruning.cut(node);
    record(alpha);
    pruning.update();
  }
  path.alpha.push_back(1);
  path.cut_at_once = pruning.cut_at_once();
  return path;
}

std::vector<u8> logistic_cut(PathInput input, double alpha) {
  Pruning pruning(std::move(input));
  for (std::size_t node = pruning.weakest(); node != Pruning::kNone && pruning.alpha(node) <= alpha; node = pruning.weakest()) {
    pruning.cut(node);
    pruning.update();
  }
  std::vector<u8> cut = pruning.leaf();
  return cut;
}

}  // namespace tw
