// What a leaf costs, as whole numbers, so that costs of trees are compared exactly and sums do not depend on the order of rows.
//
// Classes: for each answer what it costs on the rows of the leaf, added up row by row; the leaf costs the least of them. Weights times
// losses that have too many digits are rounded to 2^-59 of what all rows may cost. Squared errors: weight, sum and sum of squares on a grid
// so fine (2^52 steps of the root's error) that rounding is far below what a reader sees; what a leaf costs is rounded down by so much that
// a leaf of equal numbers costs nothing. What rounding may do to the cost of a tree is known (`rounding`), and taken off what is called
// proven.
#pragma once

#include <array>
#include <string>
#include <type_traits>
#include <vector>

#include "base/errors.hpp"
#include "optimal/settings.hpp"
#include "table/table.hpp"

namespace tw {

using Cost = i64;
inline constexpr Cost kNoCost = std::numeric_limits<Cost>::max() / 4;
inline constexpr u32 kMostUnitAnswers = 8;  // up to which rows that count one each are counted in cells of their own

// The losses of a table's rows.
struct RowLosses {
  u32 n_answers = 0;  // 0: squared errors
  u32 n_classes = 0;
  bool unit = false;             // few answers, every row weighs 1, every wrong answer costs 1 ...
  Cost fine = 1;                 // ... times this, where a leaf costs parts of that
  std::vector<u32> class_of;     // classes that occur, renumbered
  std::vector<u32> classes;      // which they are
  std::vector<i64> weight;       // by row, whole; empty: 1 each
  std::vector<i64> cost;         // n_classes x n_answers: what a weight of 2^dropped costs
  int dropped = 0;               // bits of weight times cost
  std::vector<i64> sum, square;  // squared errors: weighted targets and their squares, in steps
  double steps = 1;              // squared errors: what (sum * sum / weight) is multiplied by to be in steps of a cost
  double scale = 1;              // what a step of a cost is in the unit of the loss
  Cost slack = 0;                // by how much rounding may hurt inequalities between costs of sets of rows
  Cost rounding = 0;             // by how much the cost of a tree may be above what it loses; beside that, squared errors: 4 for every leaf
  std::vector<i64> worth;        // by row: what it may add to the cost of a tree at most; empty: `fine` each
  int worth_bits = 0;            // a unit of `worth` is so many powers of two of a step of a cost: sums of all rows keep within 64 bits

  i64 worth_of(Row row) const { return worth.empty() ? fine : worth[row]; }
  // What rows of this worth may add to a cost; never less, and no more than any cost.
  Cost added_by(i64 rows) const { return std::min<Cost>(rows, kMostAdded >> worth_bits) << worth_bits; }
  static constexpr Cost kMostAdded = Cost{1} << 60;

  // What an answer costs on a row of this weight.
  Cost priced(i64 weighing, i64 costing) const {
    const i128 whole = static_cast<i128>(weighing) * costing;
    return static_cast<Cost>(dropped == 0 ? whole : (whole + (i128{1} << (dropped - 1))) >> dropped);
  }
};

RowLosses row_losses(const Table& table, const SearchSettings& settings, double cost_per_leaf);

// Costs of W answers, in cells of a type.
template <u32 W, class Cell, bool kWeighted>
class AnswerLosses {
 public:
  static constexpr bool kUnit = !kWeighted;  // every row counts one
  static constexpr u32 kAnswers = W;

  // A row of many answers is its class and its weight: what it costs is not kept.
  struct WideRow {
    const RowLosses* losses;
    u32 class_of;
    i64 weight;
    Cell operator[](u32 j) const { return static_cast<Cell>(losses->priced(weight, losses->cost[class_of * losses->n_answers + j])); }
  };
  struct Sums {
    std::array<Cell, W> cells{};
    void add(const Sums& other) {
      for (u32 j = 0; j < W; ++j) cells[j] = static_cast<Cell>(cells[j] + other.cells[j]);
    }
    void take(const Sums& other) {
      for (u32 j = 0; j < W; ++j) cells[j] = static_cast<Cell>(cells[j] - other.cells[j]);
    }
    void add(const WideRow& row) {
      for (u32 j = 0; j < row.losses->n_answers; ++j) cells[j] = static_cast<Cell>(cells[j] + row[j]);
    }
    void take(const WideRow& row) {
      for (u32 j = 0; j < row.losses->n_answers; ++j) cells[j] = static_cast<Cell>(cells[j] - row[j]);
    }
    Sums less(const Sums& other) const {
      Sums out = *this;
      out.take(other);
      return out;
    }
  };
  static constexpr bool kWide = W > 16;
  using RowCost = std::conditional_t<kWide, WideRow, Sums>;

