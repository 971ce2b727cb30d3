// Grows trees over codes by counting: what rows weigh by column, code and class says all that a search needs, and what a branch does not
// hold its sibling does. Large nodes are counted, the lesser branch row by row; nodes of few rows are handed to the sorted engine, whose
// lists cost less there. Gives the tree of the plain engine, node by node.
#pragma once

#include <limits>
#include <memory>
#include <numeric>
#include <optional>

#include "base/hash.hpp"
#include "base/memory.hpp"
#include "grow/binned/applies.hpp"
#include "grow/binned/frame.hpp"
#include "grow/binned/piece.hpp"
#include "grow/binned/search.hpp"
#include "grow/driver.hpp"
#include "grow/sorted/applies.hpp"

namespace tw {

template <Criterion C>
class BinnedGrower {
  using Stat = typename C::Stat;

 public:
  using Workspace = BinnedWorkspace<C>;

  struct Node {
    u32 node = 0;
    u32 depth = 0;
    u64 path = 0;
    u32 begin = 0;
    u32 n = 0;
    i64 weight = 0;
    std::vector<i64> total;                // classes: weight per class of the table
    std::shared_ptr<BinnedCounts> counts;  // of all columns, where they are known
  };

  // `top`: where the root stands, of a subtree in its tree.
  BinnedGrower(const Table& table, const GrowSettings& settings, JobControl& job, const SubtreeRoot& top)
      : table_(table),
        settings_(settings),
        job_(job),
        unit_(*sorted_unit_of(settings.search)),
        frame_(table),
        search_(table, settings, frame_, top.all),
        top_(top),
        threads_(std::max(1U, settings.threads)),
        best_first_(settings.order() == Order::best_first) {}

  Tree run() {
    Builder builder(table_.target.n_classes, 2 * u64{table_.n_rows});
    SetAside<Node> aside;
    if (!best_first_) aside.most_rows = kHandedOver;
    Workspace space;
    grow_below(*this, root(), builder, space, settings_, job_, &aside);
    grow_pieces(
        std::move(aside.nodes), builder, table_.target.n_classes, threads_, [](const Node& node) { return node.n; },
        [&](Node piece, Builder& to, unsigned) { grow_piece(piece, to); });
    return std::move(builder).finish(tree_columns(table_), best_first_);
  }

  // ---- what the driver asks for ----

  std::optional<Candidate> examine(Node& node, Builder& builder, Workspace& space) {
    job_.check();
    read(node, space);
    builder.describe(node.node, space.targets.facts);
    if (stops(settings_, node.depth, space.targets)) return std::nullopt;
    if (!search_.draws() && !node.counts) {
      node.counts = std::make_shared<BinnedCounts>();
      clear_counts(frame_, *node.counts);
      count(node, search_.columns(), space, *node.counts);
    }
    const auto count_drawn = [&](std::span<const Column> columns) {
      clear_counts(frame_, columns, space.counts);
      count(node, columns, space, space.counts);
      return true;
    };
    auto chosen = search_.choose(search_.draws() ? space.counts : *node.counts, node.path, space, count_drawn);
    if (!chosen || search_.draws() || !keeps_counts(node)) node.counts.reset();
    return chosen;
  }

  template <class Add>
  void divide(Node& node, Candidate& chosen, Builder& builder, Workspace& space, const Add& add) {
    const Column j = chosen.split.column;
    const std::vector<u8> branch = branches_by_code(chosen.split, table_.columns[j].n_codes);
    const u32 first = divide_rows(frame_, rows_of(node), j, branch, space.spare);
    std::array<Node, 2> children;
    const u32 at = builder.divide(node.node, chosen.split, chosen.gain);
    for (u32 b = 0; b < 2; ++b) {
      Node& child = children[b];
      child.node = at + b;
      child.depth = node.depth + 1;
      child.path = child_path(node.path, b);
      child.begin = b == 0 ? node.begin : node.begin + first;
      child.n = b == 0 ? first : node.n - first;
    }
    weigh(node, children);
    if (children[0].n == 0 || children[1].n == 0 || children[0].weight < chosen.branch_present[0] ||
        children[1].weight < chosen.branch_present[1])
      throw std::logic_error("the division of a node does not match its search");
    hand_down(node, children, space);
    add_in_order(settings_.order(), children, add);
  }

  void end(const Node& node, Builder&, Workspace&) { job_.done += node.n; }

  void describe(Node& node, Builder& builder, Workspace& space) {
    read(node, space);
    builder.describe(node.node, space.targets.facts);
  }

  double urgency(const Node&, const Candidate& chosen, Workspace& space) const { return space.targets.facts.weight * chosen.gain; }
  std::size_t rows(const Node& node) const { return node.n; }

 private:
  static constexpr std::size_t kHandedOver = 2048;  // rows of nodes that lists serve better

  std::span<Row> rows_of(const Node& node) { return frame_.rows.subspan(node.begin, node.n); }

