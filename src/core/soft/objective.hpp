// What a soft tree costs on rows, and how that changes with every parameter: half the squared error of numbers, the negative log of the
// share of the right class, per unit of weight, and a penalty on large parameters.
#pragma once

#include <span>
#include <vector>

#include "base/job_control.hpp"
#include "soft/model.hpp"

namespace tw {

// Parameters of the loss, in units of the weight of one row over that of all.
struct SoftPenalty {
  double gates = 0;   // half of this times the squared weights of columns
  double leaves = 0;  // and times the squared answers
};

// Rows where the tree is a part of a larger one, of which the rest stays as it is: it adds `scale` times what it says to `offset`.
struct SoftPlace {
  std::vector<double> offset;  // rows of the first output, rows of the second, ...
  std::vector<double> scale;
};
inline const SoftPlace kWholeTree{};

class SoftObjective {
 public:
  // `total`: the weight that losses are divided by. The shape of the tree stays, its parameters are those of the calls.
  SoftObjective(const SoftRows& rows, const SoftPlace& place, const SoftTree& tree, double total, SoftPenalty penalty, unsigned threads,
                const JobControl& job);
  SoftObjective(const SoftRows&, SoftPlace&&, const SoftTree&, double, SoftPenalty, unsigned, const JobControl&) = delete;  // it is kept

  std::size_t size() const { return tree_.values.size(); }

  // The loss with these parameters, and its derivatives unless `gradient` is empty.
  double operator()(std::span<const double> values, std::span<double> gradient) const;

  // What is said of every row, output by output, in the form of `SoftPlace::offset`.
  std::vector<double> answers(std::span<const double> values) const;
  // The share of every row that reaches a node.
  std::vector<double> shares(std::span<const double> values, std::size_t node) const;

 private:
  struct Work;

  // Shares at all nodes and answers of some rows that lie side by side.
  void forward(std::span<const double> values, std::size_t begin, std::size_t n, Work& work) const;
  // Their loss, and its derivatives by answers in the place of these.
  double losses(std::size_t begin, std::size_t n, Work& work) const;
  void backward(std::span<const double> values, std::size_t begin, std::size_t n, Work& work, double* gradient) const;
  std::size_t strips() const;

  const SoftRows& rows_;
  const SoftPlace& place_;
  const SoftTree& tree_;
  double total_;
  SoftPenalty penalty_;
  unsigned threads_;
  const JobControl& job_;
};

// The mean loss of answers, without penalty; and the share of weight whose most likely class, the first of equals, is wrong.
double soft_loss(const SoftRows& rows, std::span<const double> answers);
double soft_errors(const SoftRows& rows, std::span<const double> answers);
// Derivatives of the loss of every row by its answers, times the weight of the row; `curvature`: second derivatives, likewise.
void soft_slopes(const SoftRows& rows, std::span<const double> answers, std::vector<double>& slope, std::vector<double>& curvature);

}  // namespace tw
