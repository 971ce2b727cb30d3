// The gate through which every tree from outside must pass. After it, no reader of a tree needs to check an index.
#include <algorithm>
#include <cmath>
#include <string>

#include "base/errors.hpp"
#include "tree/tree.hpp"

namespace tw {

namespace {

[[noreturn]] void refuse(const std::string& what) { throw Invalid("the tree is damaged: " + what); }

[[noreturn]] void refuse(std::size_t node, const std::string& what) { refuse("node " + std::to_string(node) + ": " + what); }

constexpr const char* kPoolNames[kPools] = {"cut",       "level",           "class", "candidate", "listed level",
                                            "surrogate", "surrogate level", "term",  "part"};

template <class Items>
void check_offsets(const char* name, const std::vector<u32>& begin, std::size_t nodes, const Items& pool) {
  if (begin.empty() && pool.empty()) return;
  if (begin.size() != nodes + 1 || begin.front() != 0 || begin.back() != pool.size())
    refuse(std::string(name) + " offsets do not cover their pool");
  for (std::size_t i = 0; i < nodes; ++i)
    if (begin[i] > begin[i + 1]) refuse(i, std::string(name) + " offsets fall");
}

void check_sizes(const Tree& tree) {
  const std::size_t n = tree.size();
  if (n == 0) refuse("it has no nodes");
  if (n > static_cast<std::size_t>(std::numeric_limits<i32>::max())) refuse("it has too many nodes");
  bool even = tree.first_child.size() == n && tree.step.size() == n && (tree.n_classes > 0 ? tree.value.empty() : tree.label.empty());
  each_split_column(tree, [&](const auto& column, auto) { even = even && column.size() == n; });
  each_fact_column(tree, [&](const auto& column) { even = even && column.size() == n; });
  if (!even) refuse("its columns differ in length");
  each_pool([&](auto pool) {
    const char* name = kPoolNames[static_cast<std::size_t>(pool())];
    std::apply(
        [&](const auto& begin, const auto& first, const auto&... others) {
          check_offsets(name, begin, n, first);
          if (!((others.size() == first.size()) && ...)) refuse(std::string("the columns of its ") + name + "s differ in length");
        },
        pool_of<pool()>(tree));
  });
  for (const TreeColumn& column : tree.columns)
    if (column.seen.size() != column.n_levels || (column.kind == Kind::numeric && column.n_levels > 0))
      refuse("a column's levels do not fit its kind");
}

void check_leaf(const Tree& tree, std::size_t i) {
  if (tree.first_child[i] != 0 || tree.strict[i] != 0 || tree.missing_seen[i] != 0 || tree.family[i] != 0 || tree.column[i] != -1 ||
      tree.missing_to[i] != kNowhere || tree.otherwise[i] != kNowhere || tree.step[i] != -1 || tree.cuts(i).size() > 0 ||
      tree.levels(i).size() > 0 || tree.surrogates(i).size() > 0 || Tree::range(tree.surrogate_level_begin, i).size() > 0 ||
      tree.terms(i).size() > 0 || tree.parts(i).size() > 0)
    refuse(i, "a leaf carries parts of a split");
}

void check_cuts(const Tree& tree, std::size_t i) {
  const std::size_t begin = tree.cuts(i).begin;
  const std::size_t count = tree.cuts(i).size();
  if (count + 1 > tree.n_children[i] || count + 2 < tree.n_children[i] || count == 0)
    refuse(i, "the number of cuts does not fit the branches");
  for (std::size_t c = begin; c < begin + count; ++c) {
    if (!std::isfinite(tree.cut_at[c]) || std::isnan(tree.cut_below[c]) || std::isnan(tree.cut_above[c]))
      refuse(i, "a cut is not a number");
    if (c > begin && !(tree.cut_at[c - 1] < tree.cut_at[c])) refuse(i, "the cuts do not ascend");
  }
}

void check_levels(const Tree& tree, std::size_t i, const TreeColumn& column) {
  const Tree::Range levels = tree.levels(i);
  if (levels.size() == 0) refuse(i, "it divides by levels and lists none");
  for (std::size_t l = levels.begin; l < levels.end; ++l) {
    if (tree.level[l] >= column.n_levels) refuse(i, "level " + std::to_string(tree.level[l]) + " is not a level of its column");
    if (tree.level_branch[l] >= tree.n_children[i]) refuse(i, "a level goes to a branch that is not there");
    if (l > levels.begin && tree.level[l - 1] >= tree.level[l]) refuse(i, "the levels do not ascend");
  }
}

void check_surrogates(const Tree& tree, std::size_t i) {
  const Tree::Range here = tree.surrogates(i);
  const Tree::Range levels = Tree::range(tree.surrogate_level_begin, i);
  std::size_t level = levels.begin;
  if (here.size() > 0 && (tree.n_children[i] != 2 || tree.missing_to[i] < 0)) refuse(i, "surrogates need two branches and a last way");
  for (std::size_t s = here.begin; s < here.end; ++s) {
    if (tree.surrogate_column[s] >= tree.columns.size() || tree.surrogate_column[s] == static_cast<u32>(tree.column[i]))
      refuse(i, "a surrogate names no other column");
    const TreeColumn& column = tree.columns[tree.surrogate_column[s]];
    const bool cut = column.kind == Kind::numeric;
    const std::size_t count = tree.surrogate_levels[s];
    if (tree.surrogate_below[s] > 1) refuse(i, "a surrogate sends rows to a branch that is not there");
    if (cut != std::isfinite(tree.surrogate_at[s]) || cut != (count == 0) ||
        (cut && (std::isnan(tree.surrogate_low[s]) || std::isnan(tree.surrogate_high[s]))))
      refuse(i, "a surrogate does not fit its column");
    if (count > levels.end - level) refuse(i, "surrogates list more levels than there are");
    for (std::size_t l = level; l < level + count; ++l)
      if (tree.surrogate_level_code[l] >= column.n_levels || tree.surrogate_level_branch[l] > 1 ||
          (l > level && tree.surrogate_level_code[l - 1] >= tree.surrogate_level_code[l]))
        refuse(i, "the levels of a surrogate are not those of its column, ascending, each with a branch");
    level += count;
    if (!(tree.surrogate_agreement[s] >= 0 && tree.surrogate_agreement[s] <= 1) ||
        !(tree.surrogate_adjusted[s] >= 0 && tree.surrogate_adjusted[s] <= 1) || !std::isfinite(tree.surrogate_gain[s]) ||
        !(tree.surrogate_sent[s] >= 0) || std::isinf(tree.surrogate_sent[s]))
      refuse(i, "a figure of a surrogate is out of range");
  }
  if (level != levels.end) refuse(i, "levels of no surrogate");
}

// Parts take the terms of a node one after the other. Where there are several scores, each has a branch, and the number of the largest is
// cut halfway between them.
void check_parts(const Tree& tree, std::size_t i) {
  const Tree::Range parts = tree.parts(i);
  const bool largest = static_cast<Family>(tree.family[i]) == Family::largest;
  if (parts.size() == 0) {
    if (largest) refuse(i, "it compares scores and has none");
    return;
  }
  u64 terms = 0;
  u32 scores = 0;
  for (std::size_t p = parts.begin; p < parts.end; ++p) {
    if (tree.part_score[p] != scores && !(tree.part_score[p] + 1 == scores && p > parts.begin))
      refuse(i, "scores do not follow each other");
    scores = tree.part_score[p] + 1;
    terms += tree.part_terms[p];
    if (tree.part_squashed[p] > 1 || !std::isfinite(tree.part_weight[p]) || !std::isfinite(tree.part_constant[p]))
      refuse(i, "a figure of a score is not finite");
  }
  if (terms != tree.terms(i).size() || terms == 0) refuse(i, "the parts of its scores do not cover its terms");
  if (largest != (scores > 1) || (largest && scores != tree.n_children[i])) refuse(i, "the number of scores does not fit the branches");
  const Tree::Range cuts = tree.cuts(i);
  for (std::size_t c = 0; largest && c < cuts.size(); ++c)
    if (tree.cut_at[cuts.begin + c] != static_cast<double>(c) + 0.5) refuse(i, "scores are not told apart halfway");
}

// A number that is derived from several columns is cut as any other, or asked for its presence.
void check_terms(const Tree& tree, std::size_t i) {
  const Tree::Range terms = tree.terms(i);
  check_parts(tree, i);
  if (terms.size() == 0) return;
  if (form_of(static_cast<Family>(tree.family[i])) == Form::levels) refuse(i, "levels of a derived number");
  for (std::size_t t = terms.begin; t < terms.end; ++t) {
    if (tree.term_column[t] >= tree.columns.size()) refuse(i, "a term names no column");
    const TreeColumn& column = tree.columns[tree.term_column[t]];
    const bool number = tree.term_level[t] == DerivedTerm::kNumber;
    if (number != (column.kind == Kind::numeric) ||
        (!number && (tree.term_level[t] < 0 || static_cast<u32>(tree.term_level[t]) >= column.n_levels)))
      refuse(i, "a term does not fit its column");
    if (!std::isfinite(tree.term_coefficient[t]) || std::isinf(tree.term_missing[t])) refuse(i, "a figure of a term is not finite");
    const i32 by = tree.term_by[t];
    if (by != DerivedTerm::kAlone &&
        (by < 0 || static_cast<std::size_t>(by) >= tree.columns.size() || tree.columns[static_cast<std::size_t>(by)].kind != Kind::numeric))
      refuse(i, "a term is multiplied with a column that is none, or has no numbers");
    if (std::isinf(tree.term_by_missing[t])) refuse(i, "a figure of a term is not finite");
    if (std::isnan(tree.term_missing[t]) != std::isnan(tree.term_missing[terms.begin]) ||
        (by != DerivedTerm::kAlone && std::isnan(tree.term_by_missing[t]) != std::isnan(tree.term_missing[t])))
      refuse(i, "some terms say what a missing cell counts as, others do not");
  }
  if (tree.term_column[terms.begin] != static_cast<u32>(tree.column[i])) refuse(i, "its column is not that of its first term");
}

void check_split(const Tree& tree, std::size_t i) {
  if (tree.family[i] == 0 || tree.family[i] >= kFamilyCount) refuse(i, "unknown kind of split " + std::to_string(tree.family[i]));
  if (tree.missing_seen[i] > 1) refuse(i, "missing_seen is not a flag");
  if (tree.strict[i] > 1) refuse(i, "unknown relation");
  if (tree.n_children[i] < 2) refuse(i, "a split has fewer than two branches");
  if (tree.column[i] < 0 || static_cast<std::size_t>(tree.column[i]) >= tree.columns.size())
    refuse(i, "column " + std::to_string(tree.column[i]) + " is not one of " + std::to_string(tree.columns.size()));
  const auto family = static_cast<Family>(tree.family[i]);
  const TreeColumn& column = tree.columns[static_cast<std::size_t>(tree.column[i])];
  check_terms(tree, i);
  if (form_of(family) == Form::cuts && column.kind != Kind::numeric && tree.terms(i).size() == 0) refuse(i, "cuts on a nominal column");
  if (form_of(family) == Form::levels && column.kind != Kind::nominal) refuse(i, "levels on a numeric column");
  if (form_of(family) == Form::cuts)
    check_cuts(tree, i);
  else if (tree.cuts(i).size() > 0)
    refuse(i, "cuts on a split that has none");
  if (form_of(family) == Form::levels)
    check_levels(tree, i, column);
  else if (tree.levels(i).size() > 0)
    refuse(i, "levels on a split that has none");
  if (family == Family::presence && tree.n_children[i] != 2) refuse(i, "a presence split has two branches");
  const auto branches = static_cast<i64>(tree.n_children[i]);
  if (tree.otherwise[i] != kNowhere && (tree.otherwise[i] < 0 || tree.otherwise[i] >= branches))
    refuse(i, "other levels go to a branch that is not there");
  if (tree.missing_to[i] != kAllBranches && (tree.missing_to[i] < 0 || tree.missing_to[i] >= branches))
    refuse(i, "missing cells go to a branch that is not there");
  if (tree.step[i] < 0) refuse(i, "a split has no step");
  check_surrogates(tree, i);
}

// Every node but the first must be claimed by exactly one parent, whose number is lower; so there are no cycles.
void check_shape(const Tree& tree) {
  std::vector<u8> claimed(tree.size(), 0);
  if (tree.parent[0] != -1) refuse(0, "the root has a parent");
  for (std::size_t i = 0; i < tree.size(); ++i) {
    if (tree.leaf(i)) {
      check_leaf(tree, i);
      continue;
    }
    const u64 first = tree.first_child[i];
    const u64 last = first + tree.n_children[i];
    if (first <= i || last > tree.size())
      refuse(i, "children " + std::to_string(first) + " to " + std::to_string(last - 1) + " of " + std::to_string(tree.size()) + " nodes");
    check_split(tree, i);
    for (u64 c = first; c < last; ++c) {
      if (claimed[c]++) refuse(c, "two parents");
      if (tree.parent[c] != static_cast<i64>(i)) refuse(c, "its parent does not name it as a child");
    }
  }
  for (std::size_t i = 1; i < tree.size(); ++i)
    if (!claimed[i]) refuse(i, "no parent");
}

void check_candidates(const Tree& tree, std::size_t i) {
  const Tree::Range here = tree.candidates(i);
  const Tree::Range levels = Tree::range(tree.listed_begin, i);
  std::size_t level = levels.begin;
  for (std::size_t c = here.begin; c < here.end; ++c) {
    const CandidateRecord& w = tree.candidate_records[c];
    if (w.column >= tree.columns.size() || static_cast<u8>(w.family) >= kFamilyCount) refuse(i, "a candidate names no column or family");
    if (w.levels > levels.end - level) refuse(i, "candidates list more levels than there are");
    for (const std::size_t end = level + w.levels; level < end; ++level)
      if (tree.listed_level[level] >= tree.columns[w.column].n_levels || tree.listed_branch[level] >= w.n_branches)
        refuse(i, "a candidate lists a level or a branch that it does not have");
  }
  if (level != levels.end) refuse(i, "levels of no candidate");
}

void check_values(const Tree& tree) {
  if (!(tree.weight[0] > 0)) refuse(0, "the root weighs nothing");
  for (std::size_t i = 0; i < tree.size(); ++i) {
    if (!(tree.weight[i] >= 0) || std::isinf(tree.weight[i])) refuse(i, "its weight is not a number from 0 up");
    if (!std::isfinite(tree.impurity[i]) || !std::isfinite(tree.gain[i]) || (tree.n_classes == 0 && !std::isfinite(tree.value[i])))
      refuse(i, "a figure of it is not finite");
    if (tree.n_classes > 0 && (tree.label[i] < 0 || static_cast<u32>(tree.label[i]) >= tree.n_classes))
      refuse(i, "its class is not one of the classes");
    const Tree::Range classes = tree.classes(i);
    for (std::size_t c = classes.begin; c < classes.end; ++c) {
      if (tree.class_id[c] >= tree.n_classes) refuse(i, "it counts a class that does not exist");
      if (c > classes.begin && tree.class_id[c - 1] >= tree.class_id[c]) refuse(i, "its classes do not ascend");
      if (!(tree.class_weight[c] > 0) || std::isinf(tree.class_weight[c])) refuse(i, "a class weight is not a positive number");
    }
    if (tree.n_classes > 0 && classes.size() == 0) refuse(i, "it has no class distribution");
  }
  for (std::size_t i = 0; i < tree.size(); ++i) check_candidates(tree, i);
}

}  // namespace

void validate(const Tree& tree) {
  check_sizes(tree);
  check_shape(tree);
  check_values(tree);
}

}  // namespace tw
