// The sorted engine: every numeric column is sorted once, and nodes keep their rows in that order. Applies where rows
// go to one branch (grow/sorted/applies.cpp says when); gives the tree of the plain engine, node by node.
#pragma once

#include <array>
#include <optional>

#include "base/hash.hpp"
#include "base/memory.hpp"
#include "base/parallel.hpp"
#include "grow/driver.hpp"
#include "grow/limits.hpp"
#include "grow/sorted/applies.hpp"
#include "grow/sorted/divide.hpp"

namespace tw {

template <Criterion C>
class SortedGrower {
  using Searches = SortedSearch<C>;
  using Cell = typename Searches::Cell;
  using Workspace = typename Searches::Workspace;
  // Entries of the large frame; with weights they may be wider.
  using Wide = std::conditional_t<C::kClasses, u32, u64>;

 public:
  using Node = typename Searches::Open;
  template <class Id>
  using WorkArea = SortedWorkArea<C, Id>;

  // `all`: weight of the whole table, of which these rows may be a part.
  SortedGrower(Table& table, const GrowSettings& settings, JobControl& job, double all)
      : table_(table),
        settings_(settings),
        job_(job),
        plan_(table, settings.search, kReadsInOrder<C>, !keeps_some(settings) && !settings.search.keeps_order()),
        reader_(table, settings, plan_),
        search_(table, settings, job, plan_, reader_, all),
        division_(table, settings, plan_, reader_, search_),
        best_first_(settings.order() == Order::best_first) {}

  Tree run() {
    Builder builder(table_.target.n_classes, 2 * u64{table_.n_rows});
    if (!best_first_ && settings_.threads <= 1 && table_.n_rows <= kSmallFrame) {
      WorkArea<u16> area(1, table_.n_rows);
      fill_frame(table_, plan_, 1, area.frame);
      grow_whole(area, builder, root_of(area.frame));
    } else if (kWeighsEntries<C> && plan_.carried) {
      grow_large<std::conditional_t<kWeighsEntries<C>, u64, Wide>>(builder);
    } else {
      grow_large<Wide>(builder);
    }
    if (plan_.much) give_back_freed();  // before the tree is put in order
    return std::move(builder).finish(tree_columns(table_), best_first_);
  }

  // A subtree whose rows are those of the table.
  void run_below(const SubtreeRoot& root, Builder& builder) {
    WorkArea<u16> area(1, table_.n_rows);
    fill_frame(table_, plan_, 1, area.frame);
    Node top = root_of(area.frame);
    top.node = root.node;
    top.depth = root.depth;
    top.path = root.path;
    grow_whole(area, builder, std::move(top));
  }

  // ---- what the driver asks for ----

  template <class Id>
  std::optional<Candidate> examine(Node& node, Builder& builder, WorkArea<Id>& area) {
    job_.check();
    reader_.read(area.frame, node, area.spaces[0]);
    builder.describe(node.node, area.spaces[0].targets.facts);
    return search_.choose_split(area.frame, node, area.spaces, threads_for(node, area), builder);
  }

  template <class Id, class Add>
  void divide(Node& node, Candidate& chosen, Builder& builder, WorkArea<Id>& area, const Add& add) {
    if (best_first_ && division_.wants_surrogates()) reader_.read(area.frame, node, area.spaces[0]);  // others have been read since
    const unsigned threads = threads_for(node, area);
    const Builder::Mark mark = builder.mark();
    auto children = division_.divided(node, chosen, builder, area, threads);
    if (!best_first_ && threads == 1) hand_down(area.frame, children, area.spaces[0]);
    if (area.whole) return finish_branches(node, children, mark, builder, area, add);
    add_in_order(best_first_ ? Order::best_first : Order::depth_first, children, add);
  }

  template <class Id>
  void end(const Node& node, Builder& builder, WorkArea<Id>& area) {
    job_.done += node.n;
    if (area.pruner) area.pruner->finished(as_leaf(node), builder);
  }

  template <class Id>
  void describe(Node& node, Builder& builder, WorkArea<Id>& area) {
    reader_.read(area.frame, node, area.spaces[0]);
    builder.describe(node.node, area.spaces[0].targets.facts);
  }

