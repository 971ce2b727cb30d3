// One node of the sorted engine as it is read: its facts, the work space of those who search it, and what they ask of its rows.
#pragma once

#include <memory>
#include <optional>

#include "grow/column_draw.hpp"
#include "grow/interactions.hpp"
#include "grow/shortcuts/column_estimate.hpp"
#include "grow/sorted/counts.hpp"
#include "grow/sorted/few_codes.hpp"
#include "grow/sorted/listed.hpp"
#include "grow/sorted/scan.hpp"
#include "search/search.hpp"

namespace tw {

inline constexpr double kNothing = -std::numeric_limits<double>::infinity();  // a score that every other exceeds

// A node that waits: a slice of every list, and what is known of it before it is read.
template <class Cell>
struct SortedNode {
  u32 node = 0;
  u32 depth = 0;
  u64 path = 0;
  u32 begin = 0;
  u32 n = 0;
  i64 weight = 0;
  std::vector<Cell> total;   // classes: weight per class of the table
  std::vector<u32> missing;  // per list: entries behind the present ones; empty where the table has none
  std::vector<SparseSlice> sparse;
  std::vector<u32> close;  // per list: so many neighbours at most are too close to be told apart; empty where nobody counts cuts
  std::shared_ptr<CodeCounts> counts;  // inherited; null: none
  AnswerRange range;                   // of its answers
  Openness open;                       // columns that may be asked for

  u32 missing_in(std::size_t f) const { return missing.empty() ? 0 : missing[f]; }
  bool one_class() const { return std::find(total.begin(), total.end(), Cell{weight}) != total.end(); }
};

// How good a column is, and where its best cut lies.
template <class Cell>
struct SortedFound {
  Column column = 0;
  double score = 0;
  Place place;
  u64 tried = 0;            // cuts, where they are counted: at most ...
  u64 tried_least = 0;      // ... and at least
  std::vector<Cell> lower;  // what lies below the best one
  ColumnEstimate estimate;
  double threshold = 0;  // where the cut was drawn
};

// The cells of a column at a node, where cuts are drawn: as `ids` of the work space lists its rows, NaN where they are missing.
struct DrawnCells {
  static constexpr Column kNone = ~Column{0};
  Column column = kNone;
  u32 node = 0;
  std::vector<double> numbers;
  double low = 0;
  double high = 0;
};

// Work space of one thread.
template <Criterion C>
struct SortedWorkspace {
  using Stat = typename C::Stat;
  using Cell = typename Stat::Cell;
  using Cells = std::vector<Cell>;
  using Found = SortedFound<Cell>;

  NodeTargets targets;
  Cells cells;               // four summaries
  bool all_present = false;  // the cells summarise a column of this node without missing rows
  bool bits_present = false;
  Cells bits;  // rows with the second value, per column of two values
  Groups<Stat> groups;
  std::shared_ptr<CodeCounts> counts;  // null: not counted yet
  FewCodes few;                        // of a node of few rows
  double largest_few = 0;              // of its targets, around their mean
  std::vector<u64> seen;               // a bit per code, per column of codes: where few codes occur, those are looked up
  std::vector<u64> pairs;
  std::vector<u8> local_class;
  std::vector<double> values;
  std::vector<i64> weights;
  std::vector<u32> ids;    // rows of the node, where columns are counted
  std::vector<u8> labels;  // and their classes among those of the node
  BlockSpace blocks;
  std::vector<std::optional<Found>> slots;
  std::vector<u32> close;  // as in the node in hand, and what was learned about it
  std::vector<Found> forecast;
  std::vector<ColumnEstimate> estimates;
  std::vector<Found> records;
  LostRows lost;
  ListedBranch listed;
  ColumnDraw draw;
  DrawnCells drawn;
  Cells sides;  // what lies on both sides of a cut that is drawn
  NodeFacts leaf;
};

// Whether a later entry of a list has the same value as an earlier one, or one too close to it.
template <class Id>
struct SameValue {
  const Frame<Id>& frame;
  const View& cells;
  std::size_t f;
  const Id* entries;
  double gap;
  bool overlooked = false;  // as if no two had the same

