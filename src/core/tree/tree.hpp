// The one tree type: flat, immutable columns over the nodes, children contiguous and after their parent, variable-length
// parts in pools addressed by offsets. Built by `Builder` (tree/builder.hpp) or checked by `validate` when it comes from outside.
#pragma once

#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "base/parallel.hpp"
#include "base/types.hpp"
#include "table/table.hpp"
#include "tree/candidate_record.hpp"
#include "tree/test.hpp"

namespace tw {

struct TreeColumn {
  Kind kind = Kind::numeric;
  u32 n_levels = 0;
  std::vector<u8> seen;  // nominal: level occurred in training
};

struct CompactTree;

struct Tree {
  u32 n_classes = 0;  // 0: regression
  std::vector<TreeColumn> columns;

  // One entry per node.
  std::vector<i32> parent;  // -1 for the root
  std::vector<u32> first_child;
  std::vector<u32> n_children;  // 0 for a leaf
  std::vector<u8> family;
  std::vector<u8> strict;
  std::vector<i32> column;  // -1 for a leaf
  std::vector<i32> otherwise;
  std::vector<i32> missing_to;
  std::vector<u8> missing_seen;
  std::vector<i32> step;      // order in which splits were made, -1 for a leaf
  std::vector<i32> label;     // predicted class; empty in regression
  std::vector<double> value;  // mean of the target; empty in classification
  std::vector<double> weight;
  std::vector<double> impurity;
  std::vector<double> gain;

  // While a tree is made: leaves, with the training errors that leaves below them saved before they were taken away again. Never stored.
  std::vector<std::pair<u32, double>> saved;

  // Pools: node i owns [begin[i], begin[i + 1]); where a pool is empty, so are its offsets.
  std::vector<u32> cut_begin, level_begin, class_begin, candidate_begin;
  std::vector<double> cut_at, cut_below, cut_above;
  std::vector<u32> level, level_branch;
  std::vector<u32> class_id;
  std::vector<double> class_weight;
  std::vector<CandidateRecord> candidate_records;
  std::vector<u32> listed_begin, listed_level, listed_branch;  // levels of all candidates of a node, in their order

  // Surrogates, best first. The levels of all surrogates of a node stand together, in their order.
  std::vector<u32> surrogate_begin, surrogate_level_begin;
  std::vector<u32> surrogate_column, surrogate_below, surrogate_levels;
  std::vector<double> surrogate_at, surrogate_low, surrogate_high;  // of a numeric column; NaN otherwise
  std::vector<double> surrogate_agreement, surrogate_adjusted, surrogate_gain, surrogate_sent;
  std::vector<u32> surrogate_level_code, surrogate_level_branch;

  // Terms of the numbers that are derived from several columns, see DerivedTerm; a node that owns some divides their sum.
  std::vector<u32> term_begin;
  std::vector<u32> term_column;
  std::vector<i32> term_level;
  std::vector<double> term_coefficient, term_missing;
  std::vector<i32> term_by;
  std::vector<double> term_by_missing;

  // How scores are made of them, where they are not just added: see ScorePart.
  std::vector<u32> part_begin;
  std::vector<u32> part_score, part_terms;
  std::vector<u8> part_squashed;
  std::vector<double> part_weight, part_constant;

  Once<CompactTree> compact;  // the form rows are routed by, see tree/compact.hpp

  std::size_t size() const { return parent.size(); }
  bool leaf(std::size_t node) const { return n_children[node] == 0; }

  struct Range {
    std::size_t begin = 0;
    std::size_t end = 0;
    std::size_t size() const { return end - begin; }
  };
  static Range range(const std::vector<u32>& begin, std::size_t node) {
    return begin.empty() ? Range{} : Range{begin[node], begin[node + 1]};
  }
  Range cuts(std::size_t node) const { return range(cut_begin, node); }
  Range levels(std::size_t node) const { return range(level_begin, node); }
  Range classes(std::size_t node) const { return range(class_begin, node); }
  Range candidates(std::size_t node) const { return range(candidate_begin, node); }
  Range surrogates(std::size_t node) const { return range(surrogate_begin, node); }
  Range terms(std::size_t node) const { return range(term_begin, node); }
  Range parts(std::size_t node) const { return range(part_begin, node); }

