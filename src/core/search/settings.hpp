// What a search needs to know besides the rows: the parts chosen by a recipe.
#pragma once

#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "base/types.hpp"
#include "tree/family.hpp"

namespace tw {

enum class Missing : u8 { learned, own, fraction, spread, majority, ignore, most_common, most_common_in_class, refuse, surrogate };

inline constexpr const char* kMissingNames[] = {
    "learned", "own", "fraction", "spread", "majority", "ignore", "most_common", "most_common_in_class", "refuse", "surrogate"};
inline constexpr u8 kMissings = 10;

// The gain looks at the present rows only.
constexpr bool present_only(Missing m) {
  return m == Missing::fraction || m == Missing::majority || m == Missing::ignore || m == Missing::surrogate;
}
// Missing cells are filled with a value of the node before anything is counted.
constexpr bool fills(Missing m) { return m == Missing::most_common || m == Missing::most_common_in_class; }
// A row is divided among the branches.
constexpr bool divides_rows(Missing m) { return m == Missing::fraction || m == Missing::spread; }

// By how much sums of class weights that add up to `weight` may differ and still be a tie: fractions of rows are rounded to quanta. 2^-27
// is less than any whole row counts for in a table of a hundred million.
constexpr i64 rounding_of(Missing m, i64 weight) { return divides_rows(m) ? weight >> 27 : 0; }

// Which cuts of an ordered column are weighed. `quinlan`: C4.5 release 8, both sides must hold a tenth of the present weight per declared
// class (at least the minimum leaf weight, at most 25) and neighbours lie more than 1e-5 apart. `weka`: as J48, which also
// wants a later cut to gain 1e-6 more than the best before it.
enum class Cuts : u8 { all, quinlan, weka };

inline constexpr double kLeastGap = 1e-5;

inline constexpr const char* kCutsNames[] = {"all", "quinlan", "weka"};

// Scores a division, higher is better, minus infinity: not to be taken. Gets the class weights of `n` branches, one after another.
using ScoreCallback = std::function<double(const std::vector<double>& weights, std::size_t n)>;

struct SearchSettings {
  std::string criterion = "gini";
  ScoreCallback callback;          // scores divisions instead of a criterion of the core
  std::vector<double> loss;        // n_classes x n_classes, truth by row; empty: 0/1
  std::vector<double> priors;      // by class: what a row of it counts in what a node says; empty: one each
  std::vector<double> reweighted;  // by class: what a row of it counts where splits are compared, losses included; empty: one each
  Family numeric = Family::threshold;
  Family nominal = Family::subset;
  Missing missing = Missing::learned;
  bool observed = false;  // thresholds at an observed value instead of halfway
  bool strict = false;    // x < t
  bool drawn = false;     // one split of every column, drawn at random, instead of the best (Geurts, Ernst and Wehenkel 2006)
  Cuts cuts = Cuts::all;
  bool known_cuts = false;                                       // under `spread` thresholds are placed by present rows alone (REPTree)
  bool penalty = false;                                          // a threshold pays log2(cuts tried) / weight (Quinlan 1996)
  double wide_levels = std::numeric_limits<double>::infinity();  // a nominal column of this many levels is no measure of others
  double significance = 0;                                       // 0: no test
  i64 min_leaf = 0;                                              // quanta
  u32 max_exhaustive_levels = 8;
  u32 fewest_for_all = 3;  // classes of a node from which on all divisions of its levels are tried; of two the best is in order of shares
  u32 max_orders = 16;
  // By column: 1 or -1 where answers may only rise or fall with it, 0 where they may do either; empty: 0 for all. See search/order.hpp.
  std::vector<i8> directions;
  bool keeps_order() const { return !directions.empty(); }
  i8 direction_of(Column column) const { return column < directions.size() ? directions[column] : i8{0}; }
  double loss_of(u32 truth, u32 answer, u32 n_classes) const {
    return loss.empty() ? (truth == answer ? 0 : 1) : loss[std::size_t{truth} * n_classes + answer];
  }
  // Whether a node's most frequent class need not be what it says.
  bool decides() const { return !loss.empty() || !priors.empty(); }

  u32 max_ternary = 4096;
  u32 ternary_grid = 1024;
};

}  // namespace tw