  explicit AnswerLosses(const RowLosses& losses) : losses_(losses) {}

  RowCost of(Row row) const {
    const u32 k = losses_.class_of[row];
    const i64 weight = losses_.weight.empty() ? 1 : losses_.weight[row];
    if constexpr (kWide) {
      return {&losses_, k, weight};
    } else {
      Sums out;
      // Answers beyond those there are repeat the first.
      for (u32 j = 0; j < W; ++j)
        out.cells[j] = static_cast<Cell>(losses_.priced(weight, losses_.cost[k * losses_.n_answers + (j < losses_.n_answers ? j : 0)]));
      return out;
    }
  }
  Cost leaf(const Sums& sums) const {
    const u32 n = kWide ? losses_.n_answers : W;
    Cell least = sums.cells[0];
    for (u32 j = 1; j < n; ++j) least = sums.cells[j] < least ? sums.cells[j] : least;
    if constexpr (kUnit) return least * losses_.fine;
    return least;
  }
  // How mixed the rows are, for the order in which columns are tried (the Gini index of the weights that the answers leave).
  double mixed(const Sums& sums) const {
    const u32 n = losses_.n_answers;
    double all = 0;
    for (u32 j = 0; j < n; ++j) all += static_cast<double>(sums.cells[j]);
    all /= n > 1 ? n - 1 : 1;
    double squares = 0;
    for (u32 j = 0; j < n; ++j) squares += (all - static_cast<double>(sums.cells[j])) * (all - static_cast<double>(sums.cells[j]));
    return all > 0 ? all - squares / all : 0;
  }

 private:
  const RowLosses& losses_;
};

class SquaredLosses {
 public:
  struct Sums {
    i64 weight = 0, sum = 0, square = 0;
    void add(const Sums& other) {
      weight += other.weight;
      sum += other.sum;
      square += other.square;
    }
    void take(const Sums& other) { *this = less(other); }
    Sums less(const Sums& other) const { return {weight - other.weight, sum - other.sum, square - other.square}; }
  };
  using RowCost = Sums;
  static constexpr bool kUnit = false;
  static constexpr u32 kAnswers = 0;

  explicit SquaredLosses(const RowLosses& losses) : losses_(losses) {}

  Sums of(Row row) const { return {losses_.weight.empty() ? 1 : losses_.weight[row], losses_.sum[row], losses_.square[row]}; }
  Cost leaf(const Sums& sums) const {
    if (sums.weight <= 0) return 0;
    const double sum = static_cast<double>(sums.sum);
    const double explained = sum * sum / static_cast<double>(sums.weight) * losses_.steps;
    const Cost left = sums.square - static_cast<Cost>(explained) - 1;
    return left > 0 ? left : 0;
  }
  double mixed(const Sums& sums) const { return static_cast<double>(leaf(sums)); }

 private:
  const RowLosses& losses_;
};

// Calls run(losses) with the narrowest losses that fit.
template <class Run>
auto with_losses(const RowLosses& losses, Run&& run) {
  if (losses.n_answers == 0) return run(SquaredLosses(losses));
  const u32 n = losses.n_answers;
  if (losses.unit) {
    if (n <= 2) return run(AnswerLosses<2, i32, false>(losses));
    if (n <= 4) return run(AnswerLosses<4, i32, false>(losses));
    return run(AnswerLosses<kMostUnitAnswers, i32, false>(losses));
  }
  if (n <= 2) return run(AnswerLosses<2, i64, true>(losses));
  if (n <= 4) return run(AnswerLosses<4, i64, true>(losses));
  if (n <= 16) return run(AnswerLosses<16, i64, true>(losses));
  if (n <= 64) return run(AnswerLosses<64, i64, true>(losses));
  return run(AnswerLosses<256, i64, true>(losses));
}

}  // namespace tw
