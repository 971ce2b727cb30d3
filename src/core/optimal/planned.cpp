// The splits of a plan, with thresholds halfway between the values of the node's own rows, and the facts of every node.
#include "optimal/planned.hpp"

#include "grow/criterion_entry.hpp"
#include "grow/limits.hpp"
#include "search/threshold.hpp"

namespace tw {

namespace {

struct Pending {
  u32 node;
  std::size_t plan;    // its split
  std::size_t splits;  // 0: a leaf
  NodeRows rows;
};

class Planned {
 public:
  Planned(const Table& table, const SearchSettings& settings, const Views& views, const Plan& plan)
      : table_(table),
        settings_(settings),
        views_(views),
        plan_(plan),
        searcher_(make_searcher(table, settings)),
        builder_(table.target.n_classes) {}

  Tree make() && {
    NodeRows all;
    for (Row row = 0; row < table_.n_rows; ++row) {
      all.rows.push_back(row);
      all.weights.push_back(table_.weights[row]);
    }
    std::vector<Pending> waiting;
    waiting.push_back({0, 0, plan_.size(), std::move(all)});
    builder_.describe(0, facts_of(waiting.back().rows));
    while (!waiting.empty()) {
      Pending at = std::move(waiting.back());
      waiting.pop_back();
      if (at.splits > 0) divide(at, waiting);
    }
    return std::move(builder_).finish(tree_columns(table_), false);
  }

 private:
  NodeFacts facts_of(const NodeRows& rows) {
    searcher_->read(rows, targets_);
    return targets_.facts;
  }

  // Weight as impurities count it: of classes under their factors.
  static double weight_of(const NodeFacts& facts) {
    if (facts.classes.empty()) return facts.weight;
    double weight = 0;
    for (const auto& [k, w] : facts.classes) weight += w;
    return weight;
  }

  void divide(Pending& at, std::vector<Pending>& waiting) {
    const PlanSplit& planned = plan_[at.plan];
    const TestView::Border border = views_.each[planned.view].borders[planned.border];
    const Test& test = views_.tests[border.test];
    NodeRows parts[2];
    const EncodedColumn& column = table_.columns[test.column];
    i64 present[2] = {0, 0};
    Code below = 0;         // highest code of branch 0
    Code above = kMissing;  // lowest of branch 1
    bool holes = false;
    for (std::size_t i = 0; i < at.rows.rows.size(); ++i) {
      const Row row = at.rows.rows[i];
      const Code code = column.codes[row];
      const std::size_t branch = goes_first(test, code) ? 0 : 1;
      parts[branch].rows.push_back(row);
      parts[branch].weights.push_back(at.rows.weights[i]);
      if (code == kMissing) {
        holes = true;
        continue;
      }
      present[branch] += at.rows.weights[i];
      if (branch == 0)
        below = std::max(below, code);
      else
        above = std::min(above, code);
    }
    Split split = split_of(test, below, above, holes, present);
    if (test.family == Family::subset) list_levels(test, at.rows, split);
    const NodeFacts whole = facts_of(at.rows);
    const NodeFacts each[2] = {facts_of(parts[0]), facts_of(parts[1])};
    double rest = 0;
    for (const NodeFacts& facts : each) rest += weight_of(facts) * facts.impurity;
    const u32 first = builder_.divide(at.node, split, std::max(0.0, whole.impurity - rest / weight_of(whole)));
    for (u32 b = 0; b < 2; ++b) builder_.describe(first + b, each[b]);
    const bool flipped = border.flipped;
    const std::size_t front = at.plan + 1;
    const std::size_t behind = front + planned.front;
    for (u32 b = 0; b < 2; ++b) {
      const bool in_front = (b == 0) != flipped;
      waiting.push_back({first + b, in_front ? front : behind, in_front ? planned.front : planned.behind, std::move(parts[b])});
    }
  }

  Split split_of(const Test& test, Code below, Code above, bool holes, const i64* present) const {
    Split split;
    split.family = test.family;
    split.column = test.column;
    split.n_branches = 2;
    split.missing_seen = holes;
    const i32 heavier = present[1] > present[0] ? 1 : 0;
    split.missing_to = holes ? (test.missing_first ? 0 : 1) : heavier;
    const EncodedColumn& column = table_.columns[test.column];
    if (test.family == Family::presence) {
      split.missing_to = 1;
      split.missing_seen = true;
    } else if (test.family == Family::threshold) {
      if (present[0] == 0 || present[1] == 0) {  // all that is present on one side: whether there is a value
        split.family = Family::presence;
        split.missing_to = 1;
      } else {
        split.cuts = {make_cut(settings_, value_of(column, below), value_of(column, above), below)};
      }
    } else if (test.family == Family::one_vs_rest) {
      split.levels = test.levels;
      split.branch_of = {0};
      split.otherwise = 1;
    }
    return split;
  }

  double value_of(const EncodedColumn& column, Code code) const {
    for (Row row = 0; row < table_.n_rows; ++row)
      if (column.codes[row] == code) return column.cells.number(row);
    return 0;
  }

  // The levels that occur at the node, each with its branch; others go with most of the rows.
  void list_levels(const Test& test, const NodeRows& rows, Split& split) const {
    const EncodedColumn& column = table_.columns[test.column];
    std::vector<i64> weight(column.n_codes, 0);
    for (std::size_t i = 0; i < rows.rows.size(); ++i)
      if (column.codes[rows.rows[i]] != kMissing) weight[column.codes[rows.rows[i]]] += rows.weights[i];
    i64 sides[2] = {0, 0};
    for (Code level = 0; level < column.n_codes; ++level) {
      if (weight[level] == 0) continue;
      const u32 branch = goes_first(test, level) ? 0 : 1;
      split.levels.push_back(level);
      split.branch_of.push_back(branch);
      sides[branch] += weight[level];
    }
    split.otherwise = sides[1] > sides[0] ? 1 : 0;
  }

  const Table& table_;
  const SearchSettings& settings_;
  const Views& views_;
  const Plan& plan_;
  std::unique_ptr<Searcher> searcher_;
  Builder builder_;
  NodeTargets targets_;
};

}  // namespace

Tree planned_tree(const Table& table, const SearchSettings& settings, const Views& views, const Plan& plan) {
  return Planned(table, settings, views, plan).make();
}

}  // namespace tw
