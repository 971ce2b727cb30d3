#include "tree/builder.hpp"

#include <limits>

#include "base/errors.hpp"

namespace tw {

namespace {

template <class T>
void append(std::vector<T>& to, const std::vector<T>& more, std::size_t from = 0) {
  to.insert(to.end(), more.begin() + static_cast<std::ptrdiff_t>(from), more.end());
}

template <class T>
void renumber(std::vector<T>& column, const std::vector<u32>& order) {
  std::vector<T> out;
  out.reserve(order.size());
  for (const u32 node : order) out.push_back(column[node]);
  column = std::move(out);
}

template <class Shares>
std::vector<u32> offsets(const Shares& shares, const std::vector<u32>& order) {
  std::vector<u32> begin;
  if (shares.empty()) return begin;
  begin.reserve(order.size() + 1);
  begin.push_back(0);
  for (const u32 node : order) begin.push_back(begin.back() + (node < shares.size() ? shares[node].size : 0));
  return begin;
}

template <class T, class Shares>
void gather(std::vector<T>& pool, const Shares& shares, const std::vector<u32>& order) {
  std::vector<T> out;
  out.reserve(pool.size());
  for (const u32 node : order) {
    if (node >= shares.size()) continue;
    const auto from = pool.begin() + shares[node].begin;
    out.insert(out.end(), from, from + shares[node].size);
  }
  pool = std::move(out);
}

}  // namespace

Builder::Builder(u32 n_classes) {
  tree_.n_classes = n_classes;
  add_nodes(1);
}

void Builder::add_nodes(u32 count) {
  const std::size_t size = tree_.n_children.size() + count;
  if (size > static_cast<std::size_t>(std::numeric_limits<i32>::max()))
    throw Invalid("the tree is too large: limit it by max_depth or min_samples_leaf");
  tree_.first_child.resize(size, 0);
  each_split_column(tree_, [&](auto& column, auto none) { column.resize(size, none); });
  each_fact_column(tree_, [&](auto& column) { column.resize(size); });
}

void Builder::own(Shares& shares, u32 node, std::size_t begin, std::size_t end) {
  if (begin == end) return;
  if (end > std::numeric_limits<u32>::max()) throw Invalid("the tree is too large: limit it by max_depth or min_samples_leaf");
  if (shares.size() <= node) shares.resize(std::size_t{node} + 1);
  shares[node] = {static_cast<u32>(begin), static_cast<u32>(end - begin)};
}

void Builder::describe(u32 node, const NodeFacts& facts) {
  tree_.weight[node] = facts.weight;
  tree_.impurity[node] = facts.impurity;
  if (tree_.n_classes == 0) {
    tree_.value[node] = facts.value;
    return;
  }
  tree_.label[node] = facts.label;
  const std::size_t begin = tree_.class_id.size();
  for (const auto& [id, weight] : facts.classes) {
    tree_.class_id.push_back(id);
    tree_.class_weight.push_back(weight);
  }
  own(classes_, node, begin, tree_.class_id.size());
}

void Builder::weighed(u32 node, const std::vector<Weighed>& candidates) {
  const std::size_t begin = tree_.weighed.size();
  append(tree_.weighed, candidates);
  own(weighed_, node, begin, tree_.weighed.size());
}

u32 Builder::divide(u32 node, const Split& split, double gain) {
  const u32 first = size();
  add_nodes(split.n_branches);
  tree_.first_child[node] = first;
  tree_.n_children[node] = split.n_branches;
  tree_.family[node] = static_cast<u8>(split.family);
  tree_.strict[node] = split.strict;
  tree_.column[node] = static_cast<i32>(split.column);
  tree_.otherwise[node] = split.otherwise;
  tree_.missing_to[node] = split.missing_to;
  tree_.missing_seen[node] = split.missing_seen;
  tree_.step[node] = steps_++;
  tree_.gain[node] = gain;
  const std::size_t cuts = tree_.cut_at.size();
  for (const Cut& cut : split.cuts) {
    tree_.cut_at.push_back(cut.at);
    tree_.cut_below.push_back(cut.below);
    tree_.cut_above.push_back(cut.above);
  }
  own(cuts_, node, cuts, tree_.cut_at.size());
  const std::size_t levels = tree_.level.size();
  append(tree_.level, split.levels);
  append(tree_.level_branch, split.branch_of);
  own(levels_, node, levels, tree_.level.size());
  return first;
}

void Builder::shift(Shares& into, u32 node, const Shares& from, u32 moved, std::size_t by) {
  for (u32 i = 0; i < from.size(); ++i)
    if (from[i].size > 0) own(into, i == 0 ? node : i + moved, from[i].begin + by, from[i].begin + by + from[i].size);
}

void Builder::graft(u32 node, Builder&& piece) {
  // Node 0 of the piece takes the place of `node`; its other nodes keep their order at the end.
  const u32 moved = size() - 1;
  Tree& from = piece.tree_;
  for (std::size_t i = 0; i < from.first_child.size(); ++i)
    if (from.n_children[i] > 0) from.first_child[i] += moved;
  shift(cuts_, node, piece.cuts_, moved, tree_.cut_at.size());
  shift(levels_, node, piece.levels_, moved, tree_.level.size());
  shift(classes_, node, piece.classes_, moved, tree_.class_id.size());
  shift(weighed_, node, piece.weighed_, moved, tree_.weighed.size());
  const auto join = [&](auto& to, auto& more) {
    to[node] = more[0];
    append(to, more, 1);
  };
  join(tree_.first_child, from.first_child);
  join(tree_.n_children, from.n_children);
  join(tree_.family, from.family);
  join(tree_.strict, from.strict);
  join(tree_.column, from.column);
  join(tree_.otherwise, from.otherwise);
  join(tree_.missing_to, from.missing_to);
  join(tree_.missing_seen, from.missing_seen);
  join(tree_.step, from.step);
  join(tree_.gain, from.gain);
  join(tree_.weight, from.weight);
  join(tree_.impurity, from.impurity);
  if (tree_.n_classes > 0)
    join(tree_.label, from.label);
  else
    join(tree_.value, from.value);
  append(tree_.cut_at, from.cut_at);
  append(tree_.cut_below, from.cut_below);
  append(tree_.cut_above, from.cut_above);
  append(tree_.level, from.level);
  append(tree_.level_branch, from.level_branch);
  append(tree_.class_id, from.class_id);
  append(tree_.class_weight, from.class_weight);
  append(tree_.weighed, from.weighed);
  piece = Builder(tree_.n_classes);
}

// Writes parents, first children and steps, and returns which node comes where.
std::vector<u32> Builder::number_nodes(bool best_first) {
  // A node's children are numbered when it is taken from the stack.
  std::vector<u32> order{0};
  std::vector<u32> first(size(), 0);
  std::vector<u32> stack{0};  // new numbers
  order.reserve(size());
  tree_.parent.reserve(size());
  tree_.parent.push_back(-1);
  i32 steps = 0;
  while (!stack.empty()) {
    const u32 at = stack.back();
    stack.pop_back();
    const u32 node = order[at];
    const u32 count = tree_.n_children[node];
    if (count == 0) continue;
    const u32 begin = static_cast<u32>(order.size());
    first[at] = begin;
    if (!best_first) tree_.step[node] = steps++;
    for (u32 c = 0; c < count; ++c) {
      order.push_back(tree_.first_child[node] + c);
      tree_.parent.push_back(static_cast<i32>(at));
    }
    for (u32 c = count; c-- > 0;) stack.push_back(begin + c);
  }
  tree_.first_child = std::move(first);
  return order;
}

Tree Builder::finish(std::vector<TreeColumn> columns, bool best_first) && {
  tree_.columns = std::move(columns);
  const std::vector<u32> order = number_nodes(best_first);
  each_split_column(tree_, [&](auto& column, auto) { renumber(column, order); });
  each_fact_column(tree_, [&](auto& column) { renumber(column, order); });
  const auto place = [&](std::vector<u32>& begin, Shares& shares, auto&... pools) {
    begin = offsets(shares, order);
    (gather(pools, shares, order), ...);
    shares = {};
  };
  place(tree_.cut_begin, cuts_, tree_.cut_at, tree_.cut_below, tree_.cut_above);
  place(tree_.level_begin, levels_, tree_.level, tree_.level_branch);
  place(tree_.class_begin, classes_, tree_.class_id, tree_.class_weight);
  place(tree_.weighed_begin, weighed_, tree_.weighed);
  return std::move(tree_);
}

}  // namespace tw
