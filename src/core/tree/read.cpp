// Nodes of a finished tree as the builder takes them.
#include "tree/read.hpp"

namespace tw {

namespace {

// Calls visit(i) for every entry of a pool that a node owns. The offsets of an empty pool need not be there.
template <class Offsets, class Pool, class Visit>
void each_of(const Offsets& begin, const Pool& pool, std::size_t node, Visit&& visit) {
  if (pool.empty()) return;
  for (std::size_t i = begin[node]; i < begin[node + 1]; ++i) visit(i);
}

}  // namespace

NodeFacts facts_of(const Tree& tree, std::size_t node) {
  NodeFacts facts;
  facts.weight = tree.weight[node];
  facts.impurity = tree.impurity[node];
  if (tree.n_classes > 0)
    facts.label = tree.label[node];
  else
    facts.value = tree.value[node];
  each_of(tree.class_begin, tree.class_id, node,
          [&](std::size_t c) { facts.classes.emplace_back(tree.class_id[c], tree.class_weight[c]); });
  return facts;
}

Split split_of(const Tree& tree, std::size_t node) {
  Split split;
  split.family = static_cast<Family>(tree.family[node]);
  split.column = static_cast<Column>(tree.column[node]);
  split.strict = tree.strict[node] != 0;
  split.n_branches = tree.n_children[node];
  split.otherwise = tree.otherwise[node];
  split.missing_to = tree.missing_to[node];
  split.missing_seen = tree.missing_seen[node] != 0;
  each_of(tree.cut_begin, tree.cut_at, node,
          [&](std::size_t c) { split.cuts.push_back({tree.cut_at[c], tree.cut_below[c], tree.cut_above[c], 0}); });
  each_of(tree.level_begin, tree.level, node, [&](std::size_t l) {
    split.levels.push_back(tree.level[l]);
    split.branch_of.push_back(tree.level_branch[l]);
  });
  each_of(tree.term_begin, tree.term_column, node, [&](std::size_t i) { split.terms.push_back(tree.term(i)); });
  each_of(tree.part_begin, tree.part_score, node, [&](std::size_t i) { split.parts.push_back(tree.part(i)); });
  std::size_t level = Tree::range(tree.surrogate_level_begin, node).begin;
  each_of(tree.surrogate_begin, tree.surrogate_column, node, [&](std::size_t s) {
    Surrogate& out = split.surrogates.emplace_back();
    out.column = tree.surrogate_column[s];
    out.below = tree.surrogate_below[s];
    out.cut = {tree.surrogate_at[s], tree.surrogate_low[s], tree.surrogate_high[s], 0};
    out.agreement = tree.surrogate_agreement[s];
    out.adjusted = tree.surrogate_adjusted[s];
    out.gain = tree.surrogate_gain[s];
    out.sent = tree.surrogate_sent[s];
    for (u32 l = 0; l < tree.surrogate_levels[s]; ++l, ++level) {
      out.levels.push_back(tree.surrogate_level_code[level]);
      out.branch_of.push_back(tree.surrogate_level_branch[level]);
    }
  });
  return split;
}

void copy_candidates(const Tree& tree, std::size_t node, u32 to, Builder& builder) {
  std::vector<CandidateRecord> candidate_records;
  std::vector<Code> levels;
  std::vector<u32> branches;
  each_of(tree.candidate_begin, tree.candidate_records, node,
          [&](std::size_t w) { candidate_records.push_back(tree.candidate_records[w]); });
  each_of(tree.listed_begin, tree.listed_level, node, [&](std::size_t l) {
    levels.push_back(tree.listed_level[l]);
    branches.push_back(tree.listed_branch[l]);
  });
  if (!candidate_records.empty()) builder.candidate_records(to, candidate_records, levels, branches);
}

}  // namespace tw