  DerivedTerm term(std::size_t t) const {
    return {term_column[t], term_level[t], term_coefficient[t], term_missing[t], term_by[t], term_by_missing[t]};
  }
  ScorePart part(std::size_t p) const { return {part_score[p], part_terms[p], part_squashed[p], part_weight[p], part_constant[p]}; }
};

// The pools of a tree: columns of as many entries, of which every node owns some.
enum class Pool : u8 { cuts, levels, classes, candidates, candidate_levels, surrogates, surrogate_levels, terms, parts };
inline constexpr std::size_t kPools = 9;

// Whether it describes the split of a node, and goes with it.
constexpr bool of_split(Pool pool) { return pool != Pool::classes && pool != Pool::candidates && pool != Pool::candidate_levels; }

// The offsets of a pool and its columns, as references.
template <Pool pool, class T>
auto pool_of(T& tree) {
  if constexpr (pool == Pool::cuts)
    return std::tie(tree.cut_begin, tree.cut_at, tree.cut_below, tree.cut_above);
  else if constexpr (pool == Pool::levels)
    return std::tie(tree.level_begin, tree.level, tree.level_branch);
  else if constexpr (pool == Pool::classes)
    return std::tie(tree.class_begin, tree.class_id, tree.class_weight);
  else if constexpr (pool == Pool::candidates)
    return std::tie(tree.candidate_begin, tree.candidate_records);
  else if constexpr (pool == Pool::candidate_levels)
    return std::tie(tree.listed_begin, tree.listed_level, tree.listed_branch);
  else if constexpr (pool == Pool::surrogates)
    return std::tie(tree.surrogate_begin, tree.surrogate_column, tree.surrogate_below, tree.surrogate_levels, tree.surrogate_at,
                    tree.surrogate_low, tree.surrogate_high, tree.surrogate_agreement, tree.surrogate_adjusted, tree.surrogate_gain,
                    tree.surrogate_sent);
  else if constexpr (pool == Pool::surrogate_levels)
    return std::tie(tree.surrogate_level_begin, tree.surrogate_level_code, tree.surrogate_level_branch);
  else if constexpr (pool == Pool::terms)
    return std::tie(tree.term_begin, tree.term_column, tree.term_level, tree.term_coefficient, tree.term_missing, tree.term_by,
                    tree.term_by_missing);
  else
    return std::tie(tree.part_begin, tree.part_score, tree.part_terms, tree.part_squashed, tree.part_weight, tree.part_constant);
}

// Calls visit(std::integral_constant<Pool, pool>) for every pool.
template <class Visit>
void each_pool(Visit&& visit) {
  [&]<std::size_t... I>(std::index_sequence<I...>) {
    (visit(std::integral_constant<Pool, static_cast<Pool>(I)>{}), ...);
  }(std::make_index_sequence<kPools>{});
}

// Calls visit(column, value of a leaf) for the columns that describe the split of a node, its step apart...
template <class T, class Visit>
void each_split_column(T& tree, Visit&& visit) {
  visit(tree.n_children, u32{0});
  visit(tree.family, u8{0});
  visit(tree.strict, u8{0});
  visit(tree.column, i32{-1});
  visit(tree.otherwise, kNowhere);
  visit(tree.missing_to, kNowhere);
  visit(tree.missing_seen, u8{0});
  visit(tree.gain, 0.0);
}

// ... and visit(column) for those that every node has, the links to other nodes apart.
template <class T, class Visit>
void each_fact_column(T& tree, Visit&& visit) {
  if (tree.n_classes > 0)
    visit(tree.label);
  else
    visit(tree.value);
  visit(tree.weight);
  visit(tree.impurity);
}

// Throws Invalid unless every index is in range, every node but the root has exactly one parent before it, every pool
// is covered exactly once and every number is one that growing could have produced. Linear in the size of the tree.
void validate(const Tree& tree);

// Depth of every node (0 for the root).
std::vector<u32> depths(const Tree& tree);

// The tree with the given nodes turned into leaves (whatever hangs below them is gone). `cut` has one entry per node.
Tree cut_back(const Tree& tree, const std::vector<u8>& cut);

// Where siblings are all leaves that say the same, their parent becomes a leaf; repeated upwards.
std::vector<u8> mergeable(const Tree& tree);

// The same tree in another unit of weight: every weight is multiplied and divided by these. Weights are sums of at most 2^46 quanta, and
// rounding to the nearest sum undoes what multiplying may have cost, so that there and back again every weight is the same.
Tree weighing(Tree tree, double times, double over);

}  // namespace tw