  bool operator()(u32 i, u32 j) const {
    return !overlooked && !(frame.cell(cells, f, Frame<Id>::id_of(entries[i])) + gap < frame.cell(cells, f, Frame<Id>::id_of(entries[j])));
  }
};

// Gives all workspaces what is known of the node in hand.
template <Criterion C>
void share_space(std::vector<SortedWorkspace<C>>& spaces) {
  const SortedWorkspace<C>& space = spaces[0];
  for (std::size_t d = 1; d < spaces.size(); ++d) {
    spaces[d].targets = space.targets;
    spaces[d].all_present = spaces[d].bits_present = false;
    spaces[d].counts.reset();
    spaces[d].seen.clear();
    spaces[d].few.clear();
    spaces[d].close = space.close;
    spaces[d].drawn.column = DrawnCells::kNone;
    spaces[d].local_class = space.local_class;
    spaces[d].ids = space.ids;
    spaces[d].labels = space.labels;
  }
}

// The candidate of a cut of a list that was found; the lower branch is summed up.
template <Criterion C>
std::optional<Candidate> cut_candidate(const AtColumn<C>& at, typename AtColumn<C>::Cells branches, const Place& place, double below,
                                       double above, u64 tried = 0) {
  std::copy_n(at.rows.present, at.width, branches.data() + at.width);
  subtract_cells(branches.data() + at.width, branches.data(), at.width);
  const Cut cut = make_cut(at.settings, below, above, 0);  // divided by place, not by rank
  auto candidate = ThresholdSearch<C>::finish(at, std::move(branches), place, cut, tried);
  if (candidate) candidate->position = static_cast<u32>(place.position);
  return candidate;
}

// Whether a criterion describes nodes by sums that differ by the order of the rows, and asks for that of the table.
template <Criterion C>
inline constexpr bool kReadsInOrder = requires { requires C::kReadsInOrder; };

template <Criterion C>
class NodeReader {
 public:
  using Stat = typename C::Stat;
  using Cell = typename Stat::Cell;
  using Cells = std::vector<Cell>;
  using Open = SortedNode<Cell>;
  using Workspace = SortedWorkspace<C>;

  NodeReader(const Table& table, const GrowSettings& settings, const FramePlan& plan)
      : table_(table), settings_(settings), plan_(plan), gap_(settings.search.cuts == Cuts::all ? 0 : kLeastGap) {}

  double gap() const { return gap_; }

  // The facts of a node.
  template <class Id>
  void read(Frame<Id>& frame, const Open& open, Workspace& space) const {
    space.all_present = space.bits_present = false;
    space.counts = open.counts;
    space.seen.clear();
    space.few.clear();
    space.close = open.close;
    space.targets.path = open.path;
    space.targets.range = open.range;
    space.drawn.column = DrawnCells::kNone;
    space.drawn.node = open.node;
    const Id* source = frame.list(plan_.source()) + open.begin;
    if constexpr (C::kClasses)
      read_classes(open, space);
    else
      read_numbers(frame, source, open, space);
    if (!plan_.reads_rows() || space.targets.pure) return;
    space.ids.resize(open.n);
    for (u32 i = 0; i < open.n; ++i) space.ids[i] = Frame<Id>::id_of(source[i]);
    if constexpr (C::kClasses) {
      space.labels.resize(open.n);
      for (u32 i = 0; i < open.n; ++i) space.labels[i] = space.local_class[frame.label[space.ids[i]]];
    }
  }

  template <class Id>
  Code code_of(const Frame<Id>& frame, Column j, u32 id) const {
    const i32 bit = plan_.bit_of[j];
    if (bit >= 0) return static_cast<Code>(frame.bits[std::size_t{id} * plan_.bit_words + static_cast<u32>(bit) / 64] >> (bit % 64) & 1);
    const i32 slot = plan_.slot_of[j];
    if (slot < 0) return table_.columns[j].codes[frame.row_of(id)];
    const u32 code = frame.codes[id * plan_.coded.size() + static_cast<std::size_t>(slot)];
    return code == table_.columns[j].n_codes ? kMissing : code;
  }