  template <class Id>
  double urgency(const Node&, const Candidate& chosen, WorkArea<Id>& area) const {
    return area.spaces[0].targets.facts.weight * chosen.gain;
  }
  std::size_t rows(const Node& node) const { return node.n; }

 private:
  template <class Id>
  Node root_of(const Frame<Id>& frame) const {
    Node root;
    root.n = table_.n_rows;
    root.weight = table_.weights.total;
    root.path = mix(settings_.seed);
    root.range = settings_.range;
    root.open = open_at_root(settings_.interactions);
    if constexpr (C::kClasses) {
      root.total.assign(table_.target.n_classes, 0);
      if (plan_.two_classes) {  // without waiting for the counter of either
        for (Row row = 0; row < table_.n_rows; ++row) root.total[1] += frame.weight_of(row) & -i64{frame.label[row]};
        root.total[0] = root.weight - root.total[1];
      } else {
        for (Row row = 0; row < table_.n_rows; ++row) root.total[frame.label[row]] += frame.weight_of(row);
      }
    }
    if (search_.holes())
      for (const Column j : plan_.lists) root.missing.push_back(static_cast<u32>(table_.columns[j].n_missing));
    for (const SparseColumn& sparse : plan_.sparse) root.sparse.push_back({0, sparse.below, sparse.above});
    if (counts_cuts(settings_) || keeps_some(settings_)) root.close.assign(plan_.lists.size(), table_.n_rows);
    return root;
  }

  template <class Id>
  void hand_down(const Frame<Id>& frame, std::array<Node, 2>& children, Workspace& space) {
    if (!division_.ends(children[0]) || !division_.ends(children[1])) search_.codes().hand_down(frame, children, space);
  }

  // Describes a child that is certainly a leaf; false for any other.
  template <class Id>
  bool finish_leaf(Frame<Id>& frame, const Node& open, Builder& builder, Workspace& space) {
    NodeFacts& facts = space.leaf;
    facts.classes.clear();
    facts.weight = table_.weights.plain(open.weight);
    if constexpr (C::kClasses) {
      const auto pure = std::find(open.total.begin(), open.total.end(), open.weight);
      if (pure == open.total.end()) return false;
      // Under losses even a pure node has to be decided, and priors weigh it.
      if (settings_.search.decides()) {
        reader_.read(frame, open, space);
        builder.describe(open.node, space.targets.facts);
        job_.done += open.n;
        return true;
      }
      facts.label = static_cast<i32>(pure - open.total.begin());
      facts.classes.emplace_back(static_cast<u32>(facts.label), facts.weight);
    } else {
      if (open.n > 1) return false;
      facts.value = reader_.value_of(frame, Frame<Id>::id_of(frame.list(plan_.source())[open.begin])) + 0.0;
    }
    builder.describe(open.node, facts);
    job_.done += open.n;
    return true;
  }

  // A node of two rows: split or not, it is finished here.
  template <class Id>
  void settle_pair(Frame<Id>& frame, const Node& open, Builder& builder, Workspace& space) {
    job_.check();
    reader_.read(frame, open, space);
    builder.describe(open.node, space.targets.facts);
    const Id* source = frame.list(plan_.source()) + open.begin;
    const std::array<u32, 2> ids{Frame<Id>::id_of(source[0]), Frame<Id>::id_of(source[1])};
    const auto chosen = search_.split_pair(frame, open, space, ids);
    if (!chosen) {
      job_.done += 2;
      return;
    }
    const u32 first = builder.divide(open.node, chosen->split, chosen->gain);
    Node leaf;
    leaf.n = 1;
    for (u32 b = 0; b < 2; ++b) {
      const u32 at = (chosen->position == 1) == (b == 0) ? 0 : 1;
      leaf.node = first + b;
      leaf.begin = open.begin + at;
      leaf.weight = frame.weight_of(ids[at]);
      if constexpr (C::kClasses) {
        leaf.total.assign(open.total.size(), 0);
        leaf.total[frame.label[ids[at]]] = leaf.weight;
      }
      finish_leaf(frame, leaf, builder, space);
    }
  }

