// One node of the sorted engine: its facts, the best cut of each column, and the candidates among which is chosen.
#pragma once

#include <atomic>
#include <memory>
#include <numeric>
#include <optional>

#include "grow/chooser.hpp"
#include "grow/limits.hpp"
#include "grow/outlook.hpp"
#include "grow/sorted_counts.hpp"
#include "grow/sorted_scan.hpp"
#include "search/search.hpp"

namespace tw {

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
  std::vector<u32> missing;  // per list: entries behind the known ones; empty where the table has none
  std::vector<u32> close;    // per list: so many neighbours at most are too close to be told apart; empty where nobody counts cuts
  std::shared_ptr<CodeCounts> counts;  // inherited; null: none

  u32 missing_in(std::size_t f) const { return missing.empty() ? 0 : missing[f]; }
  bool one_class() const { return std::find(total.begin(), total.end(), Cell{weight}) != total.end(); }
};

template <Criterion C>
class SortedSearch {
 public:
  using Stat = typename C::Stat;
  using Cell = typename Stat::Cell;
  using Cells = std::vector<Cell>;
  using Open = SortedNode<Cell>;

  // How good a column is, and where its best cut lies.
  struct Found {
    Column column = 0;
    double score = 0;
    Place place;
    u64 tried = 0;        // cuts, where they are counted: at most ...
    u64 tried_least = 0;  // ... and at least
    Cells lower;          // what lies below the best one
    Outlook outlook;
  };

  // Work space of one thread.
  struct Desk {
    NodeTargets targets;
    Cells cells;             // four summaries
    bool all_known = false;  // the cells summarise a column of this node without missing rows
    bool bits_known = false;
    Cells bits;  // rows with the second value, per column of two values
    Groups<Stat> groups;
    std::shared_ptr<CodeCounts> counts;  // null: not counted yet
    std::vector<u64> seen;               // a bit a code, per column of codes: where few codes occur, those are looked up
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
    std::vector<Outlook> outlooks;
    std::vector<Found> records;
    LostRows lost;
  };

  SortedSearch(const Table& table, const GrowSettings& settings, Work& work, const FramePlan& plan)
      : table_(table), settings_(settings), work_(work), plan_(plan) {
    for (Column j = 0; j < table.columns.size(); ++j) holes_ = holes_ || table.columns[j].n_missing > 0;
    all_columns_.resize(table.columns.size());
    std::iota(all_columns_.begin(), all_columns_.end(), Column{0});
    draw_ = settings.max_features > 0 && settings.max_features < all_columns_.size();
    compare_ = C::kRankIsScore && settings.chooser == ChooserKind::best && settings.search.significance <= 0 &&
               !(known_only(settings.search.missing) && holes_);
    first_wins_ = compare_ && !draw_ && settings.ties == Ties::first;
    gap_ = settings.search.cuts == Cuts::all ? 0 : kLeastGap;
  }

  bool holes() const { return holes_; }

  // The facts of a node.
  template <class Id>
  void read(Frame<Id>& frame, const Open& open, Desk& desk) const {
    desk.all_known = desk.bits_known = false;
    desk.counts = open.counts;
    desk.seen.clear();
    desk.close = open.close;
    const Id* source = frame.list(plan_.source()) + open.begin;
    if constexpr (C::kClasses)
      read_classes(open, desk);
    else
      read_numbers(frame, source, open, desk);
    if (!plan_.counted() || desk.targets.pure) return;
    desk.ids.resize(open.n);
    for (u32 i = 0; i < open.n; ++i) desk.ids[i] = Frame<Id>::id_of(source[i]);
    if constexpr (C::kClasses) {
      desk.labels.resize(open.n);
      for (u32 i = 0; i < open.n; ++i) desk.labels[i] = desk.local_class[frame.label[desk.ids[i]]];
    }
  }

  // The chosen split of a node that was read, or nothing if it is to be a leaf. More than one desk: columns in parallel.
  template <class Id>
  std::optional<Candidate> choose_split(Frame<Id>& frame, const Open& open, std::vector<Desk>& desks, unsigned threads) const {
    Desk& desk = desks[0];
    if (stops(settings_, open.depth, desk.targets)) return std::nullopt;
    bool settled = false;
    std::vector<Candidate> candidates =
        settings_.counts_cuts() ? foreseen(frame, open, desks, threads, settled) : search(frame, open, desks, threads);
    if (candidates.empty()) return std::nullopt;
    const std::size_t pick = settled ? 0 : choose(candidates, settings_, open.path, {});
    if (pick >= candidates.size() || !enough(settings_, candidates[pick], desk.targets.facts.weight, all_weight())) return std::nullopt;
    return std::move(candidates[pick]);
  }

  // Hands the counts of a node that was divided on to its branches: the smaller one is counted, the larger holds the rest. Numbers are
  // counted afresh: their steps are the node's.
  template <class Id>
  void hand_down(const Frame<Id>& frame, std::array<Open, 2>& children, Desk& desk) const {
    if constexpr (C::kClasses) {
      if (!desk.counts) return;
      Open& small = children[children[1].n < children[0].n ? 1 : 0];
      Open& large = children[children[1].n < children[0].n ? 0 : 1];
      const std::size_t counters = desk.counts->rows.size();
      const std::size_t width = plan_.coded.size();
      // A node inherits no more counters than it has codes: that bounds the memory of waiting nodes, and beyond counting is as fast.
      const auto may_inherit = [&](const Open& child) { return counters <= std::size_t{child.n} * width; };
      if (!may_inherit(large)) return;
      auto part = std::make_shared<CodeCounts>(desk.counts->blank());
      const Id* source = frame.list(plan_.source()) + small.begin;
      for (u32 i = 0; i < small.n; ++i) {
        const u32 id = Frame<Id>::id_of(source[i]);
        part->add(frame.codes.data() + id * width, std::size_t{part->row_of[frame.label[id]]});
      }
      large.counts = std::move(desk.counts);
      large.counts->subtract(*part);
      if (may_inherit(small)) small.counts = std::move(part);
    }
  }

