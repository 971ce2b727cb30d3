// The columns of a table as numbers on one scale, which searches for tests over several columns add up: a numeric column is one, a nominal
// column one per level (0 or 1; of two levels the second alone). Missing cells are filled with the mean or the most common level of the
// table, as equations of leaves fill them. Scales are powers of two near the deviation and centres are rounded, so that neither depends on
// the order of rows.
#pragma once

#include <span>
#include <vector>

#include "grow/plain/training_row.hpp"
#include "oblique/settings.hpp"
#include "search/searcher.hpp"

namespace tw {

// u = x * inverse - centre.
struct Standard {
  u32 column = 0;
  i32 level = DerivedTerm::kNumber;
  double fill = 0;  // what a missing cell counts as, in the column's unit
  double inverse = 1;
  double centre = 0;
};

// What is added up: a standardised column, the product of two, or the sum of all squares.
struct Feature {
  static constexpr i32 kAlone = -1;
  static constexpr i32 kSquares = -2;
  u32 first = 0;
  i32 second = kAlone;
};

// The features of the rows of a node, one after the other, with what the rows count for and what is to be told apart.
struct NodeMatrix {
  std::size_t n = 0;
  std::size_t d = 0;
  u32 n_classes = 0;  // that occur; 0: numbers
  std::vector<double> cells;
  std::vector<double> raw;  // standardised columns in the units of the table, as far as they are kept
  std::vector<double> weights;
  std::vector<u32> labels;
  std::vector<double> targets;  // around their mean
  double total = 0;             // of the weights

  std::span<const double> of(std::size_t feature) const { return {cells.data() + feature * n, n}; }
};

class Features {
 public:
  Features(const Table& table, NodeForm form);

  std::size_t size() const { return features_.size(); }
  const Feature& operator[](std::size_t feature) const { return features_[feature]; }
  // How many standardised columns there are, which come first among the features.
  std::size_t columns() const { return standards_.size(); }
  // Which of them is a number, or a level, of a column of the table.
  std::size_t place(u32 column, i32 level) const;
  // Whether such a column has numbers, not a level.
  bool number(std::size_t column) const { return standards_[column].level == DerivedTerm::kNumber; }

  // Squares that are looked at now and then (`NodeForm::squares`) are left to those who do.
  NodeMatrix read(const NodeRows& node, const NodeTargets& targets, const std::vector<double>& factors) const;

  // A sum of weighted features as terms in the units of the table: the term that weighs most has the coefficient 1, or with products the
  // first. `per` and `constant` lead back: the sum of features is `per` times that of the terms, plus the constant.
  struct Sum {
    std::vector<DerivedTerm> terms;  // none where a coefficient would not be finite
    double per = 1;
    double constant = 0;
  };
  // Small weights are rounded away. `as_is`: nothing is scaled, and `per` is 1. `brief`: coefficients have four digits, where there are no
  // products, of which large parts may cancel.
  Sum terms(std::span<const double> weights, bool brief, bool as_is = false) const;

  // Scores in the units of the table.
  struct Scores {
    std::vector<DerivedTerm> terms;
    std::vector<ScorePart> parts;
  };

 private:
  const Table& table_;
  bool squares_;
  std::vector<Standard> standards_;
  std::vector<Feature> features_;
};

}  // namespace tw