  // Finishes the branches that are leaves or pairs, and adds the others.
  template <class Id, class Add>
  void finish_branches(const Node& open, std::array<Node, 2>& children, const Builder::Mark& mark, Builder& builder, WorkArea<Id>& area,
                       const Add& add) {
    std::vector<Grown> grown(area.pruner ? 2 : 0);
    std::size_t growing = 0;
    const std::size_t largest = children[1].weight >= children[0].weight;
    const Grown here = area.pruner ? as_leaf(open) : Grown{};
    for (const std::size_t b : {std::size_t{1}, std::size_t{0}}) {
      const bool leaf = finish_leaf(area.frame, children[b], builder, area.spaces[0]);
      if (area.pruner) {
        if (leaf)
          grown[b] = as_leaf(children[b]);
        else
          grown[b].state = Grown::State::unknown;
      }
      growing += !leaf;
      if (leaf) continue;
      if (children[b].n == 2 && search_.settles_pairs())
        settle_pair(area.frame, children[b], builder, area.spaces[0]);
      else
        add(std::move(children[b]));
    }
    if (area.pruner) area.pruner->divided(open.node, mark, here, std::move(grown), largest, growing, builder);
  }

  // What a node would be as a leaf, for early pruning.
  Grown as_leaf(const Node& open) const {
    if constexpr (C::kClasses) {
      const i64 errors = open.weight - *std::max_element(open.total.begin(), open.total.end());
      return grown_leaf(table_.weights.plain(open.weight), table_.weights.plain(errors));
    } else {
      return {};
    }
  }

  // ---- the whole tree ----

  // A subtree, or a whole small table, to its end by one thread. Parts of few rows have frames of their own, which are divided faster;
  // not where a part may end because of what others save.
  void grow_whole(WorkArea<u16>& area, Builder& builder, Node root) {
    area.whole = true;
    if (settings_.early_pruning) area.pruner.emplace(*settings_.early_pruning);
    SetAside<Node> aside;
    if (!area.pruner && !plan_.drawn && root.n > kFewIds) aside.most_rows = kFewIds;
    grow_below(*this, std::move(root), builder, area, settings_, job_, &aside);
    area.pruner.reset();
    if (!aside.nodes.empty() && !area.inner) area.inner = std::make_unique<WorkArea<u16>>(1, kFewIds);
    for (Node& part : aside.nodes) {
      narrow_frame(table_, plan_, area.frame, part.begin, part.n, part.sparse, area.inner->narrowing, area.inner->frame);
      part.begin = 0;
      grow_whole(*area.inner, builder, std::move(part));
    }
  }

  // Large nodes with the columns in parallel; then subtrees, each in a small frame of its own.
  template <class Entry>
  void grow_large(Builder& builder) {
    const unsigned threads = std::max(1U, settings_.threads);
    SetAside<Node> aside;
    if (!best_first_) aside.most_rows = std::min(kSmallFrame, threads > 1 ? std::max(1024U, table_.n_rows / (4 * threads)) : kSmallFrame);
    Frame<Entry> large;
    {
      WorkArea<Entry> area(threads, table_.n_rows > aside.most_rows ? table_.n_rows : 0);
      fill_frame(table_, plan_, threads, area.frame);
      grow_below(*this, root_of(area.frame), builder, area, settings_, job_, &aside);
      large = std::move(area.frame);
    }
    std::vector<WorkArea<u16>> areas(threads);
    for (WorkArea<u16>& area : areas) {
      area.spaces.resize(1);
      area.spares.resize(1);
    }
    grow_pieces(
        std::move(aside.nodes), builder, table_.target.n_classes, threads, [](const Node& node) { return node.n; },
        [&](Node piece, Builder& to, unsigned worker) {
          WorkArea<u16>& area = areas[worker];
          narrow_frame(table_, plan_, large, piece.begin, piece.n, piece.sparse, area.narrowing, area.frame);
          area.spares[0].resize(piece.n + Frame<u16>::kPadding);
          piece.begin = 0;
          grow_whole(area, to, std::move(piece));
        });
  }

  template <class Id>
  unsigned threads_for(const Node& node, const WorkArea<Id>& area) const {
    constexpr u32 kWorthThreads = 4096;
    return best_first_ && node.n <= kWorthThreads ? 1 : static_cast<unsigned>(area.spaces.size());
  }

  Table& table_;
  const GrowSettings& settings_;
  JobControl& job_;
  const FramePlan plan_;
  const NodeReader<C> reader_;
  const SortedSearch<C> search_;
  const SortedDivision<C> division_;
  const bool best_first_;
};

}  // namespace tw
