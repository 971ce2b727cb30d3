// Collects the nodes of a tree while it grows, in any order and from several threads' pieces, and writes the flat tree:
// numbered depth first, the children of a node together, so the numbering tells nothing of who grew what when.
#pragma once

#include <array>
#include <utility>
#include <vector>

#include "tree/tree.hpp"

namespace tw {

struct Split;
struct Surrogate;

struct NodeFacts {
  double weight = 0;
  double impurity = 0;
  double value = 0;
  i32 label = -1;
  std::vector<std::pair<u32, double>> classes;  // class and weight, classes that occur
};

class Builder {
 public:
  // `most`: no more nodes than this will come. Room is made for them once, which costs memory only where it is used.
  explicit Builder(u32 n_classes, u64 most = 0);

  u32 size() const { return static_cast<u32>(tree_.n_children.size()); }
  void describe(u32 node, const NodeFacts& facts);
  // `levels` and their branches: of all candidates, one after the other.
  void candidate_records(u32 node, const std::vector<CandidateRecord>& candidates, const std::vector<Code>& levels,
                         const std::vector<u32>& branches);
  // Adds the children and returns the first one's number.
  u32 divide(u32 node, const Split& split, double gain);
  // How much there is, before a node is divided; and the way back to that, by which the node is a leaf again. All nodes made in between
  // are gone: they must be below it.
  struct Mark {
    u32 nodes;
    std::array<std::size_t, kPools> pools;
    std::size_t saved;
  };
  Mark mark() const;
  void undo(u32 node, const Mark& mark);
  // What the leaves below had saved: see Tree.
  void note_saved(u32 node, double errors);
  // Puts a tree grown elsewhere in the place of `node`.
  void graft(u32 node, Builder&& piece);

  // `best_first`: the order of splits is the order of the calls to `divide`; otherwise it is that of a depth-first walk.
  Tree finish(std::vector<TreeColumn> columns, bool best_first) &&;

 private:
  // Per item of a pool: the node it belongs to. Items of a node stand together.
  using Owners = std::vector<u32>;

  void add_nodes(u32 count);
  void add_surrogate(const Surrogate& surrogate);
  std::vector<u32> number_nodes(bool best_first);
  // All items of a pool that have no owner yet are the node's.
  void own(Pool pool, u32 node, std::size_t size) { owners_[static_cast<std::size_t>(pool)].resize(size, node); }

  // The columns of the tree in the order in which nodes were made; no parents, steps and offsets yet. One column at a time is renumbered at
  // the end, so there are never two copies of the tree.
  Tree tree_;
  std::array<Owners, kPools> owners_;
};

}  // namespace tw
