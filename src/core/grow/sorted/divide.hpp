// How the sorted engine divides a node: the rows of the first branch are marked in a bitmap, and every list is divided by it, stably.
#pragma once

#include <array>
#include <cmath>
#include <optional>
#include <stdexcept>

#include "base/hash.hpp"
#include "base/parallel.hpp"
#include "grow/shortcuts/early_pruning.hpp"
#include "grow/sorted/search.hpp"
#include "grow/sorted/surrogates.hpp"

namespace tw {

// What nodes of one frame are looked at with.
template <Criterion C, class Id>
struct SortedWorkArea {
  using Workspace = typename SortedSearch<C>::Workspace;

  SortedWorkArea() = default;
  SortedWorkArea(unsigned threads, std::size_t most_rows)
      : spaces(threads), spares(most_rows > 0 ? threads : 0, std::vector<Id>(most_rows + Frame<Id>::kPadding)) {}

  Frame<Id> frame;
  std::vector<Workspace> spaces;        // of each thread
  std::vector<std::vector<Id>> spares;  // of each thread: room for the second branch of a list
  bool whole = false;                   // a subtree is grown to its end: branches that are leaves or pairs are finished at once
  std::optional<EarlyPruner> pruner;
  Narrowing narrowing;
  std::unique_ptr<SortedWorkArea<C, u16>> inner;  // of subtrees of few rows
};

template <Criterion C>
class SortedDivision {
  using Node = typename SortedSearch<C>::Open;
  using Workspace = typename SortedSearch<C>::Workspace;
  template <class Id>
  using WorkArea = SortedWorkArea<C, Id>;

 public:
  SortedDivision(const Table& table, const GrowSettings& settings, const FramePlan& plan, const NodeReader<C>& reader,
                 const SortedSearch<C>& search)
      : table_(table), settings_(settings), plan_(plan), reader_(reader), search_(search), surrogates_(table, settings, plan, reader) {}

  bool wants_surrogates() const { return settings_.search.missing == Missing::surrogate; }

  // A node that is certainly a leaf.
  bool ends(const Node& open) const { return open.n < 2 || open.depth >= settings_.max_depth || (C::kClasses && open.one_class()); }

  // Marks the rows of the first branch and returns the two children, lists divided.
  template <class Id>
  std::array<Node, 2> divided(const Node& open, Candidate& chosen, Builder& builder, WorkArea<Id>& area, unsigned threads) const {
    Frame<Id>& frame = area.frame;
    std::vector<Workspace>& spaces = area.spaces;
    std::array<Node, 2> children;
    for (u32 b = 0; b < 2; ++b) {
      children[b].depth = open.depth + 1;
      children[b].path = child_path(open.path, b);
      children[b].range = open.range;
      if (chosen.split.family == Family::threshold || chosen.split.family == Family::presence)
        children[b].range = open.range.below(settings_.search.direction_of(chosen.split.column), chosen.sides[0], chosen.sides[1], b);
      children[b].open = open_below(settings_.interactions, open.open, chosen.split.column);
      if constexpr (C::kClasses) children[b].total.assign(open.total.size(), 0);
      children[b].missing.assign(open.missing.size(), 0);
      children[b].close = spaces[0].close;
      children[b].sparse.resize(open.sparse.size());
    }
    const bool listed = list_branch(frame, open, chosen, children[0], spaces[0]);
    if (!listed) mark(frame, open, chosen, children[0], spaces[0]);
    const i64 sent =
        wants_surrogates() ? send_lost(frame, open, chosen, spaces[0], threads, children[0]) : missing_weight_of_first(chosen, open);
    const u32 first = builder.divide(open.node, chosen.split, chosen.gain);
    for (u32 b = 0; b < 2; ++b) children[b].node = first + b;
    children[1].n = open.n - children[0].n;
    children[1].weight = open.weight - children[0].weight;
    children[0].begin = open.begin;
    children[1].begin = open.begin + children[0].n;
    if constexpr (C::kClasses)
      for (std::size_t k = 0; k < open.total.size(); ++k) children[1].total[k] = open.total[k] - children[0].total[k];
    // The search told what every branch would hold of present rows; a difference is a mistake of ours, never of the data.
    if (chosen.branch_present[0] + sent != children[0].weight || children[0].n == 0 || children[1].n == 0)
      throw std::logic_error("the division of a node does not match its search");
    if (!settled(children, area)) {
      if (listed)
        divide_by_branch(open, chosen.split.column, children, area, threads);
      else
        divide_lists(open, children, area, threads);
    }
    return children;
  }

