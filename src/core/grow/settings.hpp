// What growing needs to know: the search's settings, when to stop, how to choose.
#pragma once

#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "grow/frontier.hpp"
#include "grow/interactions.hpp"
#include "search/searcher.hpp"
#include "search/settings.hpp"
#include "search/surrogate_search.hpp"
#include "table/table.hpp"

namespace tw {

enum class Ties : u8 { first, seeded, callback };

// Picks one of several candidates that are equally good; gets the node's path from the root as (column, branch) pairs.
using TieBreaker = std::function<std::size_t(const std::vector<const Candidate*>& tied, const std::vector<std::pair<Column, u32>>& path)>;

struct ObliqueSettings;  // see oblique/settings.hpp

// Says which sums of terms are to be tried at a node of these rows: see grow/plain/sums.cpp.
using SumsToTry = std::function<std::vector<std::vector<DerivedTerm>>(const std::vector<Row>& rows, const std::vector<i64>& weights)>;

// What may be undone while growing, because pruning would undo it: see grow/shortcuts/early_pruning.hpp.
struct EarlyPruning {
  bool collapse = false;                                         // splits that save no training error
  std::function<double(double weight, double errors)> expected;  // errors to expect of a leaf; empty: no pruning follows
  double slack = 0;                                              // a leaf may be expected to make so many more
  bool raising = false;                                          // pruning may also put a branch in its parent's place
  bool ends_nodes = false;                                       // no leaf is expected to make fewer errors than one that made none
};

// What a recipe does with the grown tree: see prune/finish.hpp.
struct AfterGrowing {
  bool collapse = false;            // undo splits that save no training error
  bool at_training_values = false;  // move thresholds to values of the table
  std::optional<double> cp;         // prune splits that save no more than this share of the root's risk each
  bool cp_as_rpart = false;         // by rpart's range instead of exactly
};

// How far the proposer of that name looks: see grow/plain/look_ahead.cpp.
struct LookingAhead {
  u32 levels = 2;                                   // that are tried; 1: as if nobody looked ahead
  u32 max_cuts = 0;                                 // of a numeric column at a node; 0: all
  u64 max_steps = std::numeric_limits<u64>::max();  // cells that may be looked at
};

struct GrowSettings {
  SearchSettings search;
  std::optional<Discretiser> discretiser;
  u32 bins = 0;

  u32 max_depth = std::numeric_limits<u32>::max();
  u64 max_leaves = 0;     // 0: no limit
  double min_split = 0;   // weight
  double min_leaf = 0;    // weight
  double min_branch = 0;  // weight: a node whose chosen split has less than two branches of it is a leaf (REPTree)
  double min_every = 0;   // weight: of every branch that holds rows, where several may be lighter than min_leaf
  std::optional<double> min_impurity;
  double min_gain = 0;
  double min_decrease = 0;
  double purity = 1;

  std::vector<std::string> proposers = {"columns"};  // who offers the candidates of a node, see search/proposer.hpp
  SumsToTry sums;                                    // for the proposer of that name
  LookingAhead ahead;                                // for look_ahead
  std::shared_ptr<const ObliqueSettings> oblique;    // for those of tests over several columns
  std::string chooser = "best";                      // who picks one of them, see grow/chooser.hpp
  double wide_share = 0.3;  // quinlan, weka: columns with this many levels per unit of weight are no measure of others
  Ties ties = Ties::first;
  TieBreaker tie_breaker;
  u64 seed = 0;
  u32 max_features = 0;     // 0: all
  ColumnSets interactions;  // columns that may meet on a way; empty: any
  AnswerRange range;        // of the root, where answers keep an order: the tree may be a part of one
  bool keep_candidates = false;
  SurrogateSettings surrogates;
  u32 max_competitors = 0;
  // By class: probabilities, or weights; and the sums of the rows of the loss matrix, where splits are to see it as altered priors.
  std::vector<double> priors, class_weight, loss_sums;
  bool certain_blanks = false;  // an empty branch is sure of its class, instead of repeating the distribution above it
  std::optional<EarlyPruning> early_pruning;
  bool by_level = false;  // nodes are grown level by level: the same tree, for those who read all rows once per level
  AfterGrowing after;
  unsigned threads = 1;
  std::string engine = "automatic";  // or the name of one, see grow/engine.hpp; the tree is the same

  // Which node comes next: with a limit of leaves the most urgent.
  Order order() const { return max_leaves > 0 ? Order::best_first : by_level ? Order::by_level : Order::depth_first; }

  // Whether engines may take short cuts. The plain one, asked for by name, is what they are tested against.
  bool shortcuts() const { return engine != "plain"; }
  // Whether the best split of every column is all that is offered.
  bool columns_alone() const { return proposers.size() == 1 && proposers[0] == "columns"; }

  // Whether a node may not ask for every column, or not for every division of one.
  bool refuses_some() const { return search.keeps_order() || !interactions.empty(); }

  // Whether Python is called while growing.
  bool calls_python() const { return ties == Ties::callback || search.callback || sums; }
};

}  // namespace tw
