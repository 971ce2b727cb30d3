// Nodes are collected as they come and put in order at the end, one column at a time.
#include "tree/builder.hpp"

#include <algorithm>
#include <limits>

#include "base/errors.hpp"
#include "tree/split.hpp"

namespace tw {

namespace {

constexpr u64 kMostRoom = u64{1} << 22;
constexpr const char* kTooLarge = "the tree is too large: limit it by max_depth or min_samples_leaf";

// Nodes are numbered with 31 bits.
void check_size(std::size_t nodes) {
  if (nodes > static_cast<std::size_t>(std::numeric_limits<i32>::max())) throw Invalid(kTooLarge);
}

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

// Puts the items of a pool in the order of their owners' new numbers and writes the offsets.
template <class... T>
void place(std::vector<u32>& begin, std::vector<u32>& owners, const std::vector<u32>& number_of, std::vector<T>&... pool) {
  if (owners.empty()) return;
  if (owners.size() > std::numeric_limits<u32>::max()) throw Invalid(kTooLarge);
  begin.assign(number_of.size() + 1, 0);
  for (const u32 owner : owners) ++begin[number_of[owner] + 1];
  for (std::size_t i = 1; i < begin.size(); ++i) begin[i] += begin[i - 1];
  u32 last = 0;
  u32 at = 0;
  for (std::size_t i = 0; i < owners.size(); ++i) {  // owners become places
    const u32 owner = owners[i];
    at = i > 0 && owner == last ? at + 1 : begin[number_of[owner]];
    last = owner;
    owners[i] = at;
  }
  const auto move = [&](auto& items) {
    std::remove_reference_t<decltype(items)> out(items.size());
    for (std::size_t i = 0; i < items.size(); ++i) out[owners[i]] = items[i];
    items = std::move(out);
  };
  (move(pool), ...);
  owners = {};
}

}  // namespace

Builder::Builder(u32 n_classes, u64 most) {
  tree_.n_classes = n_classes;
  const std::size_t room = std::min<u64>(most, kMostRoom);
  tree_.first_child.reserve(room);
  each_split_column(tree_, [&](auto& column, auto) { column.reserve(room); });
  each_fact_column(tree_, [&](auto& column) { column.reserve(room); });
  for (auto* column : {&tree_.cut_at, &tree_.cut_below, &tree_.cut_above}) column->reserve(room / 2);
  owners_[static_cast<std::size_t>(Pool::cuts)].reserve(room / 2);
  add_nodes(1);
}

void Builder::add_nodes(u32 count) {
  const std::size_t size = tree_.n_children.size() + count;
  check_size(size);
  tree_.first_child.resize(size, 0);
  each_split_column(tree_, [&](auto& column, auto none) { column.resize(size, none); });
  each_fact_column(tree_, [&](auto& column) { column.resize(size); });
}

void Builder::describe(u32 node, const NodeFacts& facts) {
  tree_.weight[node] = facts.weight;
  tree_.impurity[node] = facts.impurity;
  if (tree_.n_classes == 0) {
    tree_.value[node] = facts.value;
    return;
  }
  tree_.label[node] = facts.label;
  for (const auto& [id, weight] : facts.classes) {
    tree_.class_id.push_back(id);
    tree_.class_weight.push_back(weight);
  }
  own(Pool::classes, node, tree_.class_id.size());
}

void Builder::candidate_records(u32 node, const std::vector<CandidateRecord>& candidates, const std::vector<Code>& levels,
                                const std::vector<u32>& branches) {
  append(tree_.candidate_records, candidates);
  own(Pool::candidates, node, tree_.candidate_records.size());
  append(tree_.listed_level, levels);
  append(tree_.listed_branch, branches);
  own(Pool::candidate_levels, node, tree_.listed_level.size());
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
  tree_.gain[node] = gain;
  for (const Cut& cut : split.cuts) {
    tree_.cut_at.push_back(cut.at);
    tree_.cut_below.push_back(cut.below);
    tree_.cut_above.push_back(cut.above);
  }
  own(Pool::cuts, node, tree_.cut_at.size());
  append(tree_.level, split.levels);
  append(tree_.level_branch, split.branch_of);
  own(Pool::levels, node, tree_.level.size());
  for (const Surrogate& s : split.surrogates) add_surrogate(s);
  own(Pool::surrogates, node, tree_.surrogate_column.size());
  own(Pool::surrogate_levels, node, tree_.surrogate_level_code.size());
  for (const DerivedTerm& term : split.terms) {
    tree_.term_column.push_back(term.column);
    tree_.term_level.push_back(term.level);
    tree_.term_coefficient.push_back(term.coefficient);
    tree_.term_missing.push_back(term.missing);
    tree_.term_by.push_back(term.by);
    tree_.term_by_missing.push_back(term.by_missing);
  }
  own(Pool::terms, node, tree_.term_column.size());
  for (const ScorePart& part : split.parts) {
    tree_.part_score.push_back(part.score);
    tree_.part_terms.push_back(part.terms);
    tree_.part_squashed.push_back(part.squashed);
    tree_.part_weight.push_back(part.weight);
    tree_.part_constant.push_back(part.constant);
  }
  own(Pool::parts, node, tree_.part_score.size());
  return first;
}

Builder::Mark Builder::mark() const {
  Mark mark{size(), {}, tree_.saved.size()};
  for (std::size_t pool = 0; pool < kPools; ++pool) mark.pools[pool] = owners_[pool].size();
  return mark;
}

void Builder::undo(u32 node, const Mark& mark) {
  tree_.first_child.resize(mark.nodes);
  each_split_column(tree_, [&](auto& column, auto none) {
    column.resize(mark.nodes);
    column[node] = none;
  });
  each_fact_column(tree_, [&](auto& column) { column.resize(mark.nodes); });
  tree_.first_child[node] = 0;
  each_pool([&](auto pool) {
    const auto at = static_cast<std::size_t>(pool());
    owners_[at].resize(mark.pools[at]);
    std::apply([&](auto&, auto&... items) { (items.resize(mark.pools[at]), ...); }, pool_of<pool()>(tree_));
  });
  tree_.saved.resize(mark.saved);
}

void Builder::note_saved(u32 node, double errors) {
  if (errors > 0) tree_.saved.emplace_back(node, errors);
}

void Builder::add_surrogate(const Surrogate& s) {
  const bool by_levels = !s.levels.empty();
  const double none = std::numeric_limits<double>::quiet_NaN();
  tree_.surrogate_column.push_back(s.column);
  tree_.surrogate_below.push_back(s.below);
  tree_.surrogate_levels.push_back(static_cast<u32>(s.levels.size()));
  tree_.surrogate_at.push_back(by_levels ? none : s.cut.at);
  tree_.surrogate_low.push_back(by_levels ? none : s.cut.below);
  tree_.surrogate_high.push_back(by_levels ? none : s.cut.above);
  tree_.surrogate_agreement.push_back(s.agreement);
  tree_.surrogate_adjusted.push_back(s.adjusted);
  tree_.surrogate_gain.push_back(s.gain);
  tree_.surrogate_sent.push_back(s.sent);
  append(tree_.surrogate_level_code, s.levels);
  append(tree_.surrogate_level_branch, s.branch_of);
}

void Builder::graft(u32 node, Builder&& piece) {
  // Node 0 of the piece takes the place of `node`; its other nodes keep their order at the end.
  const u32 moved = size() - 1;
  Tree& from = piece.tree_;
  check_size(std::size_t{moved} + from.first_child.size());
  for (std::size_t i = 0; i < from.first_child.size(); ++i)
    if (from.n_children[i] > 0) from.first_child[i] += moved;
  const auto join_owners = [&](Owners& to, const Owners& more) {
    for (const u32 owner : more) to.push_back(owner == 0 ? node : owner + moved);
  };
  each_pool([&](auto pool) {
    const auto at = static_cast<std::size_t>(pool());
    join_owners(owners_[at], piece.owners_[at]);
    std::apply(
        [&](auto&, auto&... items) { std::apply([&](auto&, auto&... added) { (append(items, added), ...); }, pool_of<pool()>(from)); },
        pool_of<pool()>(tree_));
  });
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
  join(tree_.gain, from.gain);
  join(tree_.weight, from.weight);
  join(tree_.impurity, from.impurity);
  if (tree_.n_classes > 0)
    join(tree_.label, from.label);
  else
    join(tree_.value, from.value);
  for (const auto& [leaf, errors] : from.saved) tree_.saved.emplace_back(leaf == 0 ? node : leaf + moved, errors);
  piece = Builder(tree_.n_classes);
}

// Writes parents, first children and steps, and returns which node comes where.
std::vector<u32> Builder::number_nodes(bool best_first) {
  // A node's children are numbered when it is taken from the stack.
  std::vector<u32> order{0};
  std::vector<u32> first(size(), 0);
  std::vector<u32> stack{0};  // new numbers
  std::vector<u32> divided;   // likewise, in the order of this walk
  order.reserve(size());
  tree_.parent.reserve(size());
  tree_.parent.push_back(-1);
  while (!stack.empty()) {
    const u32 at = stack.back();
    stack.pop_back();
    const u32 node = order[at];
    const u32 count = tree_.n_children[node];
    if (count == 0) continue;
    const u32 begin = static_cast<u32>(order.size());
    first[at] = begin;
    divided.push_back(at);
    for (u32 c = 0; c < count; ++c) {
      order.push_back(tree_.first_child[node] + c);
      tree_.parent.push_back(static_cast<i32>(at));
    }
    for (u32 c = count; c-- > 0;) stack.push_back(begin + c);
  }
  // Children are added when a node is divided: their numbers tell the order in which that happened.
  if (best_first)
    std::sort(divided.begin(), divided.end(), [&](u32 a, u32 b) { return tree_.first_child[order[a]] < tree_.first_child[order[b]]; });
  tree_.step.assign(size(), -1);
  for (std::size_t s = 0; s < divided.size(); ++s) tree_.step[divided[s]] = static_cast<i32>(s);
  tree_.first_child = std::move(first);
  return order;
}

Tree Builder::finish(std::vector<TreeColumn> columns, bool best_first) && {
  tree_.columns = std::move(columns);
  const std::vector<u32> order = number_nodes(best_first);
  each_split_column(tree_, [&](auto& column, auto) { renumber(column, order); });
  each_fact_column(tree_, [&](auto& column) { renumber(column, order); });
  std::vector<u32> number_of(order.size());
  for (u32 i = 0; i < order.size(); ++i) number_of[order[i]] = i;
  for (auto& [leaf, errors] : tree_.saved) leaf = number_of[leaf];
  each_pool([&](auto pool) {
    std::apply([&](auto& begin, auto&... items) { place(begin, owners_[static_cast<std::size_t>(pool())], number_of, items...); },
               pool_of<pool()>(tree_));
  });
  return std::move(tree_);
}

}  // namespace tw