 private:
  // Whether no child needs a list: leaves of classes do not.
  template <class Id>
  bool settled(const std::array<Node, 2>& children, const WorkArea<Id>&) const {
    return C::kClasses && ends(children[0]) && ends(children[1]);
  }

  // Where no child needs its lists in order, one list is enough: it says which rows a node has. That holds of leaves, and of pairs if they
  // are settled.
  template <class Id>
  bool unordered(const std::array<Node, 2>& children, const WorkArea<Id>& area) const {
    const auto done = [&](const Node& child) { return ends(child) || (area.whole && child.n == 2 && search_.settles_pairs()); };
    return done(children[0]) && done(children[1]);
  }

  template <class Id>
  void divide_lists(const Node& open, std::array<Node, 2>& children, WorkArea<Id>& area, unsigned threads) const {
    Frame<Id>& frame = area.frame;
    const bool one = unordered(children, area);
    const std::size_t dense = plan_.n_lists();
    for_each(one ? 1 : dense + plan_.sparse.size(), threads, [&](std::size_t item, unsigned worker) {
      Id* spare = area.spares[worker].data();
      if (item >= dense)
        return divide_sparse(frame, frame.bitmap, item - dense, true, open, children,
                             [&](Id* slice, u32 n) { return divide_list(frame, slice, n, frame.bitmap.data(), spare); });
      const std::size_t f = one ? plan_.source() : item;
      Id* slice = frame.list(f) + open.begin;
      count_missing(frame, frame.bitmap, f, true, open, children);
      check(divide_list(frame, slice, open.n, frame.bitmap.data(), spare), children[0].n);
    });
  }

  // The same where one branch is listed.
  template <class Id>
  void divide_by_branch(const Node& open, Column column, std::array<Node, 2>& children, WorkArea<Id>& area, unsigned threads) const {
    Frame<Id>& frame = area.frame;
    const ListedBranch& listed = area.spaces[0].listed;
    const bool first = listed.first;
    const bool one = unordered(children, area);
    const std::size_t dense = plan_.n_lists();
    const auto n_listed = static_cast<u32>(listed.ids.size());
    for (unsigned d = 1; d < threads; ++d) area.spaces[d].listed = listed;
    for (const u32 id : listed.ids) frame.marks[id >> 6] |= u64{1} << (id & 63);
    for_each(one ? 1 : dense + plan_.sparse.size(), threads, [&](std::size_t item, unsigned worker) {
      Id* spare = area.spares[worker].data();
      if (item >= dense)
        return divide_sparse(frame, frame.marks, item - dense, first, open, children,
                             [&](Id* slice, u32 n) { return divide_by_marks(frame, slice, n, first, spare); });
      const std::size_t f = one ? plan_.source() : item;
      Id* slice = frame.list(f) + open.begin;
      count_missing(frame, frame.marks, f, first, open, children);
      if (plan_.list_of[column] == static_cast<i32>(f)) return;  // in order as it is
      if (listed.few(open.n) && places_found(frame, slice, f, open, area.spaces[worker].listed))
        take_out(slice, open.n, std::span<const u32>(area.spaces[worker].listed.places), first, spare);
      else
        check(divide_by_marks(frame, slice, open.n, first, spare), n_listed);
    });
    for (const u32 id : listed.ids) frame.marks[id >> 6] = 0;
  }

  template <class Id>
  bool places_found(const Frame<Id>& frame, const Id* slice, std::size_t f, const Node& open, ListedBranch& listed) const {
    if (f >= plan_.lists.size()) return find_rows(slice, open.n, listed);
    return frame.with_cells(table_.columns[plan_.lists[f]].cells, f,
                            [&](const auto& cell) { return find_places(slice, open.n, open.missing_in(f), cell, listed); });
  }

  static void check(u32 found, u32 wanted) {
    if (found != wanted) throw std::logic_error("a list of a node does not hold its rows");
  }

  template <class Id>
  static u32 marked_among(const std::vector<u64>& bits, const Id* entries, u32 n) {
    u32 count = 0;
    for (u32 i = 0; i < n; ++i) {
      const u32 id = Frame<Id>::id_of(entries[i]);
      count += static_cast<u32>(bits[id >> 6] >> (id & 63)) & 1;
    }
    return count;
  }

