// rpart's complexity rule. It bounds what a subtree can save while it grows, left branch first, and keeps for every node what its split
// saves. The bound passed to a branch is a little too tight, so that rpart may leave a node undivided that cost-complexity pruning at the
// same value would keep; and what a split saves is found from its two branches only, not from all ways to cut back below it (Therneau and
// Atkinson, rpart 4.1).
#include "prune/rpart.hpp"

#include <algorithm>
#include <array>

namespace tw {

namespace {

// A subtree as it is settled.
struct Settled {
  double risk = 0;
  double splits = 0;
};

enum class Stage : u8 { begin, left, right };  // what was settled last

struct Open {
  u32 node;
  double bound;  // what its subtree can save per split, at most
  Stage next = Stage::begin;
  Settled left = {};
};

// The mean of a node; of classes, that of their numbers.
double mean_of(const Tree& tree, std::size_t node, const std::vector<double>& class_factor) {
  if (tree.n_classes == 0) return tree.value[node];
  double sum = 0;
  double total = 0;
  const Tree::Range classes = tree.classes(node);
  for (std::size_t c = classes.begin; c < classes.end; ++c) {
    const u32 k = tree.class_id[c];
    const double weight = tree.class_weight[c] * (class_factor.empty() ? 1 : class_factor[k]);
    sum += weight * k;
    total += weight;
  }
  return sum / total;
}

class Rpart {
 public:
  Rpart(const Tree& tree, const std::vector<double>& risk, double cp, const std::vector<double>& class_factor)
      : tree_(tree), risk_(risk), factor_(class_factor), alpha_(cp * risk[0]) {
    out_.ends.assign(tree.size(), 1);
    out_.complexity.assign(tree.size(), alpha_);
  }

  RpartComplexity run() {
    std::vector<Open> open{{0, risk_[0]}};
    Settled last;
    while (!open.empty()) {
      Open& at = open.back();
      if (at.next == Stage::begin) {
        const double worth = std::min(risk_[at.node], at.bound);
        if (tree_.leaf(at.node) || worth <= alpha_) {
          last = {risk_[at.node], 0};
          open.pop_back();
          continue;
        }
        at.next = Stage::left;
        open.push_back({children(at.node)[0], worth - alpha_});
        continue;
      }
      const std::array<u32, 2> below = children(at.node);
      if (at.next == Stage::left) {
        at.left = last;
        at.next = Stage::right;
        const double worth = std::max((risk_[at.node] - last.risk) / (last.splits + 1), risk_[at.node] - risk_[below[0]]);
        open.push_back({below[1], std::min(worth, at.bound) - alpha_});
        continue;
      }
      last = joined(at.node, {at.left, last}, below);
      const double saved = (risk_[at.node] - last.risk) / last.splits;
      out_.complexity[at.node] = saved;
      if (saved > alpha_)
        out_.ends[at.node] = 0;
      else
        last = {risk_[at.node], 0};
      open.pop_back();
    }
    return std::move(out_);
  }

 private:
  // The two branches, the one that rpart calls the left one first: that of the lower mean.
  std::array<u32, 2> children(u32 node) const {
    const u32 first = tree_.first_child[node];
    if (mean_of(tree_, first, factor_) < mean_of(tree_, first + 1, factor_)) return {first, first + 1};
    return {first + 1, first};
  }

  // Risk and splits below a node after those branches that are worth less than the node's own split have collapsed: the weaker one first,
  // of equals the right one.
  Settled joined(u32 node, std::array<Settled, 2> sides, const std::array<u32, 2>& below) const {
    const bool left_first = out_.complexity[below[1]] > out_.complexity[below[0]];
    for (const std::size_t side : {left_first ? 0UL : 1UL, left_first ? 1UL : 0UL}) {
      const double saved = (risk_[node] - sides[0].risk - sides[1].risk) / (sides[0].splits + sides[1].splits + 1);
      if (saved <= out_.complexity[below[side]] * (1 + 1e-12)) break;
      sides[side] = {risk_[below[side]], 0};
    }
    return {sides[0].risk + sides[1].risk, sides[0].splits + sides[1].splits + 1};
  }

  const Tree& tree_;
  const std::vector<double>& risk_;
  const std::vector<double>& factor_;
  double alpha_;
  RpartComplexity out_;
};

}  // namespace

RpartComplexity rpart_complexity(const Tree& tree, const std::vector<double>& risk, double cp, const std::vector<double>& class_factor) {
  return Rpart(tree, risk, cp, class_factor).run();
}

}  // namespace tw
