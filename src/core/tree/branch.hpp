// Which branch of an inner node a row takes, from its cells: the node's own test, then its surrogates, then where missing cells go.
#pragma once

#include <vector>

#include "table/view.hpp"
#include "tree/test.hpp"
#include "tree/tree.hpp"

namespace tw {

// A row of borrowed columns. Anything that is not a level number is missing in a nominal column.
struct ViewRow {
  const Tree& tree;
  const std::vector<View>& cells;
  u64 row;

  double number(std::size_t column) const { return cells[column].number(row); }
  i64 level(std::size_t column) const {
    const double x = cells[column].number(row);
    return x >= 0 && x < tree.columns[column].n_levels ? static_cast<i64>(x) : -1;
  }
};

// The number that a node compares with its cuts, where it is derived from several columns.
template <class Row>
double derived_number(const Tree& tree, std::size_t node, const Row& row) {
  const Tree::Range terms = tree.terms(node);
  const Tree::Range parts = tree.parts(node);
  return derived_of(
      terms.size(), [&](std::size_t t) { return tree.term(terms.begin + t); }, parts.size(),
      [&](std::size_t p) { return tree.part(parts.begin + p); }, row);
}

// What `send` makes of a row's cell in a column; kNowhere where that is missing.
template <class Row, class Send>
i32 branch_of_cell(const Tree& tree, std::size_t column, bool strict, const Row& row, const Send& send) {
  if (tree.columns[column].kind == Kind::numeric) {
    const double x = row.number(column);
    return std::isnan(x) ? kNowhere : send(NumberCell{x, strict});
  }
  const i64 level = row.level(column);
  return level < 0 ? kNowhere : send(LevelCell{static_cast<u32>(level)});
}

// Where a row goes whose cell is missing: as the first surrogate says whose own cell is present, otherwise where missing cells go.
template <class Row>
i32 missing_branch(const Tree& tree, std::size_t node, const Row& row) {
  const Tree::Range here = tree.surrogates(node);
  if (here.size() == 0) return tree.missing_to[node];
  std::size_t level = Tree::range(tree.surrogate_level_begin, node).begin;
  for (std::size_t s = here.begin; s < here.end; ++s) {
    const std::size_t column = tree.surrogate_column[s];
    const std::size_t count = tree.surrogate_levels[s];
    const CellTest<std::span<const double>> test{count > 0 ? Form::levels : Form::cuts,
                                                 {tree.surrogate_at.data() + s, count > 0 ? 0U : 1U},
                                                 {tree.surrogate_level_code.data() + level, count},
                                                 {tree.surrogate_level_branch.data() + level, count},
                                                 kNowhere};
    const i32 branch = branch_of_cell(tree, column, tree.strict[node] != 0, row,
                                      [&](const auto& cell) { return sent_by(tree.surrogate_below[s], test, cell); });
    if (branch != kNowhere) return branch;
    level += count;
  }
  return tree.missing_to[node];
}

// The test of a node, read once for all rows that come to it. A leaf has none, and must not be asked.
class NodeTest {
 public:
  NodeTest(const Tree& tree, std::size_t node)
      : tree_(tree), node_(node), column_(static_cast<std::size_t>(tree.column[node])), strict_(tree.strict[node] != 0) {
    if (tree.leaf(node)) return;
    reads_ = tree.columns[column_].kind == Kind::numeric ? Reads::number : Reads::level;
    if (!tree.term_begin.empty() && tree.terms(node).size() > 0) reads_ = Reads::sum;
    if (reads_ != Reads::level) {
      const Tree::Range cuts = tree.cuts(node);
      test_.form = Form::cuts;
      test_.cuts = {tree.cut_at.data() + cuts.begin, cuts.size()};
      return;
    }
    const Tree::Range levels = tree.levels(node);
    test_ = {form_of(static_cast<Family>(tree.family[node])),
             {},
             {tree.level.data() + levels.begin, levels.size()},
             {tree.level_branch.data() + levels.begin, levels.size()},
             tree.otherwise[node]};
  }

  // The branch, or kAllBranches where a missing cell is followed down all of them.
  template <class Row>
  i32 branch_of(const Row& row) const {
    if (reads_ == Reads::level) {
      const i64 level = row.level(column_);
      const i32 branch = level < 0 ? kNowhere : tw::branch_of(test_, LevelCell{static_cast<u32>(level)});
      return branch != kNowhere ? branch : missing_branch(tree_, node_, row);
    }
    const double x = reads_ == Reads::number ? row.number(column_) : derived_number(tree_, node_, row);
    return std::isnan(x) ? missing_branch(tree_, node_, row) : tw::branch_of(test_, NumberCell{x, strict_});
  }

 private:
  enum class Reads : u8 { number, level, sum };

  const Tree& tree_;
  std::size_t node_;
  std::size_t column_;
  bool strict_;
  Reads reads_ = Reads::number;
  CellTest<std::span<const double>> test_;
};

template <class Row>
i32 branch_of(const Tree& tree, std::size_t node, const Row& row) {
  return NodeTest(tree, node).branch_of(row);
}

inline i32 branch_of(const Tree& tree, const std::vector<View>& cells, std::size_t node, u64 row) {
  return branch_of(tree, node, ViewRow{tree, cells, row});
}

}  // namespace tw