  // Tells the children how many missing rows they have in a list; `first`: the rows that have a bit go to the first.
  template <class Id>
  void count_missing(const Frame<Id>& frame, const std::vector<u64>& bits, std::size_t f, bool first, const Node& open,
                     std::array<Node, 2>& children) const {
    const u32 missing = f < plan_.lists.size() ? open.missing_in(f) : 0;
    if (missing == 0) return;
    const u32 count = marked_among(bits, frame.list(f) + open.begin + (open.n - missing), missing);
    children[first ? 0 : 1].missing[f] = count;
    children[first ? 1 : 0].missing[f] = missing - count;
  }

  // A sparse list: `divide(slice, n)` divides entries and says how many have a bit.
  template <class Id, class Divide>
  static void divide_sparse(Frame<Id>& frame, const std::vector<u64>& bits, std::size_t s, bool first, const Node& open,
                            std::array<Node, 2>& children, const Divide& divide) {
    const SparseSlice& whole = open.sparse[s];
    SparseSlice& marked = children[first ? 0 : 1].sparse[s];
    SparseSlice& rest = children[first ? 1 : 0].sparse[s];
    children[0].sparse[s].begin = whole.begin;
    if (whole.size() > 0) {
      Id* slice = frame.sparse[s].data() + whole.begin;
      const bool count_below = whole.below <= whole.above;
      const u32 counted = count_below ? marked_among(bits, slice, whole.below) : marked_among(bits, slice + whole.below, whole.above);
      const u32 found = divide(slice, whole.size());
      marked.below = count_below ? counted : found - counted;
      marked.above = found - marked.below;
      rest.below = whole.below - marked.below;
      rest.above = whole.above - marked.above;
    }
    children[1].sparse[s].begin = whole.begin + children[0].sparse[s].size();
  }

  // Lists the rows of one branch and sums up the first, where no row of the node is missing in the column of the split and the column has a
  // list: of all rows, if one branch is small; of some. False if rows are to be marked one by one.
  template <class Id>
  bool list_branch(const Frame<Id>& frame, const Node& open, const Candidate& chosen, Node& child, Workspace& space) const {
    constexpr u32 kSmall = 16;  // so many times as many rows go to the other branch
    const Split& split = chosen.split;
    if (split.family != Family::threshold || wants_surrogates()) return false;
    const Column j = split.column;
    const i32 f = plan_.list_of[j];
    const i32 s = plan_.sparse_of[j];
    const Id* entries = nullptr;
    u32 n = 0;
    ListedBranch& listed = space.listed;
    if (s >= 0) {
      const SparseSlice& slice = open.sparse[static_cast<std::size_t>(s)];
      listed.first = chosen.position <= slice.below;
      n = listed.first ? chosen.position : open.n - chosen.position;
      entries = frame.sparse[static_cast<std::size_t>(s)].data() + slice.begin + (listed.first ? 0 : slice.size() - n);
    } else {
      if (f < 0 || open.missing_in(static_cast<std::size_t>(f)) > 0) return false;
      listed.first = chosen.position <= open.n / 2;
      n = listed.first ? chosen.position : open.n - chosen.position;
      if (n > open.n / kSmall) return false;
      entries = frame.list(static_cast<std::size_t>(f)) + open.begin + (listed.first ? 0 : open.n - n);
    }
    listed.ids.resize(n);
    child.n = n;
    for (u32 i = 0; i < n; ++i) {
      const u32 id = listed.ids[i] = Frame<Id>::id_of(entries[i]);
      const i64 weight = frame.weight_of(id);
      child.weight += weight;
      if constexpr (C::kClasses) child.total[frame.label[id]] += weight;
    }
    if (listed.first) return true;
    child.n = open.n - child.n;
    child.weight = open.weight - child.weight;
    if constexpr (C::kClasses)
      for (std::size_t k = 0; k < open.total.size(); ++k) child.total[k] = open.total[k] - child.total[k];
    return true;
  }

  template <class Id>
  static void put(Frame<Id>& frame, u32 id, bool in_first, Node& child) {
    frame.mark(id, in_first);
    const i64 weight = frame.weight_of(id) & -i64{in_first};  // no branch: it could be foretold no better than the toss of a coin
    child.n += in_first;
    child.weight += weight;
    if constexpr (C::kClasses) child.total[frame.label[id]] += weight;
  }

