// The seam between growing and searching: the rows of a node go in, the best candidate of a column comes out. A searcher is
// made for one criterion; what lies behind is a template per split family (search/search.hpp).
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "search/node_rows.hpp"
#include "search/order.hpp"
#include "search/settings.hpp"
#include "search/summary.hpp"
#include "stats/stat.hpp"
#include "table/table.hpp"
#include "tree/builder.hpp"
#include "tree/split.hpp"

namespace tw {

// What all columns of a node share: targets as small whole numbers, and the node's own summary.
struct NodeTargets {
  std::vector<i32> classes_of;          // class of each instance among those that occur here
  std::vector<i64> class_weight_words;  // class and weight of each instance in one word, where the classes fit: weight << 16 | class
  std::vector<i64> steps_of;            // or its target in steps of the grid
  std::vector<u32> classes;             // classes that occur, ascending
  std::vector<i64> class_total;         // summary of all instances
  std::vector<i128> moment_total;       // or of their targets
  std::vector<i64> counts;              // work space: weight and number of each class of the table
  std::vector<i32> local;
  std::vector<u32> by_target, place;  // for criteria of whole sets: instances in order of their target, and where each stands there
  double error = 0;                   // and the error of all instances
  TargetGrid grid;
  i64 weight = 0;
  bool pure = false;  // nothing left to tell apart
  double largest_share = 0;
  u64 path = 0;       // of the node, where splits are drawn: draws differ by it
  AnswerRange range;  // of what may be answered, where answers keep an order
  NodeFacts facts;
};

template <class Stat>
const std::vector<typename Stat::Label>& labels_of(const NodeTargets& targets) {
  if constexpr (std::is_same_v<Stat, ClassStat>)
    return targets.classes_of;
  else
    return targets.steps_of;
}

template <class Stat>
auto& total_of(auto& targets) {
  if constexpr (std::is_same_v<Stat, ClassStat>)
    return targets.class_total;
  else
    return targets.moment_total;
}

struct Candidate {
  Split split;
  double score = 0;  // inside the column; larger is better
  double rank = 0;   // across columns; larger is better
  double gain = 0;
  double penalty = 0;  // what its own search cost: comparisons look at gain - penalty
  double merit = 0;
  double split_info = 0;
  double after = 0;
  u64 tried = 0;
  bool wide = false;                // its column has too many levels to measure others by
  u32 position = 0;                 // of a sorted list: entries below the cut
  std::vector<i64> branch_present;  // present weight of each branch: division must find the same
  std::array<double, 2> sides{};    // what both sides of a cut answer, where answers keep an order
  bool sketch = false;              // nothing but where rows go, and that it will be chosen, is known yet
};

// Work space of those who estimate cuts in blocks of rows, kept between columns.
struct CutSearchSpace {
  std::vector<i64> moved;     // by block and class: weight
  std::vector<double> terms;  // by block and class: x log2 x of both sides where the block begins
  std::vector<double> sums;   // by block: of weights, likewise
  std::vector<u32> cuts;      // by block: places between different values
  std::vector<i64> left, right;
};

// Work space of one thread; kept between columns and nodes so that searching does not allocate.
struct Scratch {
  CutSearchSpace cut_search;
  std::vector<u64> keys;
  std::vector<u64> listed;
  std::vector<u64> spare;
  std::vector<i32> instance;
  std::vector<i64> class_cells;
  // Counts of all columns of byte levels of the node that was prepared for: per column, level (then missing) and class.
  std::vector<i64> level_counts;
  std::vector<std::size_t> counts_begin;  // by column; kNotCounted
  bool prepared = false;
  static constexpr std::size_t kNotCounted = ~std::size_t{0};
  bool counted(Column column) const { return prepared && counts_begin[column] != kNotCounted; }
  const i64* counts_of(Column column) const { return level_counts.data() + counts_begin[column]; }
  std::vector<i128> moment_cells;

  template <class Cell>
  std::vector<Cell>& cells() {
    if constexpr (std::is_same_v<Cell, i64>)
      return class_cells;
    else
      return moment_cells;
  }
};

class Searcher {
 public:
  virtual ~Searcher() = default;
  // Reads the targets of a node.
  virtual void read(const NodeRows& node, NodeTargets& targets) const = 0;
  // Facts of a node of which only the classes and their weights are known (class targets).
  virtual void describe(NodeTargets&) const {}
  // May count several columns of a node at once, before they are searched with the same scratch.
  virtual void prepare(const NodeRows& node, const NodeTargets& targets, const std::vector<Column>& columns, Scratch& scratch) const = 0;
  virtual std::optional<Candidate> best(const NodeRows& node, const NodeTargets& targets, Column column, Scratch& scratch) const = 0;
  // The best cut of numbers derived from several columns, one per instance, NaN where missing; `column` is named in the split.
  // Nothing from criteria that do not search such numbers.
  virtual std::optional<Candidate> best_cut(const NodeRows& node, const NodeTargets& targets, const std::vector<double>& numbers,
                                            Column column, Scratch& scratch) const;
  // The candidate of a given division of the instances into so many branches, of which at least two hold rows. Its family is `multiway`.
  // Nothing from criteria that do not search such numbers, or compare two branches.
  virtual std::optional<Candidate> of_division(const NodeRows& node, const NodeTargets& targets, const std::vector<u32>& branch,
                                               u32 n_branches, Scratch& scratch) const;
  // The same in two steps, where the rows of a node are not in one place: groups of some of its rows, and the best split from the groups of
  // all of them. `targets` are the node's, where some rows are summarised with the labels of these. Only for criteria that are sums over
  // rows, and policies that do not fill cells.
  virtual ColumnSummary summarise(const NodeRows& some, const NodeTargets& targets, Column column, Scratch& scratch) const;
  virtual std::optional<Candidate> choose(const ColumnSummary& all, const NodeTargets& targets, Column column) const;
  // Fall of impurity by a given division of the instances in two: 0, 1, or neither where the column's cell is missing. 0 for criteria
  // without surrogates.
  virtual double gain_of(const NodeRows& node, const NodeTargets& targets, Column column, const std::vector<i8>& branch) const;
};

// The weighted median of the present codes, or the most common level; per class where the policy says so.
struct Fill {
  Code overall = kMissing;
  std::vector<Code> of_class;  // empty unless filled per class
  Code of(const NodeTargets& targets, std::size_t i) const {
    return of_class.empty() ? overall : of_class[static_cast<std::size_t>(targets.classes_of[i])];
  }
};

Fill find_fill(const EncodedColumn& column, const NodeRows& node, const NodeTargets& targets, Missing policy);

}  // namespace tw
