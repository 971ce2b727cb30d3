// Answers that keep an order: with some columns they may only rise, or only fall. A node knows bounds of what its leaves may answer; a cut of
// such a column must have its two values in order, and hands the number halfway between them down as a bound of both branches. So every
// node below, and every tree that pruning leaves, keeps the order.
#pragma once

#include <limits>

#include "search/settings.hpp"
#include "stats/stat.hpp"

namespace tw {

// What may be answered at a node.
struct AnswerRange {
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();

  bool any() const { return low > -std::numeric_limits<double>::infinity() || high < std::numeric_limits<double>::infinity(); }
  bool hold(double value) const { return low <= value && value <= high; }

  // Of a branch of a cut whose two sides answer these numbers; `direction` is that of the column. Missing rows in a branch of their own have
  // no place in the order.
  AnswerRange below(i8 direction, double first, double second, u32 branch) const {
    AnswerRange out = *this;
    if (direction == 0 || branch > 1) return out;
    const double middle = first / 2 + second / 2;
    ((branch == 0) == (direction > 0) ? out.high : out.low) = middle;
    return out;
  }
};

// Whether splits of one column at one node keep the order. What a set of rows answers is its mean, or the share of the second of two classes.
class OrderCheck {
 public:
  template <class Targets>
  OrderCheck(const SearchSettings& settings, const Targets& targets, Column column)
      : direction_(settings.direction_of(column)), bounds_(targets.bounds), grid_(targets.grid) {
    if (settings.priors.empty() || targets.classes.size() != 2) return;
    for (std::size_t k = 0; k < 2; ++k) factor_[k] = settings.priors[targets.classes[k]];
  }

  // Whether it has nothing to say.
  bool idle() const { return direction_ == 0 && !bounds_.any(); }

  double value(const i64* classes) const {
    const double first = factor_[0] * static_cast<double>(classes[0]);
    const double second = factor_[1] * static_cast<double>(classes[1]);
    return second / (first + second);
  }
  double value(const i128* moments) const { return value_of(to_double(moments[1]) / to_double(moments[0])); }
  // Of a number in steps of the node's grid.
  double value_of(double steps) const { return grid_.centre + grid_.step * steps; }

  bool holds(double value) const { return bounds_.hold(value); }
  template <class Cell>
  bool holds(const Cell* rows) const {
    return bounds_.hold(value(rows));
  }

  bool allows(double below, double above) const {
    return bounds_.hold(below) && bounds_.hold(above) && (direction_ == 0 || (direction_ > 0 ? below <= above : below >= above));
  }
  template <class Cell>
  bool allows(const Cell* below, const Cell* above) const {
    return allows(value(below), value(above));
  }

 private:
  i8 direction_;
  AnswerRange bounds_;
  TargetGrid grid_;
  double factor_[2] = {1, 1};
};

}  // namespace tw