  // Marks the rows of the first branch. Where surrogates are wanted, rows whose cell is missing are `lost` instead.
  template <class Id>
  void mark(Frame<Id>& frame, const Node& open, const Candidate& chosen, Node& child, Workspace& space) const {
    std::vector<u32>& lost = space.lost.ids;
    const Split& split = chosen.split;
    const Column j = split.column;
    const i32 f = plan_.list_of[j];
    const bool apart = wants_surrogates();
    if (f >= 0) {
      const Id* slice = frame.list(static_cast<std::size_t>(f)) + open.begin;
      const u32 present = open.n - open.missing_in(static_cast<std::size_t>(f));
      const u32 below = split.family == Family::presence ? present : chosen.position;
      for (u32 i = 0; i < below; ++i) put(frame, Frame<Id>::id_of(slice[i]), true, child);
      for (u32 i = below; i < present; ++i) put(frame, Frame<Id>::id_of(slice[i]), false, child);
      for (u32 i = present; i < open.n; ++i) {
        if (apart)
          lost.push_back(Frame<Id>::id_of(slice[i]));
        else
          put(frame, Frame<Id>::id_of(slice[i]), split.missing_to == 0, child);
      }
      return;
    }
    const Id* source = frame.list(plan_.source()) + open.begin;
    if (plan_.is_drawn(j)) {
      const double cut = split.cuts.empty() ? std::numeric_limits<double>::infinity() : split.cuts[0].at;  // none: all present rows
      const bool known = space.drawn.column == j && space.drawn.node == open.node;
      for (u32 i = 0; i < open.n; ++i) {
        const u32 id = Frame<Id>::id_of(source[i]);
        const double value =
            known ? space.drawn.numbers[i] : frame.cell(table_.columns[j].cells, static_cast<std::size_t>(plan_.cells_of[j]), id);
        put(frame, id, std::isnan(value) ? split.missing_to == 0 : split.strict ? value < cut : value <= cut, child);
      }
      return;
    }
    const auto in_first = [&](Code code) { return code == kMissing ? split.missing_to == 0 : branch_of_code(split, code) == 0; };
    const i32 slot = plan_.slot_of[j];
    const u32 n_codes = table_.columns[j].n_codes;
    if (slot < 0 || n_codes > open.n) {
      for (u32 i = 0; i < open.n; ++i) {
        const u32 id = Frame<Id>::id_of(source[i]);
        const Code code = reader_.code_of(frame, j, id);
        if (apart && code == kMissing)
          lost.push_back(id);
        else
          put(frame, id, in_first(code), child);
      }
      return;
    }
    std::vector<u8> branch(std::size_t{n_codes} + 1);  // every code is looked up once
    for (u32 code = 0; code < n_codes; ++code) branch[code] = in_first(code);
    branch[n_codes] = in_first(kMissing);
    for (u32 i = 0; i < open.n; ++i) {
      const u32 id = Frame<Id>::id_of(source[i]);
      const u16 code = frame.codes[id * plan_.coded.size() + static_cast<std::size_t>(slot)];
      if (apart && code == n_codes)
        lost.push_back(id);
      else
        put(frame, id, branch[code] != 0, child);
    }
  }

  // Weight of the missing rows that go to the first branch where all go to one branch.
  static i64 missing_weight_of_first(const Candidate& chosen, const Node& open) {
    return chosen.split.missing_to == 0 ? open.weight - chosen.branch_present[0] - chosen.branch_present[1] : 0;
  }

  // Finds the surrogates of a split whose present rows are marked, and sends the other rows by them. Returns the weight that goes to the
  // first branch.
  template <class Id>
  i64 send_lost(Frame<Id>& frame, const Node& open, Candidate& chosen, Workspace& space, unsigned threads, Node& child) const {
    LostRows& lost = space.lost;
    lost.set(frame.n);
    Split& split = chosen.split;
    split.strict = settings_.search.strict;  // of surrogates, too, where the split itself is by levels
    split.surrogates = surrogates_.find(frame, open, chosen, lost, space, threads);
    i64 sent = 0;
    for (const u32 id : lost.ids) {
      const i32 way = surrogates_.send(frame, split.surrogates, id);
      const bool first = (way == kNowhere ? split.missing_to : way) == 0;
      put(frame, id, first, child);
      if (first) sent += frame.weight_of(id);
    }
    lost.clear();
    return sent;
  }

  const Table& table_;
  const GrowSettings& settings_;
  const FramePlan& plan_;
  const NodeReader<C>& reader_;
  const SortedSearch<C>& search_;
  const SortedSurrogates<C> surrogates_;
};

}  // namespace tw
