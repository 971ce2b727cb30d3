// A soft tree while it is trained (Irsoy, Yildiz and Alpaydin 2012): at every inner node a row goes left in the share 1 / (1 + exp(-s)), s
// a sum of standardised columns and a constant, and right in the rest; the answer is the sum of what leaves say by the shares that reach
// them. For numbers that is the answer; for two classes the log of the odds of the second; for more a score per class, made shares by
// softmax.
#pragma once

#include <span>
#include <vector>

#include "base/types.hpp"

namespace tw {

// Standardised columns one after the other, and what is to be said of every row.
struct SoftRows {
  std::size_t n = 0;
  std::size_t d = 0;
  u32 n_classes = 0;  // 0: numbers
  std::vector<double> cells;
  std::vector<double> weights;
  std::vector<double> numbers;
  std::vector<u32> classes;

  std::size_t outputs() const { return n_classes > 2 ? n_classes : 1; }
  std::span<const double> column(std::size_t j) const { return {cells.data() + j * n, n}; }
  double total() const;
  // Some of the rows, by their places.
  SoftRows part(std::span<const u32> places) const;
};

// Nodes, parents before children and siblings side by side. Every node has a run of parameters: an inner one a weight per column and the
// constant, a leaf its answer.
struct SoftTree {
  std::size_t inputs = 0;
  std::size_t outputs = 0;
  std::vector<u32> first;       // the left child, 0 for a leaf
  std::vector<std::size_t> at;  // where the parameters of a node begin
  std::vector<double> values;

  bool leaf(std::size_t node) const { return first[node] == 0; }
  std::size_t size() const { return first.size(); }
  std::span<const double> of(std::size_t node) const { return {values.data() + at[node], leaf(node) ? outputs : inputs + 1}; }

  static SoftTree single(std::size_t inputs, std::span<const double> answer);
  // One gate and two leaves: the parameters are the gate, what the left leaf says, what the right one says.
  static SoftTree stump(std::size_t inputs, std::size_t outputs, std::vector<double> values);
  // Puts a stump in the place of a leaf.
  void split(std::size_t node, const SoftTree& stump);
};

}  // namespace tw
