// Answers that keep an order: with some columns they may only rise, or only fall (as in scikit-learn's trees). A node has a range of what
// may be answered there. A cut of such a column must have its two answers in that range and in order, and hands the number halfway between
// them down as an end of both branches' ranges; other splits are free. At last every answer is brought into its range
// (grow/answers.hpp): so no way through the tree breaks the order, and none does in any tree that pruning leaves.
#pragma once

#include <limits>

#include "search/settings.hpp"
#include "stats/stat.hpp"

namespace tw {

// What may be answered at a node.
struct AnswerRange {
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();

  bool holds(double value) const { return low <= value && value <= high; }

  // That of a branch of a cut whose two sides answer these numbers; `direction` is that of the column. Missing rows in a branch of their
  // own have no place in the order.
  AnswerRange below(i8 direction, double first, double second, u32 branch) const {
    AnswerRange out = *this;
    if (direction == 0 || branch > 1) return out;
    const double middle = first / 2 + second / 2;
    ((branch == 0) == (direction > 0) ? out.high : out.low) = middle;
    return out;
  }
};

// Whether cuts of a column at a node keep the order. What a set of rows answers is its mean, or the share of the second of two classes.
class OrderCheck {
 public:
  template <class Targets>
  OrderCheck(const SearchSettings& settings, const Targets& targets, Column column)
      : direction_(settings.direction_of(column)), range_(targets.range), grid_(targets.grid) {
    if (settings.priors.empty() || targets.classes.size() != 2) return;
    for (std::size_t k = 0; k < 2; ++k) factor_[k] = settings.priors[targets.classes[k]];
  }

  double value(const i64* classes) const {
    const double first = factor_[0] * static_cast<double>(classes[0]);
    const double second = factor_[1] * static_cast<double>(classes[1]);
    return second / (first + second);
  }
  double value(const i128* moments) const { return value_of(to_double(moments[1]) / to_double(moments[0])); }
  // Of a number in steps of the node's grid.
  double value_of(double steps) const { return grid_.centre + grid_.step * steps; }

  bool allows(double below, double above) const {
    return range_.holds(below) && range_.holds(above) && (direction_ > 0 ? below <= above : below >= above);
  }
  template <class Cell>
  bool allows(const Cell* below, const Cell* above) const {
    return allows(value(below), value(above));
  }

 private:
  i8 direction_;
  AnswerRange range_;
  TargetGrid grid_;
  double factor_[2] = {1, 1};
};

}  // namespace tw
