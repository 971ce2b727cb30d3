// Linear models of the nodes of a tree, as flat columns beside it, and their predictions.
#pragma once

#include <vector>

#include "base/job_control.hpp"
#include "models/terms.hpp"
#include "tree/branch.hpp"

namespace tw {

// A tree of numbers has one model per node, a tree of classes one per node and class: scores, whose exponentials are proportional to the
// shares of the classes.
struct LinearModels {
  Terms terms;
  std::vector<double> intercept;  // per model: those of a node stand together
  std::vector<u32> term_begin;    // per model, and the end
  std::vector<u32> term_column;
  std::vector<i32> term_place;  // see Term
  std::vector<double> coefficient;

  std::size_t size() const { return intercept.size(); }

  double answer(std::size_t model, const double* row) const {
    double sum = intercept[model];
    for (u32 i = term_begin[model]; i < term_begin[model + 1]; ++i) sum += coefficient[i] * Term{term_column[i], term_place[i]}.of(row);
    return sum;
  }
};

inline std::size_t models_per_node(const Tree& tree) { return tree.n_classes > 0 ? tree.n_classes : 1; }

// Throws Invalid unless the models fit the tree and every number is finite.
void validate(const LinearModels& models, const Tree& tree);

// The models of leaves mixed with those above them on the way to the root (Quinlan 1992): p' = (n p + k q) / (n + k), n the weight of the
// node that p comes from. Inner nodes keep their own.
LinearModels smoothed(const LinearModels& models, const Tree& tree, double k);

// A row of cells as models read them: missing ones filled, levels as their places.
struct FilledRow {
  const Terms& terms;
  const double* row;

  double number(std::size_t column) const { return row[column]; }
  i64 level(std::size_t column) const {
    const u32 begin = terms.rank_begin[column];
    for (u32 level = 0; level < terms.n_levels(column); ++level)
      if (terms.rank[begin + level] == row[column]) return level;
    return -1;
  }
};

// The branch such a row takes; the first where a split made by hand sends it nowhere.
inline u32 branch_of(const Terms& terms, const Tree& tree, std::size_t node, const double* row) {
  return static_cast<u32>(std::max(0, branch_of(tree, node, FilledRow{terms, row})));
}

struct Answering {
  // Half the width, in standard deviations of the column, of the band around a threshold in which the answers of both branches are mixed:
  // from the first alone at its lower end to the second alone at its upper. 0: rows go one way.
  double band = 0;
  unsigned threads = 1;
};

// The predictions of the models of the leaves for every row; for classes the shares, row by row.
std::vector<double> answers(const LinearModels& models, const Tree& tree, const std::vector<View>& cells, std::size_t n_rows,
                            const Answering& how, const JobControl& job);

}  // namespace tw