  Node root() {
    Node out;
    out.n = table_.n_rows;
    out.weight = table_.weights.total;
    out.depth = top_.depth;
    out.path = top_.path;
    if constexpr (C::kClasses) out.total = classes_of(rows_of(out));
    return out;
  }

  std::vector<i64> classes_of(std::span<const Row> rows) const {
    std::vector<i64> total(table_.target.n_classes, 0);
    for (const Row row : rows) total[frame_.label[row]] += frame_.weight_of(row);
    return total;
  }

  // What the branches weigh: rows of the lesser one are looked at.
  void weigh(const Node& node, std::array<Node, 2>& children) {
    const std::size_t less = children[1].n < children[0].n;
    Node& small = children[less];
    Node& large = children[1 - less];
    if constexpr (C::kClasses) {
      small.total = classes_of(rows_of(small));
      small.weight = std::accumulate(small.total.begin(), small.total.end(), i64{0});
      large.total = node.total;
      for (std::size_t k = 0; k < large.total.size(); ++k) large.total[k] -= small.total[k];
    } else {
      for (const Row row : rows_of(small)) small.weight += frame_.weight_of(row);
    }
    large.weight = node.weight - small.weight;
  }

  void read(const Node& node, Workspace& space) {
    space.targets.path = node.path;
    if constexpr (C::kClasses) {
      search_.read_classes(node.total, space.targets);
    } else {
      const std::span<const Row> rows = rows_of(node);
      space.values.resize(rows.size());
      for (std::size_t i = 0; i < rows.size(); ++i) space.values[i] = table_.target.value[rows[i]];
      space.weights.resize(frame_.weight.empty() ? 0 : rows.size());
      for (std::size_t i = 0; i < space.weights.size(); ++i) space.weights[i] = frame_.weight[rows[i]];
      const i64* weights = space.weights.empty() ? nullptr : space.weights.data();
      describe_numbers(table_, space.values.data(), weights, rows.size(), node.weight, space.targets);
      i128 sum = 0;
      for (std::size_t i = 0; i < rows.size(); ++i)
        sum += static_cast<i128>(space.targets.steps_of[i]) * (weights == nullptr ? 1 : weights[i]);
      space.targets.moment_total.assign({i128{node.weight}, sum});
    }
  }

  void count(const Node& node, std::span<const Column> columns, const Workspace& space, BinnedCounts& counts) {
    count_rows(frame_, rows_of(node), columns, C::kClasses ? nullptr : space.targets.steps_of.data(), threads_, counts);
  }

  // A node keeps no more counters than it has codes, which bounds the memory of nodes that wait.
  bool keeps_counts(const Node& node) const {
    return C::kClasses && frame_.n_slots() * frame_.per_slot() <= std::size_t{node.n} * frame_.columns();
  }

  // Whether a branch will be counted, as far as is known.
  bool grows_on(const Node& node) const {
    if (node.n <= kHandedOver && !best_first_) return false;
    return node.depth < settings_.max_depth && std::find(node.total.begin(), node.total.end(), node.weight) == node.total.end() &&
           keeps_counts(node);
  }

  // The lesser branch is counted, the other one holds the rest. Steps of numbers are the node's own: those are counted afresh.
  void hand_down(Node& node, std::array<Node, 2>& children, Workspace& space) {
    if (!C::kClasses || !node.counts) return;
    const std::size_t less = children[1].n < children[0].n;
    Node& small = children[less];
    Node& large = children[1 - less];
    if (!grows_on(large)) return;
    auto counts = std::make_shared<BinnedCounts>();
    clear_counts(frame_, *counts);
    count(small, search_.columns(), space, *counts);
    large.counts = std::move(node.counts);
    large.counts->subtract(*counts);
    if (grows_on(small)) small.counts = std::move(counts);
  }

  void grow_piece(const Node& node, Builder& builder) {
    Piece piece = piece_of(table_, frame_, rows_of(node), node.weight);
    unit_.grow_below(piece.table, settings_, job_, {node.node, node.depth, node.path, top_.all}, builder);
  }

  const Table& table_;
  const GrowSettings& settings_;
  JobControl& job_;
  const SortedCriterion& unit_;
  BinnedFrame frame_;
  const BinnedSearch<C> search_;
  const SubtreeRoot top_;
  const unsigned threads_;
  const bool best_first_;
};

template <Criterion C>
Tree grow_binned(Table& table, const GrowSettings& settings, JobControl& job) {
  const SubtreeRoot top{0, 0, mix(settings.seed), table.weights.plain(table.weights.total)};
  return BinnedGrower<C>(table, settings, job, top).run();
}

template <Criterion C>
Tree grow_binned_below(Table& table, const GrowSettings& settings, JobControl& job, const SubtreeRoot& top) {
  return BinnedGrower<C>(table, settings, job, top).run();
}

}  // namespace tw
