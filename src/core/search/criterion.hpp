// What a criterion is, as a compile-time contract. A criterion says how much a set of rows is worth (minus its weighted
// impurity, up to a constant), and what columns are compared by. Everything else (families, missing cells, gains) is shared.
#pragma once

#include <algorithm>
#include <concepts>
#include <optional>
#include <vector>

#include "base/numbers.hpp"
#include "search/searcher.hpp"
#include "stats/stat.hpp"

namespace tw {

// Figures of the chosen split from which a merit is computed.
struct Outcome {
  double gain;        // fall of impurity
  double split_info;  // bits
  double after;       // impurity after the split
  double score;       // what the place inside the column was chosen by, times the present share where gains are
};

// A criterion for class targets derives from this and says how much a summary is worth.
struct ClassCriterion {
  using Stat = ClassStat;
  static constexpr bool kClasses = true;
  static constexpr bool kTwoBranches = false;
  // At one node, columns compare by their scores as they do by their merits.
  static constexpr bool kRankIsScore = true;
  // No division of a set is worth less than the set.
  static constexpr bool kConcave = true;
  // Priors and losses are looked at by the criterion itself.
  static constexpr bool kLooksAtPriors = false;

  ClassStat stat;
  const std::vector<u32>* classes = nullptr;
  u32 declared = 0;  // classes of the table, whether they occur here or not

  ClassCriterion(const NodeTargets& targets, const SearchSettings&, u32 n_classes)
      : stat{static_cast<u32>(targets.classes.size())}, classes(&targets.classes), declared(n_classes) {}

  // How far a sum of worths may be off by rounding.
  double rounding(i64 weight) const { return 1e-15 * static_cast<double>(weight); }
  // From the unit of worth to the unit of the impurity that is reported.
  double unit() const { return 1; }
};

template <class C>
concept Criterion = requires(const C& c, const typename C::Stat::Cell* cells, const Outcome& o) {
  { c.worth(cells) } -> std::same_as<double>;
  { c.merit(o) } -> std::same_as<std::optional<double>>;
  { c.stat.weight(cells) } -> std::same_as<i64>;
};

// A criterion that judges two branches by something else than the sum of their worths.
template <class C>
concept JudgesPairs = requires(const C& c, const typename C::Stat::Cell* l) {
  { c.pair(l, l) } -> std::same_as<double>;
};

// A criterion whose merit is a judgement of the whole division.
template <class C>
concept JudgesDivisions = requires(const C& c, const std::vector<const typename C::Stat::Cell*>& branches) {
  { c.division(branches) } -> std::same_as<double>;
};

template <Criterion C>
double score_of_pair(const C& c, const typename C::Stat::Cell* l, const typename C::Stat::Cell* r) {
  if constexpr (JudgesPairs<C>)
    return c.pair(l, r);
  else
    return c.worth(l) + c.worth(r);
}

// A side begins as a summary, or empty (null).
template <class Cell>
void start_side(Cell* side, const Cell* from, std::size_t width) {
  if (from == nullptr)
    std::fill_n(side, width, Cell{0});
  else
    std::copy_n(from, width, side);
}

// Moves rows one by one from the right side to the left and scores each position. A criterion that can do this faster than
// by looking at all its cells has a specialisation; the score must be the same number to the last bit.
template <Criterion C>
class Sweep {
 public:
  using Cell = typename C::Stat::Cell;

  // `left` and `right` are work space for one summary each.
  Sweep(const C& c, Cell* left, Cell* right) : c_(c), left_(left), right_(right) {}

  void start(const Cell* left, const Cell* right) {
    start_side(left_, left, c_.stat.width());
    start_side(right_, right, c_.stat.width());
  }
  void move(typename C::Stat::Label label, i64 w) {
    c_.stat.add_row(left_, label, w);
    c_.stat.add_row(right_, label, -w);
  }
  void move_group(const Cell* cells) {
    add_cells(left_, cells, c_.stat.width());
    subtract_cells(right_, cells, c_.stat.width());
  }
  i64 left_weight() const { return c_.stat.weight(left_); }
  i64 right_weight() const { return c_.stat.weight(right_); }
  double score() const { return score_of_pair(c_, left_, right_); }

 private:
  const C& c_;
  Cell* left_;
  Cell* right_;
};

inline constexpr u32 kManyClasses = 32;  // of which on an exact score of every cut is dear

// What is known of a score without looking at every class: it is no less, and no more.
struct Bounds {
  double least;
  double most;
};

// What the plain engine sweeps a column with. A criterion that can tell cheaply that a position is no better has its own: it also gives
// bounds() of the score, and looks_ahead() says whether an exact score is dear.
template <Criterion C>
struct PlainSweep {
  using type = Sweep<C>;
};

// Whether worth is the sum of x log2 x over the classes less that of the total, so that it can be looked up.
template <Criterion C>
inline constexpr bool kSumOfLogs = false;

}  // namespace tw
