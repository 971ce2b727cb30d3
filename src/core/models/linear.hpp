// Linear models of the nodes of a tree, as flat columns beside it, and what rows are told by them.
#pragma once

#include <vector>

#include "base/work.hpp"
#include "models/terms.hpp"
#include "tree/tree.hpp"

namespace tw {

struct LinearModels {
  Terms terms;
  std::vector<double> intercept;  // by node
  std::vector<u32> term_begin;    // by node, and the end
  std::vector<u32> term_column;
  std::vector<i32> term_place;  // -1: the column itself; else whether the level stands above this place
  std::vector<double> coefficient;

  std::size_t size() const { return intercept.size(); }

  double answer(std::size_t node, const double* row) const {
    double sum = intercept[node];
    for (u32 i = term_begin[node]; i < term_begin[node + 1]; ++i) sum += coefficient[i] * Term{term_column[i], term_place[i]}.of(row);
    return sum;
  }
};

// Throws Invalid unless the models fit the tree and every number is finite.
void validate(const LinearModels& models, const Tree& tree);

// The models of leaves mixed with those above them on the way to the root (Quinlan 1992): p' = (n p + k q) / (n + k), n the weight of the
// node that p comes from. Inner nodes keep their own.
LinearModels smoothed(const LinearModels& models, const Tree& tree, double k);

struct Answering {
  // Half the width, in standard deviations of the column, of the band around a threshold in which the answers of both branches are mixed:
  // from the first alone at its lower end to the second alone at its upper. 0: rows go one way.
  double band = 0;
  unsigned threads = 1;
};

// What the models of the leaves say of every row.
std::vector<double> answers(const LinearModels& models, const Tree& tree, const std::vector<View>& cells, std::size_t n_rows,
                            const Answering& how, const Work& work);

}  // namespace tw
