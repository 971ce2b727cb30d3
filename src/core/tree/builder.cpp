#include "tree/builder.hpp"

#include <limits>

#include "base/errors.hpp"

namespace tw {

namespace {

template <class T>
u32 append(std::vector<T>& pool, const std::vector<T>& more) {
  const std::size_t begin = pool.size();
  if (begin + more.size() > std::numeric_limits<u32>::max())
    throw Invalid("the tree is too large: limit it by max_depth or min_samples_leaf");
  pool.insert(pool.end(), more.begin(), more.end());
  return static_cast<u32>(begin);
}

}  // namespace

void Builder::describe(u32 node, const NodeFacts& facts) {
  Node& n = nodes_[node];
  n.weight = facts.weight;
  n.impurity = facts.impurity;
  n.value = facts.value;
  n.label = facts.label;
  n.classes.begin = append(classes_, facts.classes);
  n.classes.end = static_cast<u32>(classes_.size());
}

void Builder::weighed(u32 node, const std::vector<Weighed>& candidates) {
  Node& n = nodes_[node];
  n.weighed.begin = append(weighed_, candidates);
  n.weighed.end = static_cast<u32>(weighed_.size());
}

u32 Builder::divide(u32 node, const Split& split, double gain) {
  const u32 first = size();
  nodes_.resize(nodes_.size() + split.n_branches);
  Node& n = nodes_[node];
  n.first_child = first;
  n.n_children = split.n_branches;
  n.family = split.family;
  n.strict = split.strict;
  n.column = static_cast<i32>(split.column);
  n.otherwise = split.otherwise;
  n.missing_to = split.missing_to;
  n.missing_seen = split.missing_seen;
  n.step = steps_++;
  n.gain = gain;
  n.cuts.begin = append(cuts_, split.cuts);
  n.cuts.end = static_cast<u32>(cuts_.size());
  std::vector<std::pair<Code, u32>> levels;
  for (std::size_t i = 0; i < split.levels.size(); ++i) levels.emplace_back(split.levels[i], split.branch_of[i]);
  n.levels.begin = append(levels_, levels);
  n.levels.end = static_cast<u32>(levels_.size());
  return first;
}

void Builder::reserve(const std::vector<Builder>& pieces) {
  std::size_t nodes = nodes_.size();
  std::size_t cuts = cuts_.size();
  std::size_t levels = levels_.size();
  std::size_t classes = classes_.size();
  for (const Builder& piece : pieces) {
    nodes += piece.nodes_.size();
    cuts += piece.cuts_.size();
    levels += piece.levels_.size();
    classes += piece.classes_.size();
  }
  nodes_.reserve(nodes);
  cuts_.reserve(cuts);
  levels_.reserve(levels);
  classes_.reserve(classes);
}

void Builder::graft(u32 node, const Builder& piece) {
  // Node 0 of the piece takes the place of `node`; its other nodes keep their order at the end.
  const u32 shift = size() - 1;
  const u32 cuts = append(cuts_, piece.cuts_);
  const u32 levels = append(levels_, piece.levels_);
  const u32 classes = append(classes_, piece.classes_);
  const u32 weighed = append(weighed_, piece.weighed_);
  const auto moved = [&](Node n) {
    n.first_child += n.n_children > 0 ? shift : 0;
    n.cuts = {n.cuts.begin + cuts, n.cuts.end + cuts};
    n.levels = {n.levels.begin + levels, n.levels.end + levels};
    n.classes = {n.classes.begin + classes, n.classes.end + classes};
    n.weighed = {n.weighed.begin + weighed, n.weighed.end + weighed};
    return n;
  };
  nodes_[node] = moved(piece.nodes_[0]);
  for (std::size_t i = 1; i < piece.nodes_.size(); ++i) nodes_.push_back(moved(piece.nodes_[i]));
}

Tree Builder::finish(u32 n_classes, std::vector<TreeColumn> columns, bool best_first) const {
  Tree tree;
  tree.n_classes = n_classes;
  tree.columns = std::move(columns);
  // `order[i]`: the builder's node that becomes node i. A node's children are numbered when it is taken from the stack.
  std::vector<u32> order{0};
  std::vector<u32> first(size(), 0);
  std::vector<i32> parent{-1};
  std::vector<u32> stack{0};  // new numbers
  order.reserve(size());
  parent.reserve(size());
  i32 steps = 0;
  std::vector<i32> step(size(), -1);
  while (!stack.empty()) {
    const u32 at = stack.back();
    stack.pop_back();
    const Node& n = nodes_[order[at]];
    if (n.n_children == 0) continue;
    const u32 begin = static_cast<u32>(order.size());
    first[at] = begin;
    step[at] = best_first ? n.step : steps++;
    for (u32 c = 0; c < n.n_children; ++c) {
      order.push_back(n.first_child + c);
      parent.push_back(static_cast<i32>(at));
    }
    for (u32 c = n.n_children; c-- > 0;) stack.push_back(begin + c);
  }
  const std::size_t size = order.size();
  tree.parent = std::move(parent);
  const auto fill = [&](auto& column, auto get) {
    column.reserve(size);
    for (const u32 id : order) column.push_back(get(nodes_[id]));
  };
  fill(tree.n_children, [](const Node& n) { return n.n_children; });
  fill(tree.family, [](const Node& n) { return static_cast<u8>(n.family); });
  fill(tree.strict, [](const Node& n) { return static_cast<u8>(n.strict); });
  fill(tree.column, [](const Node& n) { return n.column; });
  fill(tree.otherwise, [](const Node& n) { return n.otherwise; });
  fill(tree.missing_to, [](const Node& n) { return n.missing_to; });
  fill(tree.missing_seen, [](const Node& n) { return static_cast<u8>(n.missing_seen); });
  fill(tree.label, [](const Node& n) { return n.label; });
  fill(tree.value, [](const Node& n) { return n.value; });
  fill(tree.weight, [](const Node& n) { return n.weight; });
  fill(tree.impurity, [](const Node& n) { return n.impurity; });
  fill(tree.gain, [](const Node& n) { return n.gain; });
  first.resize(size);
  step.resize(size);
  tree.first_child = std::move(first);
  tree.step = std::move(step);
  for (auto* begin : {&tree.cut_begin, &tree.level_begin, &tree.class_begin, &tree.weighed_begin}) {
    begin->reserve(size + 1);
    begin->push_back(0);
  }
  for (const u32 id : order) {
    const Node& n = nodes_[id];
    for (u64 i = n.cuts.begin; i < n.cuts.end; ++i) {
      tree.cut_at.push_back(cuts_[i].at);
      tree.cut_below.push_back(cuts_[i].below);
      tree.cut_above.push_back(cuts_[i].above);
    }
    for (u64 i = n.levels.begin; i < n.levels.end; ++i) {
      tree.level.push_back(levels_[i].first);
      tree.level_branch.push_back(levels_[i].second);
    }
    for (u64 i = n.classes.begin; i < n.classes.end; ++i) {
      tree.class_id.push_back(classes_[i].first);
      tree.class_weight.push_back(classes_[i].second);
    }
    tree.weighed.insert(tree.weighed.end(), weighed_.begin() + static_cast<std::ptrdiff_t>(n.weighed.begin),
                        weighed_.begin() + static_cast<std::ptrdiff_t>(n.weighed.end));
    tree.cut_begin.push_back(tree.cut_at.size());
    tree.level_begin.push_back(tree.level.size());
    tree.class_begin.push_back(tree.class_id.size());
    tree.weighed_begin.push_back(tree.weighed.size());
  }
  return tree;
}

}  // namespace tw