  template <class Id>
  double value_of(const Frame<Id>& frame, u32 id) const {
    return frame.value.empty() ? table_.target.value[frame.row_of(id)] : frame.value[id];
  }

  // Adds a row to a summary of the node's rows.
  template <class Id>
  void add(const C& c, const Frame<Id>& frame, const Workspace& space, u32 id, Cell* cells) const {
    if constexpr (C::kClasses)
      c.stat.add_row(cells, space.local_class[frame.label[id]], frame.weight_of(id));
    else
      c.stat.add_row(cells, frame.step[id], frame.weight_of(id));
  }

  template <class Id>
  SameValue<Id> same_value(const Frame<Id>& frame, const View& cells, std::size_t f, const Id* entries) const {
    return {frame, cells, f, entries, gap_};
  }

  // The best cut of a slice without missing rows; where an order is to be kept, the best of those that do: most often it is the best of
  // all.
  template <class Id>
  Place best_cut(const C& c, const Frame<Id>& frame, const ListSlice<Id, Cell>& slice, const SameValue<Id>& same) const {
    const Place place = best_of_all(c, frame, slice, same);
    if (slice.order == nullptr || !place.any || OrderedScan<C>::allows(c, frame, slice, place.position)) return place;
    return OrderedScan<C>::best(c, frame, slice, same);
  }

  // What an order of answers says of a column at the node in hand, if anything.
  std::optional<OrderCheck> order_of(Column j, const Workspace& space) const {
    if (settings_.search.direction_of(j) == 0) return std::nullopt;
    return OrderCheck(settings_.search, space.targets, j);
  }

  // The best cut of a slice. Where few rows share a value, the best place is looked for as if none did, and only
  // its two neighbours are compared: cells lie far from each other.
  template <class Id>
  Place best_of_all(const C& c, const Frame<Id>& frame, const ListSlice<Id, Cell>& slice, SameValue<Id> same) const {
    const bool ties_are_rare = slice.n_values / 8 >= slice.present || u64{slice.n_values} * 16 >= u64{table_.n_rows} * 15;
    if (gap_ == 0 && ties_are_rare) {
      same.overlooked = true;
      const Place place = ListScan<C>::best(c, frame, slice, same);
      same.overlooked = false;
      const auto position = static_cast<u32>(place.position);
      if (!place.any || !same(position - 1, position)) return place;
    }
    return ListScan<C>::best(c, frame, slice, same);
  }

  // Summaries of the present and the missing rows of a column, in the cells of the workspace.
  ColumnRows<Stat> summaries(const C& c, Workspace& space) const {
    const std::size_t width = c.stat.width();
    space.cells.assign(4 * width, 0);
    ColumnRows<Stat> rows;
    rows.present = space.cells.data();
    rows.missing = rows.present + width;
    return rows;
  }
  void complete(const C& c, const NodeTargets& targets, ColumnRows<Stat>& rows) const {
    std::copy_n(total_of<Stat>(targets).begin(), c.stat.width(), rows.present);
    subtract_cells(rows.present, rows.missing, c.stat.width());
    rows.present_weight = c.stat.weight(rows.present);
    rows.missing_weight = c.stat.weight(rows.missing);
  }
  // Columns without missing rows all know the same rows: their summary is made once a node.
  ColumnRows<Stat> whole(const C& c, Workspace& space) const {
    ColumnRows<Stat> rows;
    if (!space.all_present) {
      rows = summaries(c, space);
      complete(c, space.targets, rows);
      space.all_present = true;
      return rows;
    }
    rows.present = space.cells.data();
    rows.missing = rows.present + c.stat.width();
    rows.present_weight = space.targets.weight;
    return rows;
  }

  AtColumn<C> at_column(const C& c, Column j, const NodeTargets& targets, const ColumnRows<Stat>& rows, Workspace& space) const {
    const std::size_t width = c.stat.width();
    return {
        c, settings_.search, table_.columns[j], j, targets, rows, width, space.cells.data() + 2 * width, space.cells.data() + 3 * width};
  }

