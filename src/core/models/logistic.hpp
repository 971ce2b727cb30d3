// Logistic model trees (Landwehr, Hall and Frank 2005, as in WEKA's LMT): every node of a tree goes on with the committee of its
// parent on its own rows.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "base/job_control.hpp"
#include "models/boost.hpp"
#include "models/linear.hpp"

namespace tw {

struct LogisticSettings {
  std::optional<u32> iterations;  // steps in every node; none: chosen by cross-validation in the node
  u32 most = 200;                 // steps that are tried
  u32 patience = 50;              // trying ends if the least error has not fallen for more steps than this
  double min_weight = 5;          // a node below the root that weighs less keeps its parent's model
  double min_impurity = -1;       // a node whose posteriors have a mean entropy of at most this is a leaf; below 0: none is
};

// The training rows: columns as terms, classes, weights, and the fold of every row. A column of two levels is one term, of more levels one
// term per level; missing cells are filled.
class LogisticTable {
 public:
  LogisticTable(std::vector<View> cells, const std::vector<Kind>& kinds, const std::vector<u32>& levels, std::vector<u32> class_of,
                u32 n_classes, const Weights& weights, std::vector<u32> fold);

  const Terms& terms() const { return terms_; }
  const BoostTable& boost() const { return boost_; }
  const std::vector<u32>& fold() const { return fold_; }
  u32 n_folds() const { return n_folds_; }
  const double* row(std::size_t at) const { return boost_.read.data() + at * boost_.columns; }  // per column, filled
  bool missing(std::size_t row, std::size_t column) const;
  // Adds the committee in terms of the columns, one model per class.
  void write(const Committee& committee, LinearModels& models) const;

 private:
  std::vector<View> cells_;
  Terms terms_;
  BoostTable boost_;
  std::vector<u32> fold_;
  u32 n_folds_ = 0;
};

// A committee without the slopes that are 0.
struct SparseCommittee {
  std::vector<double> intercept;
  std::vector<std::pair<u32, double>> slope;

  Committee full(u32 n_classes, std::size_t width) const;
};

struct LogisticFit {
  std::vector<SparseCommittee> committee;  // per node, as all that follow
  std::vector<double> wrong;               // weight of the node's rows that its model misclassifies
  std::vector<u8> own;                     // whether the node added to its parent's model
  std::vector<double> entropy;             // of the posteriors, mean over the node's rows
  std::vector<u8> ends;                    // entropy is low enough for a leaf: nodes below were not fitted
  std::vector<u8> missing;                 // whether some of its rows lack the cell that is tested
};

double weight_of(const BoostTable& table, std::span<const u32> rows);

// The number of steps with the least error over the folds among `rows`.
u32 best_steps(const LogisticTable& table, std::span<const u32> rows, const Committee& start, const LogisticSettings& settings,
               const JobControl& job);

// Models of all nodes of a tree from some rows.
LogisticFit fit_logistic(const LogisticTable& table, const Tree& tree, std::vector<u32> rows, const LogisticSettings& settings,
                         JobControl& job);

// Per node the weight of the rows that reach it and that its model misclassifies.
std::vector<double> wrong_at(const LogisticTable& table, const Tree& tree, const LogisticFit& fit, std::span<const u32> rows);

struct LogisticTree {
  Tree tree;
  LinearModels models;
};

// The tree with the nodes of `cut` as leaves, and its models. Missing cells go where their filled values go. `posterior`: impurities are
// entropies of the posteriors.
LogisticTree finished(const LogisticTable& table, const Tree& tree, const LogisticFit& fit, const std::vector<u8>& cut, bool posterior);

}  // namespace tw