  // Whether nodes of two rows can be settled by `split_pair`: any column in which they differ is as good as any other.
  bool settles_pairs() const {
    return first_wins_ && !settings_.counts_cuts() && !holes_ && !plan_.weighted && settings_.search.min_leaf <= 1 &&
           !settings_.search.decides();
  }

  // The split of a node of two rows, whose lists need not be in order; the position is 1 if the first of `ids` goes to the first branch.
  template <class Id>
  std::optional<Candidate> split_pair(const Frame<Id>& frame, const Open& open, Desk& desk, const std::array<u32, 2>& ids) const {
    if (stops(settings_, open.depth, desk.targets)) return std::nullopt;
    const C c(desk.targets, settings_.search, table_.target.n_classes);
    for (const Column j : all_columns_) {
      auto candidate = plan_.list_of[j] >= 0 ? pair_of_list(c, frame, j, desk, ids) : pair_of_codes(c, frame, open, j, desk, ids);
      if (!candidate) continue;
      if (!enough(settings_, *candidate, desk.targets.facts.weight, all_weight())) return std::nullopt;
      return candidate;
    }
    return std::nullopt;
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
  void add(const C& c, const Frame<Id>& frame, const Desk& desk, u32 id, Cell* cells) const {
    if constexpr (C::kClasses)
      c.stat.add_row(cells, desk.local_class[frame.label[id]], frame.weight_of(id));
    else
      c.stat.add_row(cells, frame.step[id], frame.weight_of(id));
  }

  // Whether a later entry of a list has the same value as an earlier one, or one too close to it.
  template <class Id>
  auto same_value(const Frame<Id>& frame, const View& cells, std::size_t f, const Id* entries) const {
    return [&frame, &cells, f, entries, gap = gap_](u32 i, u32 j) {
      return !(frame.cell(cells, f, Frame<Id>::id_of(entries[i])) + gap < frame.cell(cells, f, Frame<Id>::id_of(entries[j])));
    };
  }

 private:
  double all_weight() const { return table_.weights.plain(table_.weights.total); }

  void read_classes(const Open& open, Desk& desk) const {
    NodeTargets& targets = desk.targets;
    const u32 n_classes = table_.target.n_classes;
    desk.local_class.assign(n_classes, 0);
    targets.classes.clear();
    targets.facts.classes.clear();
    targets.class_total.clear();
    i64 largest = 0;
    for (u32 k = 0; k < n_classes; ++k) {
      if (open.total[k] == 0) continue;
      desk.local_class[k] = static_cast<u8>(targets.classes.size());
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
  void read_numbers(Frame<Id>& frame, const Id* source, const Open& open, Desk& desk) const {
    NodeTargets& targets = desk.targets;
    desk.values.resize(open.n);
    for (u32 i = 0; i < open.n; ++i) desk.values[i] = value_of(frame, Frame<Id>::id_of(source[i]));
    if (plan_.weighted) {
      desk.weights.resize(open.n);
      for (u32 i = 0; i < open.n; ++i) desk.weights[i] = frame.weight[Frame<Id>::id_of(source[i])];
    }
    describe_numbers(table_, desk.values.data(), plan_.weighted ? desk.weights.data() : nullptr, open.n, open.weight, targets);
    i128 sum = 0;
    for (u32 i = 0; i < open.n; ++i) {
      const u32 id = Frame<Id>::id_of(source[i]);
      frame.step[id] = targets.steps_of[i];
      sum += static_cast<i128>(targets.steps_of[i]) * frame.weight_of(id);
    }
    targets.moment_total.assign({i128{open.weight}, sum});
    if constexpr (sizeof(Id) == 8) {
      frame.rough_total = 0;
      for (u32 i = 0; i < open.n; ++i) frame.rough_total += Frame<Id>::rough_of(source[i]);
    }
  }

  // ---- one column ----

  // Summaries of the known and the missing rows of a column, in the desk's cells.
  ColumnRows<Stat> summaries(const C& c, Desk& desk) const {
    const std::size_t width = c.stat.width();
    desk.cells.assign(4 * width, 0);
    ColumnRows<Stat> rows;
    rows.known = desk.cells.data();
    rows.missing = rows.known + width;
    return rows;
  }
  void complete(const C& c, const NodeTargets& targets, ColumnRows<Stat>& rows) const {
    std::copy_n(total_of<Stat>(targets).begin(), c.stat.width(), rows.known);
    subtract_cells(rows.known, rows.missing, c.stat.width());
    rows.known_weight = c.stat.weight(rows.known);
    rows.missing_weight = c.stat.weight(rows.missing);
  }
  // Columns without missing rows all know the same rows: their summary is made once a node.
  ColumnRows<Stat> whole(const C& c, Desk& desk) const {
    ColumnRows<Stat> rows;
    if (!desk.all_known) {
      rows = summaries(c, desk);
      complete(c, desk.targets, rows);
      desk.all_known = true;
      return rows;
    }
    rows.known = desk.cells.data();
    rows.missing = rows.known + c.stat.width();
    rows.known_weight = desk.targets.weight;
    return rows;
  }

  AtColumn<C> at_column(const C& c, Column j, const NodeTargets& targets, const ColumnRows<Stat>& rows, Desk& desk) const {
    const std::size_t width = c.stat.width();
    return {c, settings_.search, table_.columns[j], j, targets, rows, width, desk.cells.data() + 2 * width, desk.cells.data() + 3 * width};
  }

  // ---- columns of two values ----

  // Rows with the second value, of all such columns at once: one word of bits holds 64 of them.
  template <class Id>
  void count_bits(const C& c, const Frame<Id>& frame, const Open& open, Desk& desk) const {
    if (desk.bits_known) return;
    desk.bits_known = true;
    const std::size_t width = c.stat.width();
    desk.bits.assign(std::size_t{plan_.bit_words} * 64 * width, 0);
    for (u32 i = 0; i < open.n; ++i) {
      const u32 id = desk.ids[i];
      const i64 w = frame.weight_of(id);
      const u64* words = frame.bits.data() + std::size_t{id} * plan_.bit_words;
      for (u32 word = 0; word < plan_.bit_words; ++word) {
        for (u64 left = words[word]; left != 0; left &= left - 1) {
          Cell* cells = desk.bits.data() + (word * 64 + static_cast<u32>(std::countr_zero(left))) * width;
          if constexpr (C::kClasses)
            c.stat.add_row(cells, desk.labels[i], w);
          else
            c.stat.add_row(cells, desk.targets.steps_of[i], w);
        }
      }
    }
  }

  const Cell* bits_of(const C& c, const Desk& desk, Column j) const {
    return desk.bits.data() + static_cast<std::size_t>(plan_.bit_of[j]) * c.stat.width();
  }

  // Both values as groups.
  void group_bits(const C& c, const ColumnRows<Stat>& rows, Column j, Desk& desk) const {
    Groups<Stat>& groups = desk.groups;
    const Cell* ones = bits_of(c, desk, j);
    groups.codes.clear();
    groups.cells.clear();
    if (c.stat.weight(ones) < rows.known_weight) {
      groups.codes.push_back(0);
      groups.cells.assign(rows.known, rows.known + groups.width);
      subtract_cells(groups.cells.data(), ones, groups.width);
    }
    if (c.stat.weight(ones) > 0) {
      groups.codes.push_back(1);
      groups.cells.insert(groups.cells.end(), ones, ones + groups.width);
    }
  }

  std::optional<double> score_of_bits(const AtColumn<C>& at, const Cell* ones) const {
    const i64 second = at.c.stat.weight(ones);
    if (second < at.least() || at.rows.known_weight - second < at.least()) return std::nullopt;
    std::copy_n(at.rows.known, at.width, at.one);
    subtract_cells(at.one, ones, at.width);
    return score_of_pair(at.c, at.one, ones);
  }

  // ---- columns of codes ----

  // Rows of the node summed up per code of a counted column.
  template <class Id>
  void count(const C& c, const Frame<Id>& frame, const Open& open, Column j, Desk& desk, ColumnRows<Stat>& rows) const {
    Groups<Stat>& groups = desk.groups;
    groups.width = c.stat.width();
    groups.sample.clear();
    if (plan_.bit_of[j] >= 0) {
      count_bits(c, frame, open, desk);
      complete(c, desk.targets, rows);
      group_bits(c, rows, j, desk);
      return;
    }
    groups.codes.clear();
    groups.cells.clear();
    const u32 n_codes = table_.columns[j].n_codes;
    if (counted(frame, open, j, desk))
      group_counts(j, n_codes, desk, rows);
    else
      count_sorted(c, frame, open, j, desk, rows);
    complete(c, desk.targets, rows);
  }

  // Whether a column has a counter per code and class (or a number and a sum per code): not if they outnumber the rows by far.
  bool dense(const Open& open, Column j, std::size_t per_code) const {
    return std::size_t{table_.columns[j].n_codes} * per_code <= 4 * std::size_t{open.n} + 64;
  }

  // All columns together have no more counters than the node has codes, so that a desk takes no more than the codes do, twice.
  std::size_t most_counters(const Open& open) const { return std::max(std::size_t{1} << 16, std::size_t{open.n} * plan_.coded.size()); }

  // Whether the desk has counts of a column; all that are to be had are made at the first question.
  template <class Id>
  bool counted(const Frame<Id>& frame, const Open& open, Column j, Desk& desk) const {
    const i32 slot = plan_.slot_of[j];
    if (plan_.weighted || slot < 0) return false;
    if (!desk.counts) count_dense(frame, open, desk);
    if (desk.seen.empty() && open.n <= kSparse) note_codes(frame, desk);
    return desk.counts->first[static_cast<std::size_t>(slot)] != CodeCounts::kNot;
  }

  template <class Id>
  void count_dense(const Frame<Id>& frame, const Open& open, Desk& desk) const {
    const std::size_t k = C::kClasses ? desk.targets.classes.size() : 1;
    desk.counts = std::make_shared<CodeCounts>();
    CodeCounts& counts = *desk.counts;
    counts.start(plan_.coded.size());
    for (u32 slot = 0; slot < plan_.coded.size(); ++slot)
      if (dense(open, plan_.coded[slot], k) && (counts.room + table_.columns[plan_.coded[slot]].n_codes) * k <= most_counters(open))
        counts.join(slot, table_.columns[plan_.coded[slot]].n_codes);
    counts.rows.assign(counts.room * k, 0);
    const u16* codes = frame.codes.data();
    const std::size_t width = plan_.coded.size();
    if constexpr (C::kClasses) {
      counts.row_of = desk.local_class;
      for (u32 i = 0; i < open.n; ++i) counts.add(codes + desk.ids[i] * width, std::size_t{desk.labels[i]});
    } else {
      counts.sums.assign(counts.room, 0);
      for (u32 i = 0; i < open.n; ++i) counts.add(codes + desk.ids[i] * width, i64{desk.targets.steps_of[i]});
    }
  }

  template <class Id>
  void note_codes(const Frame<Id>& frame, Desk& desk) const {
    const std::size_t width = plan_.coded.size();
    desk.seen.assign(width, 0);
    for (const u32 id : desk.ids) {
      const u16* codes = frame.codes.data() + id * width;
      for (std::size_t slot = 0; slot < width; ++slot) desk.seen[slot] |= u64{1} << (codes[slot] & 63);
    }
  }
  static constexpr u32 kSparse = 64;  // rows of nodes in which most codes are expected not to occur

  // The codes of a column that occur, from the counts.
  void group_counts(Column j, u32 n_codes, Desk& desk, ColumnRows<Stat>& rows) const {
    Groups<Stat>& groups = desk.groups;
    const std::size_t width = groups.width;
    const auto slot = static_cast<std::size_t>(plan_.slot_of[j]);
    const CodeCounts& counts = *desk.counts;
    const u32* first = counts.rows.data() + counts.first[slot];
    const auto write = [&](u32 code, Cell* cells) {
      if constexpr (C::kClasses) {
        i64 sum = 0;
        for (std::size_t l = 0; l + 1 < width; ++l) {
          cells[l] = first[counts.row_of[desk.targets.classes[l]] * counts.room + code];
          sum += cells[l];
        }
        cells[width - 1] = sum;
        return sum > 0;
      } else {
        cells[0] = first[code];
        cells[1] = counts.sums[counts.first[slot] + code];
        return first[code] > 0;
      }
    };
    groups.cells.resize(std::size_t{n_codes} * width);
    std::size_t filled = 0;
    const auto take = [&](u32 code) {
      if (!write(code, groups.cells.data() + filled * width)) return;
      groups.codes.push_back(code);
      ++filled;
    };
    if (!desk.seen.empty() && n_codes <= 64) {
      // Missing cells have code n_codes, which may stand at the bit of code 0.
      for (u64 left = desk.seen[slot]; left != 0; left &= left - 1)
        if (const auto code = static_cast<u32>(std::countr_zero(left)); code < n_codes) take(code);
    } else {
      for (u32 code = 0; code < n_codes; ++code) take(code);
    }
    groups.cells.resize(filled * width);
    write(n_codes, rows.missing);
  }

  template <class Id>
  void count_sorted(const C& c, const Frame<Id>& frame, const Open& open, Column j, Desk& desk, ColumnRows<Stat>& rows) const {
    Groups<Stat>& groups = desk.groups;
    desk.pairs.clear();
    for (u32 i = 0; i < open.n; ++i) {
      const u32 id = desk.ids[i];
      const Code code = code_of(frame, j, id);
      if (code == kMissing)
        add(c, frame, desk, id, rows.missing);
      else
        desk.pairs.push_back(u64{code} << 32 | id);
    }
    std::sort(desk.pairs.begin(), desk.pairs.end());
    for (const u64 pair : desk.pairs) {
      const auto code = static_cast<Code>(pair >> 32);
      if (groups.codes.empty() || groups.codes.back() != code) {
        groups.codes.push_back(code);
        groups.cells.resize(groups.cells.size() + groups.width, 0);
      }
      add(c, frame, desk, static_cast<u32>(pair), groups.cells.data() + (groups.codes.size() - 1) * groups.width);
    }
  }

  // A row for every group: thresholds are made from their values.
  template <class Id>
  void find_samples(const Frame<Id>& frame, const Open& open, Column j, Desk& desk) const {
    Groups<Stat>& groups = desk.groups;
    groups.sample.resize(groups.size());
    for (u32 i = 0; i < open.n; ++i) {
      const Code code = code_of(frame, j, desk.ids[i]);
      if (code == kMissing) continue;
      const auto at = std::lower_bound(groups.codes.begin(), groups.codes.end(), code) - groups.codes.begin();
      groups.sample[static_cast<std::size_t>(at)] = frame.row_of(desk.ids[i]);
    }
  }

  static constexpr bool concave() {
    if constexpr (C::kClasses)
      return C::kConcave;
    else
      return true;
  }

  // Whether no two branches of these groups can score above the floor: impurities are concave, so the groups one by one, and the missing
  // rows, are worth at least as much as any two branches put together from them.
  bool falls_short(const C& c, const ColumnRows<Stat>& rows, const Groups<Stat>& groups, double floor) const {
    if constexpr (JudgesPairs<C> || !concave()) {
      return false;
    } else {
      if (floor == kNothing) return false;
      double most = rows.missing_weight > 0 ? c.worth(rows.missing) : 0;
      for (std::size_t g = 0; g < groups.size(); ++g) most += c.worth(groups[g]);
      const double rounding = static_cast<double>(groups.size() + 4) * c.rounding(rows.known_weight + rows.missing_weight);
      return most + 1e-9 * std::fabs(most) + rounding < floor;
    }
  }

  // ---- lists ----

  template <class Id>
  ColumnRows<Stat> rows_of_list(const C& c, const Frame<Id>& frame, const Open& open, std::size_t f, Desk& desk) const {
    const u32 missing = open.missing_in(f);
    if (missing == 0) return whole(c, desk);
    desk.all_known = false;
    auto rows = summaries(c, desk);
    const Id* slice = frame.list(f) + open.begin;
    for (u32 i = open.n - missing; i < open.n; ++i) add(c, frame, desk, Frame<Id>::id_of(slice[i]), rows.missing);
    complete(c, desk.targets, rows);
    return rows;
  }

  template <class Id>
  ListSlice<Id, Cell> slice_of(const C& c, const ColumnRows<Stat>& rows, u32 known, Desk& desk) const {
    ListSlice<Id, Cell> slice;
    slice.known = known;
    slice.right = rows.known;
    slice.known_weight = rows.known_weight;
    if constexpr (C::kClasses)
      slice.least = least_side(settings_.search, desk.targets, rows.known_weight, c.declared);
    else
      slice.least = std::max<i64>(settings_.search.min_leaf, 1);
    slice.margin = cut_margin(settings_.search, desk.targets);
    slice.local_class = desk.local_class.data();
    slice.one = desk.cells.data() + 2 * c.stat.width();
    slice.two = slice.one + c.stat.width();
    slice.blocks = &desk.blocks;
    return slice;
  }

  // The best cut of a list. Scores not above `floor` do not matter.
  template <class Id>
  Place scan(const AtColumn<C>& at, const Frame<Id>& frame, const Open& open, std::size_t f, Desk& desk, double floor) const {
    auto slice = slice_of<Id>(at.c, at.rows, open.n - open.missing_in(f), desk);
    if (slice.known < 2) return {};
    slice.entries = frame.list(f) + open.begin;
    slice.n_values = at.column.n_codes;
    slice.floor = floor;
    const auto same = same_value(frame, at.column.cells, f, slice.entries);
    if (!at.homes_tried()) return ListScan<C>::best(at.c, frame, slice, same);
    ListSlice<Id, Cell> with_left = slice;
    with_left.left = at.rows.missing;
    Cells all(at.rows.known, at.rows.known + at.width);
    add_cells(all.data(), at.rows.missing, at.width);
    slice.right = all.data();
    return best_of_homes(at.c, frame, with_left, slice, same);
  }

  // ---- any column ----

  Family family_of(Column j) const { return table_.columns[j].kind == Kind::nominal ? settings_.search.nominal : settings_.search.numeric; }

  // How good a column is, without making a candidate of it yet.
  template <class Id>
  std::optional<Found> look(const C& c, const Frame<Id>& frame, const Open& open, Column j, Desk& desk, double floor) const {
    Found found;
    found.column = j;
    const i32 f = plan_.list_of[j];
    if (f < 0 && plan_.bit_of[j] >= 0) {
      count_bits(c, frame, open, desk);
      const auto at = at_column(c, j, desk.targets, whole(c, desk), desk);
      const auto score = score_of_bits(at, bits_of(c, desk, j));
      if (!score) return std::nullopt;
      found.score = *score;
      return found;
    }
    ColumnRows<Stat> rows;
    if (f >= 0) {
      rows = rows_of_list(c, frame, open, static_cast<std::size_t>(f), desk);
    } else {
      desk.all_known = false;
      rows = summaries(c, desk);
      count(c, frame, open, j, desk, rows);
    }
    if (rows.known_weight == 0 || (f < 0 && falls_short(c, rows, desk.groups, floor))) return std::nullopt;
    const auto at = at_column(c, j, desk.targets, rows, desk);
    std::optional<double> best;
    if (f >= 0) {
      found.place = scan(at, frame, open, static_cast<std::size_t>(f), desk, floor);
      if (found.place.any) best = found.place.score;
    } else {
      best = score_of_groups(at, family_of(j), desk.groups);
    }
    if (at.homes_tried() && at.rows.known_weight >= at.least() && at.rows.missing_weight >= at.least()) {
      const double presence = score_of_pair(c, at.rows.known, at.rows.missing);
      best = best ? std::max(*best, presence) : presence;
    }
    if (!best) return std::nullopt;
    found.score = *best;
    return found;
  }

  // The finished candidate of a column.
  template <class Id>
  std::optional<Candidate> finish(const C& c, const Frame<Id>& frame, const Open& open, const Found& found, Desk& desk) const {
    const Column j = found.column;
    const i32 f = plan_.list_of[j];
    if (f < 0) {
      desk.all_known = false;
      auto rows = summaries(c, desk);
      count(c, frame, open, j, desk, rows);
      if (table_.columns[j].kind == Kind::numeric) find_samples(frame, open, j, desk);
      return search_groups(at_column(c, j, desk.targets, rows, desk), family_of(j), desk.groups);
    }
    const auto rows = rows_of_list(c, frame, open, static_cast<std::size_t>(f), desk);
    const auto at = at_column(c, j, desk.targets, rows, desk);
    if (!found.place.any)
      return at.presence(AtColumn<C>::Scale::pairs, 0, false, open.n - open.missing_in(static_cast<std::size_t>(f)) < 2);
    const Id* entries = frame.list(static_cast<std::size_t>(f)) + open.begin;
    const auto position = static_cast<u32>(found.place.position);
    Cells branches(2 * at.width, 0);
    if (found.lower.empty())
      for (u32 i = 0; i < position; ++i) add(c, frame, desk, Frame<Id>::id_of(entries[i]), branches.data());
    else
      std::copy_n(found.lower.begin(), at.width, branches.begin());
    const auto value_at = [&](u32 i) { return frame.cell(at.column.cells, static_cast<std::size_t>(f), Frame<Id>::id_of(entries[i])); };
    return cut_candidate(at, std::move(branches), found.place, value_at(position - 1), value_at(position), found.tried);
  }

  // `branches`: the lower one is summed up.
  std::optional<Candidate> cut_candidate(const AtColumn<C>& at, Cells branches, const Place& place, double below, double above,
                                         u64 tried = 0) const {
    std::copy_n(at.rows.known, at.width, branches.data() + at.width);
    subtract_cells(branches.data() + at.width, branches.data(), at.width);
    const Cut cut = make_cut(settings_.search, below, above, 0);  // divided by place, not by rank
    auto candidate = ThresholdSearch<C>::finish(at, std::move(branches), place, cut, tried);
    if (candidate) candidate->position = static_cast<u32>(place.position);
    return candidate;
  }

  template <class Id>
  std::optional<Candidate> pair_of_list(const C& c, const Frame<Id>& frame, Column j, Desk& desk, const std::array<u32, 2>& ids) const {
    const View& cells = table_.columns[j].cells;
    const auto f = static_cast<std::size_t>(plan_.list_of[j]);
    const double a = frame.cell(cells, f, ids[0]);
    const double b = frame.cell(cells, f, ids[1]);
    if (a == b) return std::nullopt;
    const bool ascending = a < b;
    const auto at = at_column(c, j, desk.targets, whole(c, desk), desk);
    Cells branches(2 * at.width, 0);
    add(c, frame, desk, ids[ascending ? 0 : 1], branches.data());
    std::copy_n(at.rows.known, at.width, at.two);
    subtract_cells(at.two, branches.data(), at.width);
    Place place{score_of_pair(c, branches.data(), at.two), 1, kNowhere, true, true};
    auto candidate = cut_candidate(at, std::move(branches), place, std::min(a, b), std::max(a, b));
    if (candidate) candidate->position = ascending;
    return candidate;
  }

  template <class Id>
  std::optional<Candidate> pair_of_codes(const C& c, const Frame<Id>& frame, const Open& open, Column j, Desk& desk,
                                         const std::array<u32, 2>& ids) const {
    const Code first = code_of(frame, j, ids[0]);
    if (first == code_of(frame, j, ids[1])) return std::nullopt;
    Found found;
    found.column = j;
    auto candidate = finish(c, frame, open, found, desk);
    if (candidate) candidate->position = branch_of_code(candidate->split, first) == 0;
    return candidate;
  }

  // ---- what columns promise, where their cuts are counted ----

  // How many cuts of a list are allowed, which a penalty wants to know. Of the branches of a node no more neighbours are too close than of
  // the node itself, so that a number is good for some generations; `exactly`: it is counted, unless it is known.
  template <class Id>
  void count_cuts(const C& c, const Frame<Id>& frame, const Open& open, Found& found, Desk& desk, bool exactly) const {
    const auto f = static_cast<std::size_t>(plan_.list_of[found.column]);
    const auto slice = slice_of<Id>(c, whole(c, desk), open.n, desk);
    const u32 lowest = slice.lowest(0);
    const u32 highest = slice.highest(open.weight, 0);
    const u32 places = highest - lowest + 1;
    found.tried = found.tried_least = places;
    u32& close = desk.close[f];
    if (close == 0 || !settings_.search.penalty) return;
    if (!exactly && close <= places / 2) {
      found.tried_least = places - close;
      return;
    }
    const Id* entries = frame.list(f) + open.begin;
    frame.with_cells(table_.columns[found.column].cells, f, [&](const auto& cell) {
      const auto cuts = [&](u32 first, u32 last) {  // before the entries from one to the other
        u32 n = 0;
        double before = cell(Frame<Id>::id_of(entries[first - 1]));
        for (u32 i = first; i <= last; ++i) {
          if (i + kAhead < open.n) cell.ahead(Frame<Id>::id_of(entries[i + kAhead]));
          const double here = cell(Frame<Id>::id_of(entries[i]));
          n += before + gap_ < here;
          before = here;
        }
        return n;
      };
      const u32 allowed = cuts(lowest, highest);
      close = open.n - 1 - allowed - cuts(1, lowest - 1) - cuts(highest + 1, open.n - 1);
      found.tried = found.tried_least = allowed;
    });
  }

  // What is to be said of a column without making a candidate of it yet.
  void tell(const C& c, const Open& open, Found& found, const Desk& desk) const {
    const EstimatedLog& log = estimated_log();
    const auto below = static_cast<i64>(found.place.position);
    const double bits = log.x_log2_x(open.weight) - log.x_log2_x(below) - log.x_log2_x(open.weight - below);
    const double gained = found.place.score - c.worth(total_of<Stat>(desk.targets).data());
    found.outlook = outlook_of(settings_, desk.targets, gained, open.weight, bits, found.tried, found.tried_least);
  }

  // The best cut of a column, and what is to be said of it.
  template <class Id>
  void forecast(const C& c, const Frame<Id>& frame, const Open& open, Found& found, Desk& desk) const {
    const Column j = found.column;
    if (plan_.list_of[j] < 0) {
      found.outlook = outlook_of(finish(c, frame, open, found, desk));
      return;
    }
    const auto f = static_cast<std::size_t>(plan_.list_of[j]);
    auto slice = slice_of<Id>(c, whole(c, desk), open.n, desk);
    found.lower.resize(c.stat.width());
    slice.lower = found.lower.data();
    slice.entries = frame.list(f) + open.begin;
    slice.n_values = table_.columns[j].n_codes;
    slice.floor = kNothing;
    found.place = ListScan<C>::best(c, frame, slice, same_value(frame, table_.columns[j].cells, f, slice.entries));
    found.outlook = {};
    if (!found.place.any) return;
    count_cuts(c, frame, open, found, desk, false);
    tell(c, open, found, desk);
  }

  // Says exactly of a column what was said roughly.
  template <class Id>
  void tell_exactly(const C& c, const Frame<Id>& frame, const Open& open, Found& found, Desk& desk) const {
    if (plan_.list_of[found.column] < 0 || !found.place.any) return;
    if (found.tried != found.tried_least) {
      count_cuts(c, frame, open, found, desk, true);
      tell(c, open, found, desk);
    }
    if (found.outlook.doubtful) found.outlook = outlook_of(finish(c, frame, open, found, desk));
  }

  Foreseen foresee_all(Desk& desk) const {
    desk.outlooks.clear();
    for (const Found& found : desk.forecast) desk.outlooks.push_back(found.outlook);
    const bool doubt = std::any_of(desk.outlooks.begin(), desk.outlooks.end(), [](const Outlook& o) { return o.doubtful; });
    return doubt ? Foreseen{} : foresee(settings_, all_columns_, desk.outlooks);
  }

  // The candidates of a node; only the one that is going to be chosen where that is `settled` beforehand.
  template <class Id>
  std::vector<Candidate> foreseen(Frame<Id>& frame, const Open& open, std::vector<Desk>& desks, unsigned threads, bool& settled) const {
    if constexpr (kSumOfLogs<C>) {
      Desk& desk = desks[0];
      const C c(desk.targets, settings_.search, table_.target.n_classes);
      const std::size_t n = all_columns_.size();
      desk.forecast.resize(n);
      if (threads > 1) share_desk(desks);
      for_each(n, threads, [&](std::size_t j, unsigned worker) {
        if (threads > 1) work_.check();
        desk.forecast[j].column = static_cast<Column>(j);
        forecast(c, frame, open, desk.forecast[j], desks[worker]);
      });
      for (std::size_t d = 1; threads > 1 && d < desks.size(); ++d)
        for (std::size_t f = 0; f < desk.close.size(); ++f) desk.close[f] = std::min(desk.close[f], desks[d].close[f]);
      Foreseen told = foresee_all(desk);
      if (!told.certain) {
        for (Found& found : desk.forecast) tell_exactly(c, frame, open, found, desk);
        told = foresee_all(desk);
      }
      std::vector<Candidate> candidates;
      if (told.certain && !told.column) return candidates;
      settled = told.certain;
      for (std::size_t j = 0; j < n; ++j) {
        if (settled ? j != *told.column : !desk.forecast[j].outlook.any) continue;
        tell_exactly(c, frame, open, desk.forecast[j], desk);
        if (auto candidate = finish(c, frame, open, desk.forecast[j], desk)) candidates.push_back(std::move(*candidate));
      }
      return candidates;
    } else {
      throw std::logic_error("only entropies are foreseen");
    }
  }

  // ---- all columns ----

  // Whether no split can score higher.
  static bool perfect(const C& c, double score, const Open& open) {
    if constexpr (requires { c.perfect(score, open.weight); })
      return c.perfect(score, open.weight);
    else
      return !C::kClasses && open.n == 2;
  }

  // Scores this far below the best cannot tie with it.
  double margin(const C& c, const NodeTargets& targets, double best) const {
    if constexpr (C::kClasses) {
      if constexpr (JudgesPairs<C>) return tie_margin(best);
      const double parent = c.worth(targets.class_total.data());
      return 1e-9 * std::fabs(best - parent) + 4 * c.rounding(targets.weight) +
             2 * kNoise * targets.facts.impurity * static_cast<double>(targets.weight);
    } else {
      return tie_margin(best);
    }
  }
  // Useless splits (score 0) tie with each other.
  static double tie_margin(double best) { return best > 0 ? 1e-9 * best : 1; }

  static constexpr double kNothing = -std::numeric_limits<double>::infinity();

  template <class Id>
  std::vector<Candidate> search(Frame<Id>& frame, const Open& open, std::vector<Desk>& desks, unsigned threads) const {
    const C c(desks[0].targets, settings_.search, table_.target.n_classes);
    if (first_wins_ && threads <= 1) return search_in_order(c, frame, open, desks[0]);
    const std::vector<Column> drawn = draw_ ? draw_order(all_columns_, open.path) : std::vector<Column>{};
    const std::vector<Column>& columns = draw_ ? drawn : all_columns_;
    std::vector<Candidate> candidates;
    std::size_t begin = 0;
    while (begin < columns.size() && candidates.empty()) {
      const std::size_t end =
          draw_ ? std::min<std::size_t>(columns.size(), begin == 0 ? settings_.max_features : begin + 1) : columns.size();
      look_at(c, frame, open, columns.data() + begin, end - begin, desks, threads);
      finish_best(c, frame, open, desks[0], candidates);
      begin = end;
    }
    std::sort(candidates.begin(), candidates.end(), [](const Candidate& a, const Candidate& b) { return a.split.column < b.split.column; });
    return candidates;
  }

  // Columns come in table order and the first of equals is taken: a later one has to be better.
  template <class Id>
  std::vector<Candidate> search_in_order(const C& c, Frame<Id>& frame, const Open& open, Desk& desk) const {
    desk.records.clear();
    double best = kNothing;
    ListSlice<Id, Cell> slice;  // what lists without missing rows share
    for (const Column j : all_columns_) {
      Found found;
      found.column = j;
      const i32 f = plan_.list_of[j];
      if (f >= 0 && open.missing_in(static_cast<std::size_t>(f)) == 0) {
        if (!desk.all_known || slice.known == 0) slice = slice_of<Id>(c, whole(c, desk), open.n, desk);
        slice.entries = frame.list(static_cast<std::size_t>(f)) + open.begin;
        slice.n_values = table_.columns[j].n_codes;
        slice.floor = best;
        const auto same = same_value(frame, table_.columns[j].cells, static_cast<std::size_t>(f), slice.entries);
        found.place = ListScan<C>::best(c, frame, slice, same);
        if (!found.place.any) continue;
        found.score = found.place.score;
      } else {
        const auto looked = look(c, frame, open, j, desk, best);
        if (!looked) continue;
        found = *looked;
      }
      if (found.score <= best) continue;
      best = found.score;
      desk.records.push_back(found);
      if (perfect(c, best, open)) break;
    }
    std::vector<Candidate> candidates;
    if (desk.records.empty()) return candidates;
    const double floor = desk.records.size() > 1 ? best - margin(c, desk.targets, best) : best;
    for (const Found& found : desk.records) {
      if (found.score < floor) continue;
      if (auto candidate = finish(c, frame, open, found, desk)) candidates.push_back(std::move(*candidate));
    }
    return candidates;
  }

  // Gives all desks what is known of the node in hand.
  static void share_desk(std::vector<Desk>& desks) {
    const Desk& desk = desks[0];
    for (std::size_t d = 1; d < desks.size(); ++d) {
      desks[d].targets = desk.targets;
      desks[d].all_known = desks[d].bits_known = false;
      desks[d].counts.reset();
      desks[d].seen.clear();
      desks[d].close = desk.close;
      desks[d].local_class = desk.local_class;
      desks[d].ids = desk.ids;
      desks[d].labels = desk.labels;
    }
  }

  // What is found in some columns, in the slots of the first desk.
  template <class Id>
  void look_at(const C& c, Frame<Id>& frame, const Open& open, const Column* columns, std::size_t n, std::vector<Desk>& desks,
               unsigned threads) const {
    Desk& desk = desks[0];
    desk.slots.assign(n, std::nullopt);
    if (threads > 1) {
      share_desk(desks);
      // Columns too far below one already seen may be given up early; who saw which first decides nothing else.
      std::atomic<double> floor{kNothing};
      for_each(n, threads, [&](std::size_t i, unsigned worker) {
        work_.check();
        desk.slots[i] = look(c, frame, open, columns[i], desks[worker], floor.load());
        if (!compare_ || !desk.slots[i]) return;
        const double own = desk.slots[i]->score - margin(c, desks[worker].targets, desk.slots[i]->score);
        double seen = floor.load();
        while (seen < own && !floor.compare_exchange_weak(seen, own)) {
        }
      });
      return;
    }
    double best = kNothing;
    double floor = kNothing;
    for (std::size_t i = 0; i < n; ++i) {
      desk.slots[i] = look(c, frame, open, columns[i], desk, floor);
      if (!compare_ || !desk.slots[i] || desk.slots[i]->score <= best) continue;
      best = desk.slots[i]->score;
      floor = best - margin(c, desk.targets, best);
    }
  }

  // Finishes those that may be chosen.
  template <class Id>
  void finish_best(const C& c, Frame<Id>& frame, const Open& open, Desk& desk, std::vector<Candidate>& candidates) const {
    double best = kNothing;
    for (const auto& slot : desk.slots)
      if (slot) best = std::max(best, slot->score);
    const double floor = compare_ ? best - margin(c, desk.targets, best) : kNothing;
    double highest = kNothing;
    for (const auto& slot : desk.slots) {
      if (!slot || slot->score < floor) continue;
      if (first_wins_ && slot->score <= highest) continue;
      highest = std::max(highest, slot->score);
      if (auto candidate = finish(c, frame, open, *slot, desk)) candidates.push_back(std::move(*candidate));
    }
  }

  const Table& table_;
  const GrowSettings& settings_;
  Work& work_;
  const FramePlan& plan_;
  std::vector<Column> all_columns_;
  bool holes_ = false;
  bool draw_ = false;
  double gap_ = 0;           // neighbours no further apart are no place for a cut
  bool compare_ = false;     // scores of different columns compare as their ranks do, so that most columns need not be finished
  bool first_wins_ = false;  // and the first of equals is taken
};

}  // namespace tw
