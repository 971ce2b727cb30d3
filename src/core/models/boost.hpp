// LogitBoost with one simple regression per class and step (Friedman, Hastie and Tibshirani 2000), as in logistic model trees (Landwehr,
// Hall and Frank 2005): every class takes the term whose weighted regression on the working response leaves the least squared error.
#pragma once

#include <span>
#include <vector>

#include "base/types.hpp"
#include "models/terms.hpp"

namespace tw {

// Rows as boosting reads them: terms side by side, row after row.
struct BoostTable {
  std::size_t width = 0;
  u32 n_classes = 0;
  std::vector<double> cells;          // (x - middle) / scale
  std::vector<double> middle, scale;  // per term
  std::vector<Term> term;             // per term: what x is
  std::vector<double> read;           // the cells that terms are of, row after row
  std::size_t columns = 0;
  std::vector<u32> class_of;
  std::vector<double> weights;  // whole quanta, so that sums are exact; empty: 1 each
  double each = 1;              // what a weight of 1 is in the weights that were given
  std::vector<u32> occurring;   // the classes that have rows: no other is ever predicted

  std::size_t n_rows() const { return class_of.size(); }
  const double* row(std::size_t at) const { return cells.data() + at * width; }
  double plain(std::size_t at, std::size_t t) const { return term[t].of(read.data() + at * columns); }
  double weight(std::size_t at) const { return weights.empty() ? 1 : weights[at]; }
};

// The sum of all regressions so far, class by class: scores of rows.
struct Committee {
  std::vector<double> intercept;
  std::vector<double> slope;  // n_classes x width

  Committee() = default;
  Committee(u32 n_classes, std::size_t width) : intercept(n_classes, 0), slope(n_classes * width, 0) {}
  void score(const double* row, std::size_t width, double* scores) const;
};

class Booster {
 public:
  // Goes on from the scores of the committee. `rows` are indices into the table.
  Booster(const BoostTable& table, std::span<const u32> rows, Committee start);

  // One regression per class; false, and nothing changes, if there is a class for which no term is of use, or whose weights have vanished.
  bool step();

  const Committee& committee() const { return committee_; }
  std::span<const double> scores() const { return scores_; }  // n_rows x n_classes

  // Weight of the rows whose class is not the one predicted among these.
  double wrong(std::span<const u32> classes) const;

  // What the last step adds to the scores of a row.
  void add_last(const double* row, double* scores) const;

 private:
  static constexpr double kMostResponse = 3;
  struct Simple {
    std::size_t at = 0;    // index into term_
    std::size_t term = 0;  // index into the terms of the table
    double slope = 0;
    double intercept = 0;
  };
  void respond();
  bool vanishes(u32 k) const;
  void centre_terms(u32 k, std::span<const std::size_t> terms);
  void centre_sums(u32 k);
  bool choose(u32 k, Simple& chosen);
  bool choose_rounded(u32 k, Simple& chosen);
  bool few_rows_decide(u32 k) const;
  double response(u32 k, std::size_t i) const;

  const BoostTable& table_;
  std::vector<u32> rows_;
  std::size_t n_ = 0;
  std::size_t all_terms_ = 0;
  std::vector<u32> term_;  // the terms that vary among the rows
  std::size_t width_ = 0;  // how many these are
  u32 n_classes_ = 0;
  double shrink_ = 1;
  std::vector<double> cells_;   // of the rows, around their means
  std::vector<double> centre_;  // per term: the mean that was subtracted
  std::vector<u32> class_of_;
  std::vector<double> weights_;
  double weight_ = 0;  // of all rows
  Committee committee_;
  std::vector<double> scores_;
  std::vector<double> shares_, most_, sum_;        // work space: per class and row, per row
  std::vector<double> mean_, spread_, cross_;      // per term: of the class that is being fitted, as the next two
  std::vector<double> gain_, doubt_;               // squared error that a term saves, and how far rounding may have moved it
  std::vector<double> gradient_, curvature_;       // per class and row: g and h of boost_sums.hpp
  std::vector<double> sum_gx_, sum_hx_, sum_hxx_;  // per class and term
  std::vector<u8> occurs_;                         // per class
  std::vector<u8> flat_;  // per class: no row that has weight is of it, nor predicted to be: the response is the same everywhere
  std::vector<u8> gone_;  // per class: its weights are too small to be divided by
  std::vector<double> total_g_, total_h_, total_off_;  // per class; the last: weight times the distance of the share from 0 or 1
  std::vector<Simple> last_;                           // per class
};

}  // namespace tw
