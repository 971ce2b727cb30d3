#include "tree/read.hpp"

namespace tw {

NodeFacts facts_of(const Tree& tree, std::size_t node) {
  NodeFacts facts;
  facts.weight = tree.weight[node];
  facts.impurity = tree.impurity[node];
  facts.value = tree.value[node];
  facts.label = tree.label[node];
  for (auto c = tree.class_begin[node]; c < tree.class_begin[node + 1]; ++c)
    facts.classes.emplace_back(tree.class_id[c], tree.class_weight[c]);
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
  for (auto c = tree.cut_begin[node]; c < tree.cut_begin[node + 1]; ++c)
    split.cuts.push_back({tree.cut_at[c], tree.cut_below[c], tree.cut_above[c], 0});
  for (auto l = tree.level_begin[node]; l < tree.level_begin[node + 1]; ++l) {
    split.levels.push_back(tree.level[l]);
    split.branch_of.push_back(tree.level_branch[l]);
  }
  return split;
}

std::vector<Weighed> weighed_of(const Tree& tree, std::size_t node) {
  return {tree.weighed.begin() + static_cast<std::ptrdiff_t>(tree.weighed_begin[node]),
          tree.weighed.begin() + static_cast<std::ptrdiff_t>(tree.weighed_begin[node + 1])};
}

}  // namespace tw
