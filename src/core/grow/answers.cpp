// A node answers the end of its range that is nearest; the classes of its rows are told as if that were their share.
#include "grow/answers.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace tw {

namespace {

// The weights of the two classes at every node.
class TwoClasses {
 public:
  explicit TwoClasses(const Tree& tree) : weights_(tree.size()) {
    const Tree::Range root = tree.classes(0);
    if (root.size() == 2) classes_ = {tree.class_id[root.begin], tree.class_id[root.begin + 1]};
    for (std::size_t node = 0; node < tree.size(); ++node)
      for (std::size_t i = tree.classes(node).begin; i < tree.classes(node).end; ++i)
        weights_[node][tree.class_id[i] == classes_[1]] = tree.class_weight[i];
  }

  bool there() const { return classes_[0] != classes_[1]; }
  double answer(std::size_t node) const { return share(weights_[node]); }

  // Rounding leaves the share inside the range.
  void bring(std::size_t node, const AnswerRange& range) {
    std::array<double, 2>& own = weights_[node];
    const bool above = share(own) > range.high;
    const double all = own[0] + own[1];
    own[1] = (above ? range.high : range.low) * all;
    own[0] = all - own[1];
    while (share(own) > range.high) own[1] = std::nextafter(own[1], 0.0);
    while (share(own) < range.low) own[0] = std::nextafter(own[0], 0.0);
  }

  // What costs least to say at a node, the first of equals.
  i32 label(std::size_t node, const SearchSettings& settings, u32 n_classes) const {
    const auto loss = [&](u32 answer) {
      double sum = 0;
      for (std::size_t k = 0; k < 2; ++k) sum += settings.loss_of(classes_[k], answer, n_classes) * weights_[node][k];
      return sum;
    };
    return static_cast<i32>(loss(classes_[1]) < loss(classes_[0]) ? classes_[1] : classes_[0]);
  }

  void write(Tree& tree) const {
    tree.class_id.clear();
    tree.class_weight.clear();
    for (std::size_t node = 0; node < tree.size(); ++node) {
      tree.class_begin[node] = static_cast<u32>(tree.class_id.size());
      for (std::size_t k = 0; k < 2; ++k) {
        if (weights_[node][k] <= 0) continue;
        tree.class_id.push_back(classes_[k]);
        tree.class_weight.push_back(weights_[node][k]);
      }
    }
    tree.class_begin[tree.size()] = static_cast<u32>(tree.class_id.size());
  }

 private:
  static double share(const std::array<double, 2>& own) { return own[1] / (own[0] + own[1]); }

  std::array<u32, 2> classes_{};
  std::vector<std::array<double, 2>> weights_;
};

// Calls bring(node, range) where an answer lies outside its range; `answer` tells it.
template <class Answer, class Bring>
void each_outside(const Tree& tree, const GrowSettings& settings, const Answer& answer, const Bring& bring) {
  std::vector<AnswerRange> ranges(tree.size());
  ranges[0] = settings.range;
  for (std::size_t node = 0; node < tree.size(); ++node) {
    const double own = answer(node);
    if (own < ranges[node].low || own > ranges[node].high) bring(node, ranges[node]);
    if (tree.leaf(node)) continue;
    const u32 first = tree.first_child[node];
    const auto family = static_cast<Family>(tree.family[node]);
    const bool ordered = (family == Family::threshold || family == Family::presence) && tree.terms(node).size() == 0;
    const i8 direction = ordered ? settings.search.direction_of(static_cast<Column>(tree.column[node])) : i8{0};
    const double below = direction == 0 ? 0 : answer(first);
    const double above = direction == 0 ? 0 : answer(first + 1);
    for (u32 b = 0; b < tree.n_children[node]; ++b) ranges[first + b] = ranges[node].below(direction, below, above, b);
  }
}

}  // namespace

void keep_answers_in_range(Tree& tree, const GrowSettings& settings) {
  if (!settings.search.keeps_order()) return;
  if (tree.n_classes == 0) {
    each_outside(
        tree, settings, [&](std::size_t node) { return tree.value[node]; },
        [&](std::size_t node, const AnswerRange& range) { tree.value[node] = std::clamp(tree.value[node], range.low, range.high); });
    return;
  }
  TwoClasses classes(tree);
  if (!classes.there()) return;
  bool changed = false;
  each_outside(
      tree, settings, [&](std::size_t node) { return classes.answer(node); },
      [&](std::size_t node, const AnswerRange& range) {
        classes.bring(node, range);
        tree.label[node] = classes.label(node, settings.search, tree.n_classes);
        changed = true;
      });
  if (changed) classes.write(tree);
}

}  // namespace tw