  // The least weight of either side of a cut, of all rows or of so many present ones.
  i64 least_side(const C& c, const Workspace& space) const { return least_side(c, space, space.targets.weight); }
  i64 least_side(const C& c, const Workspace& space, i64 present_weight) const {
    if constexpr (C::kClasses)
      return tw::least_side(settings_.search, space.targets, present_weight, c.declared);
    else
      return std::max<i64>(settings_.search.min_leaf, 1);
  }

  template <class Id>
  ListSlice<Id, Cell> slice_of(const C& c, const ColumnRows<Stat>& rows, u32 present, Workspace& space) const {
    ListSlice<Id, Cell> slice;
    slice.present = present;
    slice.right = rows.present;
    slice.present_weight = rows.present_weight;
    slice.least = least_side(c, space, rows.present_weight);
    slice.margin = cut_margin(settings_.search, space.targets);
    slice.local_class = space.local_class.data();
    slice.one = space.cells.data() + 2 * c.stat.width();
    slice.two = slice.one + c.stat.width();
    slice.blocks = &space.blocks;
    return slice;
  }

 private:
  void read_classes(const Open& open, Workspace& space) const {
    NodeTargets& targets = space.targets;
    const u32 n_classes = table_.target.n_classes;
    space.local_class.assign(n_classes, 0);
    targets.classes.clear();
    targets.facts.classes.clear();
    targets.class_total.clear();
    i64 largest = 0;
    for (u32 k = 0; k < n_classes; ++k) {
      if (open.total[k] == 0) continue;
      space.local_class[k] = static_cast<u8>(targets.classes.size());
      targets.classes.push_back(k);
      targets.class_total.push_back(open.total[k]);
      targets.facts.classes.emplace_back(k, table_.weights.plain(open.total[k]));
      largest = std::max(largest, open.total[k]);
    }
    targets.class_total.push_back(open.weight);
    targets.weight = open.weight;
    targets.pure = targets.classes.size() <= 1;
    targets.largest_share = static_cast<double>(largest) / static_cast<double>(open.weight);
    targets.facts.weight = table_.weights.plain(targets.weight);
    targets.facts.value = 0;
    describe_classes<C>(targets, settings_.search, n_classes);
  }

  template <class Id>
  void read_numbers(Frame<Id>& frame, const Id* source, const Open& open, Workspace& space) const {
    NodeTargets& targets = space.targets;
    space.values.resize(open.n);
    for (u32 i = 0; i < open.n; ++i) space.values[i] = value_of(frame, Frame<Id>::id_of(source[i]));
    if (plan_.weighted) {
      space.weights.resize(open.n);
      for (u32 i = 0; i < open.n; ++i) space.weights[i] = frame.weight[Frame<Id>::id_of(source[i])];
    }
    describe_numbers(table_, space.values.data(), plan_.weighted ? space.weights.data() : nullptr, open.n, open.weight, targets);
    i128 sum = 0;
    frame.moment_shift = Moment::shift(open.weight);
    for (u32 i = 0; i < open.n; ++i) {
      const u32 id = Frame<Id>::id_of(source[i]);
      frame.step[id] = targets.steps_of[i];
      const i128 part = static_cast<i128>(targets.steps_of[i]) * frame.weight_of(id);
      sum += part;
      if (plan_.weighted) frame.moment[id] = {space.weights[i], static_cast<i64>(part >> frame.moment_shift)};
    }
    targets.moment_total.assign({i128{open.weight}, sum});
    if constexpr (kReadsInOrder<C>)
      C(targets, settings_.search, 0).describe(space.values.data(), plan_.weighted ? space.weights.data() : nullptr, open.n, targets);
    if constexpr (sizeof(Id) == 8) {
      frame.rough_total = 0;
      for (u32 i = 0; i < open.n; ++i) frame.rough_total += Frame<Id>::rough_of(source[i]);
    }
  }

  const Table& table_;
  const GrowSettings& settings_;
  const FramePlan& plan_;
  const double gap_;  // neighbours no further apart are no place for a cut
};

}  // namespace tw
