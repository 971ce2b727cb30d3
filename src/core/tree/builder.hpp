// Collects the nodes of a tree while it grows, in any order and from several threads' pieces, and writes the flat tree:
// numbered depth first, the children of a node together, so the numbering tells nothing of who grew what when.
#pragma once

#include <utility>
#include <vector>

#include "tree/tree.hpp"

namespace tw {

struct NodeFacts {
  double weight = 0;
  double impurity = 0;
  double value = 0;
  i32 label = -1;
  std::vector<std::pair<u32, double>> classes;  // class and weight, classes that occur
};

class Builder {
 public:
  Builder() { nodes_.emplace_back(); }

  u32 size() const { return static_cast<u32>(nodes_.size()); }
  void describe(u32 node, const NodeFacts& facts);
  void weighed(u32 node, const std::vector<Weighed>& candidates);
  // Adds the children and returns the first one's number.
  u32 divide(u32 node, const Split& split, double gain);
  // Makes room for all of these, once.
  void reserve(const std::vector<Builder>& pieces);
  // Puts a tree grown elsewhere in the place of `node`.
  void graft(u32 node, const Builder& piece);

  // `best_first`: the order of splits is the order of the calls to `divide`; otherwise it is that of a depth-first walk.
  Tree finish(u32 n_classes, std::vector<TreeColumn> columns, bool best_first) const;

 private:
  struct Range {  // 32 bits: `append` refuses pools that grow beyond
    u32 begin = 0;
    u32 end = 0;
  };
  struct Node {
    u32 first_child = 0;
    u32 n_children = 0;
    Family family = Family::none;
    bool strict = false;
    bool missing_seen = false;
    i32 column = -1;
    i32 otherwise = kNowhere;
    i32 missing_to = kNowhere;
    i32 step = -1;
    i32 label = -1;
    double value = 0;
    double weight = 0;
    double impurity = 0;
    double gain = 0;
    Range cuts, levels, classes, weighed;
  };

  std::vector<Node> nodes_;
  std::vector<Cut> cuts_;
  std::vector<std::pair<Code, u32>> levels_;
  std::vector<std::pair<u32, double>> classes_;
  std::vector<Weighed> weighed_;
  i32 steps_ = 0;
};

}  // namespace tw
