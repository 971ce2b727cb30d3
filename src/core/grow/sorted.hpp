// The sorted engine: every numeric column is sorted once, and nodes keep their rows in that order. Applies where rows have weight one and
// go to one branch (grow/sorted.cpp says when); gives the tree of the plain engine, node by node.
#pragma once

#include <numeric>
#include <optional>
#include <queue>

#include "base/hash.hpp"
#include "base/parallel.hpp"
#include "grow/chooser.hpp"
#include "grow/limits.hpp"
#include "grow/sorted_scan.hpp"
#include "search/search.hpp"

namespace tw {

template <Criterion C>
class SortedGrower {
  using Stat = typename C::Stat;
  using Cell = typename Stat::Cell;
  using Cells = std::vector<Cell>;

 public:
  SortedGrower(Table& table, const GrowSettings& settings, Work& work) : table_(table), settings_(settings), work_(work), plan_(table) {}

  Tree run() {
    Frame<u32> frame;
    fill_frame(table_, plan_, settings_.threads, frame);
    Builder builder(table_.target.n_classes);
    Open root;
    root.n = table_.n_rows;
    root.path = mix(settings_.seed);
    if constexpr (C::kClasses) {
      root.total.assign(std::size_t{table_.target.n_classes} + 1, 0);
      for (const u8 label : frame.label) ++root.total[label];
      root.total.back() = root.n;
    }
    if (holes_)
      for (const Column j : plan_.lists) root.missing.push_back(static_cast<u32>(table_.columns[j].n_missing));
    const bool best_first = settings_.max_leaves > 0;
    if (best_first)
      grow_best_first(frame, builder, std::move(root));
    else
      grow_in_pieces(frame, builder, std::move(root));
    return std::move(builder).finish(tree_columns(table_), best_first);
  }

 private:
  struct Open {
    u32 node = 0;
    u32 depth = 0;
    u64 path = 0;
    u32 begin = 0;
    u32 n = 0;
    Cells total;               // classes: weight per class of the table, then all
    std::vector<u32> missing;  // per list: entries behind the known ones; empty where the table has none

    u32 missing_in(std::size_t f) const { return missing.empty() ? 0 : missing[f]; }
  };

  // How good a column is, and where its best cut lies.
  struct Found {
    Column column = 0;
    double score = 0;
    Place place;
  };

  // Work space of one thread.
  struct Desk {
    NodeTargets targets;
    Cells cells;             // four summaries
    bool all_known = false;  // the cells summarise a column of this node without missing rows
    Groups<Stat> groups;
    std::vector<u32> counts;
    std::vector<u64> pairs;
    std::vector<u8> local_class;
    std::vector<double> values;
    std::vector<i64> weights;
    std::vector<i64> sums;
    std::vector<u32> ids;    // rows of the node, where columns are counted
    std::vector<u8> labels;  // and their classes among those of the node
    std::vector<std::optional<Found>> slots;
  };

  // ---- the node itself ----

  template <class Id>
  void read(Frame<Id>& frame, const Open& open, Desk& desk) {
    NodeTargets& targets = desk.targets;
    desk.all_known = false;
    const Id* source = frame.list(plan_.source()) + open.begin;
    if constexpr (C::kClasses) {
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
      targets.class_total.push_back(open.n);
      targets.weight = open.n;
      targets.pure = targets.classes.size() <= 1;
      targets.largest_share = static_cast<double>(largest) / static_cast<double>(open.n);
      targets.facts.weight = table_.weights.plain(targets.weight);
      targets.facts.value = 0;
      describe_classes<C>(targets, settings_.search, n_classes);
      if (plan_.counted() && !targets.pure) {
        desk.ids.resize(open.n);
        desk.labels.resize(open.n);
        for (u32 i = 0; i < open.n; ++i) {
          desk.ids[i] = Frame<Id>::id_of(source[i]);
          desk.labels[i] = desk.local_class[frame.label[desk.ids[i]]];
        }
      }
    } else {
      desk.values.resize(open.n);
      desk.weights.assign(open.n, 1);
      for (u32 i = 0; i < open.n; ++i) desk.values[i] = frame.value[Frame<Id>::id_of(source[i])];
      describe_numbers(table_, desk.values, desk.weights, open.n, targets);
      if (plan_.counted()) {
        desk.ids.resize(open.n);
        for (u32 i = 0; i < open.n; ++i) desk.ids[i] = Frame<Id>::id_of(source[i]);
      }
      targets.moment_total.assign(2, 0);
      targets.moment_total[0] = open.n;
      for (u32 i = 0; i < open.n; ++i) {
        frame.step[Frame<Id>::id_of(source[i])] = targets.steps_of[i];
        targets.moment_total[1] += targets.steps_of[i];
      }
    }
  }

  // ---- one column ----

  template <class Id>
  Code code_of(const Frame<Id>& frame, Column j, u32 id) const {
    if (frame.codes[j].empty()) return table_.columns[j].codes[frame.row_of(id)];
    const u32 code = frame.codes[j][id];
    return code == table_.columns[j].n_codes ? kMissing : code;
  }

  template <class Id>
  void add(const C& c, const Frame<Id>& frame, const Desk& desk, u32 id, Cell* cells) const {
    if constexpr (C::kClasses)
      c.stat.add_row(cells, desk.local_class[frame.label[id]], 1);
    else
      c.stat.add_row(cells, frame.step[id], 1);
  }

  // Summaries of the known and the missing rows of a column, in the desk's cells.
  ColumnRows<Stat> summaries(const C& c, Desk& desk) const {
    const std::size_t width = c.stat.width();
    desk.cells.assign(4 * width, 0);
    ColumnRows<Stat> rows;
    rows.known = desk.cells.data();
    rows.missing = rows.known + width;
    return rows;
  }
  ColumnRows<Stat> whole(const C& c, Desk& desk) const {
    ColumnRows<Stat> rows;
    rows.known = desk.cells.data();
    rows.missing = rows.known + c.stat.width();
    rows.known_weight = desk.targets.weight;
    return rows;
  }
  void complete(const C& c, const NodeTargets& targets, ColumnRows<Stat>& rows) const {
    std::copy_n(total_of<Stat>(targets).begin(), c.stat.width(), rows.known);
    subtract_cells(rows.known, rows.missing, c.stat.width());
    rows.known_weight = c.stat.weight(rows.known);
    rows.missing_weight = c.stat.weight(rows.missing);
  }

  AtColumn<C> at_column(const C& c, Column j, const NodeTargets& targets, const ColumnRows<Stat>& rows, Desk& desk) const {
    const std::size_t width = c.stat.width();
    return {c, settings_.search, table_.columns[j], j, targets, rows, width, desk.cells.data() + 2 * width, desk.cells.data() + 3 * width};
  }

  // Rows of the node summed up per code of a counted column.
  template <class Id>
  void count(const C& c, const Frame<Id>& frame, const Open& open, Column j, Desk& desk, ColumnRows<Stat>& rows) const {
    Groups<Stat>& groups = desk.groups;
    groups.width = c.stat.width();
    groups.codes.clear();
    groups.sample.clear();
    groups.cells.clear();
    const u32 n_codes = table_.columns[j].n_codes;
    const std::size_t per_code = C::kClasses ? groups.width - 1 : 1;
    if (!frame.codes[j].empty() && std::size_t{n_codes} * per_code <= 4 * std::size_t{open.n} + 64)
      count_all(frame.codes[j].data(), open, n_codes, per_code, desk, rows);
    else
      count_sorted(c, frame, open, j, desk, rows);
  }

  // One counter per code and class (or a number and a sum per code); missing cells are the last code.
  void count_all(const u16* codes, const Open& open, u32 n_codes, std::size_t k, Desk& desk, ColumnRows<Stat>& rows) const {
    Groups<Stat>& groups = desk.groups;
    const std::size_t width = groups.width;
    desk.counts.assign((std::size_t{n_codes} + 1) * k, 0);
    const u32* ids = desk.ids.data();
    if constexpr (C::kClasses) {
      const u8* labels = desk.labels.data();
      for (u32 i = 0; i < open.n; ++i) ++desk.counts[codes[ids[i]] * k + labels[i]];
    } else {
      desk.sums.assign(std::size_t{n_codes} + 1, 0);
      const i64* steps = desk.targets.steps_of.data();
      for (u32 i = 0; i < open.n; ++i) {
        ++desk.counts[codes[ids[i]]];
        desk.sums[codes[ids[i]]] += steps[i];
      }
    }
    const auto write = [&](u32 code, Cell* cells) {
      if constexpr (C::kClasses) {
        i64 sum = 0;
        for (std::size_t j = 0; j < k; ++j) {
          cells[j] = desk.counts[code * k + j];
          sum += cells[j];
        }
        cells[k] = sum;
        return sum > 0;
      } else {
        cells[0] = desk.counts[code];
        cells[1] = desk.sums[code];
        return desk.counts[code] > 0;
      }
    };
    groups.cells.resize(std::size_t{n_codes} * width);
    std::size_t filled = 0;
    for (u32 code = 0; code < n_codes; ++code) {
      if (!write(code, groups.cells.data() + filled * width)) continue;
      groups.codes.push_back(code);
      ++filled;
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

  template <class Id>
  void missing_of_list(const C& c, const Frame<Id>& frame, const Open& open, std::size_t f, const Desk& desk,
                       ColumnRows<Stat>& rows) const {
    const Id* slice = frame.list(f) + open.begin;
    for (u32 i = open.n - open.missing_in(f); i < open.n; ++i) add(c, frame, desk, Frame<Id>::id_of(slice[i]), rows.missing);
  }

  // The best cut of a list. Scores not above `floor` do not matter.
  template <class Id>
  Place scan(const AtColumn<C>& at, const Frame<Id>& frame, const Open& open, std::size_t f, Desk& desk, double floor) const {
    const Id* entries = frame.list(f) + open.begin;
    const u32 known = open.n - open.missing_in(f);
    const View& cells = at.column.cells;
    const u16* ranks = frame.ranks.data() + f * frame.n;
    const auto same = [&](u32 i) {
      const u32 a = Frame<Id>::id_of(entries[i - 1]);
      const u32 b = Frame<Id>::id_of(entries[i]);
      if constexpr (std::is_same_v<Id, u16>)
        return ranks[a] == ranks[b];
      else
        return cells.number(a) == cells.number(b);
    };
    const auto sweep = [&](const Cell* left, const Cell* right) {
      ListSlice<Id> slice{entries, known, 1, known > 0 ? known - 1 : 0};
      const i64 below = left == nullptr ? 0 : at.c.stat.weight(left);
      const i64 all = below + at.c.stat.weight(right);
      slice.lowest = static_cast<u32>(std::max<i64>(1, at.least() - below));
      slice.highest = static_cast<u32>(std::clamp<i64>(all - below - at.least(), 0, slice.highest));
      if (slice.lowest > slice.highest) return Place{};
      return ListScan<C>::best(at.c, frame, slice, Sides<Cell>{left, right}, desk.local_class.data(), floor, at.one, at.two, same);
    };
    if (known < 2) return {};
    if (!at.homes_tried()) return sweep(nullptr, at.rows.known);
    Cells all(at.rows.known, at.rows.known + at.width);
    add_cells(all.data(), at.rows.missing, at.width);
    Place left = sweep(at.rows.missing, at.rows.known);
    Place right = sweep(nullptr, all.data());
    left.home = 0;
    right.home = 1;
    return Place::better_home(left, right);
  }

  // How good a column is, without making a candidate of it yet.
  template <class Id>
  std::optional<Found> look(const C& c, const Frame<Id>& frame, const Open& open, Column j, Desk& desk, double floor) const {
    Found found;
    found.column = j;
    const i32 f = plan_.list_of[j];
    // Lists without missing rows all know the same rows: their summary is made once a node.
    const bool all_known = f >= 0 && open.missing_in(static_cast<std::size_t>(f)) == 0;
    auto rows = all_known && desk.all_known ? whole(c, desk) : summaries(c, desk);
    if (!all_known || !desk.all_known) {
      if (f >= 0)
        missing_of_list(c, frame, open, static_cast<std::size_t>(f), desk, rows);
      else
        count(c, frame, open, j, desk, rows);
      complete(c, desk.targets, rows);
      desk.all_known = all_known;
    }
    if (rows.known_weight == 0) return std::nullopt;
    const auto at = at_column(c, j, desk.targets, rows, desk);
    double score = -std::numeric_limits<double>::infinity();
    bool any = false;
    if (f >= 0) {
      found.place = scan(at, frame, open, static_cast<std::size_t>(f), desk, floor);
      any = found.place.any;
      score = any ? found.place.score : score;
    } else {
      const auto best = score_of_groups(at, family_of(j), desk.groups);
      any = best.has_value();
      score = any ? *best : score;
    }
    if (at.homes_tried() && at.rows.known_weight >= at.least() && at.rows.missing_weight >= at.least()) {
      const double presence = score_of_pair(c, at.rows.known, at.rows.missing);
      any = true;
      score = std::max(score, presence);
    }
    if (!any) return std::nullopt;
    found.score = score;
    return found;
  }

  Family family_of(Column j) const { return table_.columns[j].kind == Kind::nominal ? settings_.search.nominal : settings_.search.numeric; }

  // The finished candidate of a column.
  template <class Id>
  std::optional<Candidate> finish(const C& c, const Frame<Id>& frame, const Open& open, const Found& found, Desk& desk) const {
    auto rows = summaries(c, desk);
    desk.all_known = false;
    const Column j = found.column;
    const i32 f = plan_.list_of[j];
    if (f < 0) {
      count(c, frame, open, j, desk, rows);
      complete(c, desk.targets, rows);
      if (table_.columns[j].kind == Kind::numeric) find_samples(frame, open, j, desk);
      return search_groups(at_column(c, j, desk.targets, rows, desk), family_of(j), desk.groups);
    }
    missing_of_list(c, frame, open, static_cast<std::size_t>(f), desk, rows);
    complete(c, desk.targets, rows);
    const auto at = at_column(c, j, desk.targets, rows, desk);
    if (!found.place.any)
      return at.presence(AtColumn<C>::Scale::pairs, 0, false, open.n - open.missing_in(static_cast<std::size_t>(f)) < 2);
    const Id* entries = frame.list(static_cast<std::size_t>(f)) + open.begin;
    Cells branches(2 * at.width, 0);
    for (u32 i = 0; i < found.place.position; ++i) add(c, frame, desk, Frame<Id>::id_of(entries[i]), branches.data());
    std::copy_n(at.rows.known, at.width, branches.data() + at.width);
    subtract_cells(branches.data() + at.width, branches.data(), at.width);
    const auto row_at = [&](u32 i) { return frame.row_of(Frame<Id>::id_of(entries[i])); };
    const auto position = static_cast<u32>(found.place.position);
    const Cut cut = make_cut(at.column, settings_.search, row_at(position - 1), row_at(position), 0);  // divided by place, not by rank
    auto candidate = ThresholdSearch<C>::finish(at, std::move(branches), found.place, cut, 0);
    if (candidate) candidate->position = position;
    return candidate;
  }

  // ---- all columns ----

  // Whether scores of different columns compare as their ranks do, so that most columns need not be finished.
  bool scores_compare() const {
    return C::kRankIsScore && settings_.chooser == ChooserKind::best && settings_.search.significance <= 0 &&
           !(known_only(settings_.search.missing) && holes_);
  }

  // Whether no split can score higher.
  static bool perfect(const C& c, double score, const Open& open) {
    if constexpr (requires { c.perfect(score, i64{open.n}); })
      return c.perfect(score, i64{open.n});
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

  template <class Id>
  std::vector<Candidate> search(Frame<Id>& frame, const Open& open, std::vector<Desk>& desks, bool parallel) {
    Desk& desk = desks[0];
    const C c(desk.targets, settings_.search, table_.target.n_classes);
    const bool draw = settings_.max_features > 0 && settings_.max_features < all_columns_.size();
    const std::vector<Column> drawn = draw ? draw_order(all_columns_, open.path) : std::vector<Column>{};
    const std::vector<Column>& columns = draw ? drawn : all_columns_;
    const bool compare = scores_compare();
    // Columns come in table order and the first of equals is taken: a later one has to be better.
    const bool first_wins = compare && !draw && settings_.ties == Ties::first;
    std::vector<Candidate> candidates;
    std::size_t begin = 0;
    while (begin < columns.size() && candidates.empty()) {
      std::size_t end = draw ? std::min<std::size_t>(columns.size(), begin == 0 ? settings_.max_features : begin + 1) : columns.size();
      std::vector<std::optional<Found>>& slots = desk.slots;
      slots.assign(end - begin, std::nullopt);
      if (parallel) {
        for (std::size_t d = 1; d < desks.size(); ++d) {
          desks[d].targets = desk.targets;
          desks[d].all_known = false;
          desks[d].local_class = desk.local_class;
          desks[d].ids = desk.ids;
          desks[d].labels = desk.labels;
        }
        for_each(slots.size(), settings_.threads, [&](std::size_t i, unsigned worker) {
          work_.check();
          slots[i] = look(c, frame, open, columns[begin + i], desks[worker], -std::numeric_limits<double>::infinity());
        });
      } else {
        double best = -std::numeric_limits<double>::infinity();
        double floor = best;
        for (std::size_t i = 0; i < slots.size(); ++i) {
          slots[i] = look(c, frame, open, columns[begin + i], desk, floor);
          if (!compare || !slots[i] || slots[i]->score <= best) continue;
          best = slots[i]->score;
          floor = first_wins ? best : best - margin(c, desk.targets, best);
          if (first_wins && perfect(c, best, open)) break;
        }
      }
      double best = -std::numeric_limits<double>::infinity();
      for (const auto& slot : slots)
        if (slot) best = std::max(best, slot->score);
      const double floor = compare ? best - margin(c, desk.targets, best) : -std::numeric_limits<double>::infinity();
      double highest = -std::numeric_limits<double>::infinity();
      for (const auto& slot : slots) {
        if (!slot || slot->score < floor) continue;
        if (first_wins && slot->score <= highest) continue;
        highest = std::max(highest, slot->score);
        if (auto candidate = finish(c, frame, open, *slot, desk)) candidates.push_back(std::move(*candidate));
      }
      begin = end;
    }
    std::sort(candidates.begin(), candidates.end(), [](const Candidate& a, const Candidate& b) { return a.split.column < b.split.column; });
    return candidates;
  }

  template <class Id>
  std::optional<Candidate> examine(Frame<Id>& frame, const Open& open, Builder& builder, std::vector<Desk>& desks, bool parallel) {
    Desk& desk = desks[0];
    work_.check();
    read(frame, open, desk);
    builder.describe(open.node, desk.targets.facts);
    if (stops(settings_, open.depth, desk.targets)) return std::nullopt;
    std::vector<Candidate> candidates = search(frame, open, desks, parallel);
    if (candidates.empty()) return std::nullopt;
    const std::size_t pick = choose(candidates, settings_, open.path, {});
    const bool taken = enough(settings_, candidates[pick].gain, desk.targets.facts.weight / table_.weights.plain(table_.weights.total));
    if (!taken) return std::nullopt;
    return std::move(candidates[pick]);
  }

  // ---- division ----

  // Marks the rows of the first branch and returns the two children, lists divided.
  template <class Id>
  std::array<Open, 2> divide(Frame<Id>& frame, const Open& open, const Candidate& chosen, Builder& builder,
                             std::vector<std::vector<Id>>& spares, bool parallel) {
    const Split& split = chosen.split;
    const u32 first = builder.divide(open.node, split, chosen.gain);
    std::array<Open, 2> children;
    for (u32 b = 0; b < 2; ++b) {
      children[b].node = first + b;
      children[b].depth = open.depth + 1;
      children[b].path = child_path(open.path, b);
      if constexpr (C::kClasses) children[b].total.assign(open.total.size(), 0);
      children[b].missing.assign(open.missing.size(), 0);
    }
    const u32 n_first = mark(frame, open, chosen, children[0]);
    children[0].n = n_first;
    children[1].n = open.n - n_first;
    children[0].begin = open.begin;
    children[1].begin = open.begin + n_first;
    if constexpr (C::kClasses) {
      children[0].total.back() = n_first;
      for (std::size_t k = 0; k < open.total.size(); ++k) children[1].total[k] = open.total[k] - children[0].total[k];
    }
    check(chosen, open, children);
    // Two leaves need no order any more; the mean of a leaf still wants its rows, which the list of rows holds.
    const bool leaves = ends(children[0]) && ends(children[1]);
    if (leaves && C::kClasses) return children;
    const Kernels& k = *frame.kernels;
    for_each(leaves ? 1 : plan_.n_lists(), parallel ? settings_.threads : 1, [&](std::size_t item, unsigned worker) {
      const std::size_t f = leaves ? plan_.source() : item;
      Id* slice = frame.list(f) + open.begin;
      const u32 missing = f < plan_.lists.size() ? open.missing_in(f) : 0;
      if (missing > 0) {
        u32 count = 0;
        for (u32 i = open.n - missing; i < open.n; ++i) {
          const u32 id = Frame<Id>::id_of(slice[i]);
          count += static_cast<u32>(frame.bitmap[id >> 6] >> (id & 63)) & 1;
        }
        children[0].missing[f] = count;
        children[1].missing[f] = missing - count;
      }
      const u32 found = divide_list(k, slice, open.n, frame.bitmap.data(), spares[worker].data());
      if (found != n_first) throw std::logic_error("a list of a node does not hold its rows");
    });
    return children;
  }

  // A node that needs no search: its lists need not be in order.
  bool ends(const Open& open) const {
    if (open.n < 2 || open.depth >= settings_.max_depth) return true;
    if constexpr (C::kClasses) {
      for (std::size_t k = 0; k + 1 < open.total.size(); ++k)
        if (open.total[k] == open.n) return true;
    }
    return false;
  }

  // Describes a child that is certainly a leaf and needs no more than what is known of it; false for any other.
  template <class Id>
  bool close(const Frame<Id>& frame, const Open& open, Builder& builder) {
    NodeFacts facts;
    facts.weight = table_.weights.plain(i64{open.n});
    if constexpr (C::kClasses) {
      // Under a loss matrix even a pure node has to be decided.
      if (requires(const C& c) { c.decide(nullptr); }) return false;
      const auto pure = std::find(open.total.begin(), open.total.end() - 1, i64{open.n});
      if (pure == open.total.end() - 1) return false;
      facts.label = static_cast<i32>(pure - open.total.begin());
      facts.classes.emplace_back(static_cast<u32>(facts.label), facts.weight);
    } else {
      if (open.n > 1) return false;
      facts.value = frame.value[Frame<Id>::id_of(frame.list(plan_.source())[open.begin])];
    }
    builder.describe(open.node, facts);
    work_.done += open.n;
    return true;
  }

  template <class Id>
  u32 mark(Frame<Id>& frame, const Open& open, const Candidate& chosen, Open& child) {
    const Split& split = chosen.split;
    const Column j = split.column;
    const i32 f = plan_.list_of[j];
    u32 count = 0;
    const auto put = [&](u32 id, bool in_first) {
      frame.mark(id, in_first);
      count += in_first;
      if constexpr (C::kClasses)
        if (in_first) ++child.total[frame.label[id]];
    };
    if (f >= 0) {
      const Id* slice = frame.list(static_cast<std::size_t>(f)) + open.begin;
      const u32 known = open.n - open.missing_in(static_cast<std::size_t>(f));
      const u32 below = split.family == Family::presence ? known : chosen.position;
      for (u32 i = 0; i < below; ++i) put(Frame<Id>::id_of(slice[i]), true);
      for (u32 i = below; i < known; ++i) put(Frame<Id>::id_of(slice[i]), false);
      for (u32 i = known; i < open.n; ++i) put(Frame<Id>::id_of(slice[i]), split.missing_to == 0);
      return count;
    }
    const Id* source = frame.list(plan_.source()) + open.begin;
    for (u32 i = 0; i < open.n; ++i) {
      const u32 id = Frame<Id>::id_of(source[i]);
      const Code code = code_of(frame, j, id);
      put(id, code == kMissing ? split.missing_to == 0 : branch_of_code(split, code) == 0);
    }
    return count;
  }

  // The search said what every branch would hold of known rows; a difference is a mistake of ours, never of the data.
  void check(const Candidate& chosen, const Open& open, const std::array<Open, 2>& children) const {
    i64 known = 0;
    for (const i64 w : chosen.branch_known) known += w;
    const i64 missing = i64{open.n} - known;
    const i64 in_first = chosen.branch_known[0] + (chosen.split.missing_to == 0 ? missing : 0);
    if (in_first != children[0].n || children[0].n == 0 || children[1].n == 0)
      throw std::logic_error("the division of a node does not match its search");
  }

  // ---- the loops ----

  template <class Id>
  void grow_depth_first(Frame<Id>& frame, Builder& builder, Open root, std::vector<Desk>& desks, std::vector<std::vector<Id>>& spares) {
    std::vector<Open> stack;
    stack.push_back(std::move(root));
    while (!stack.empty()) {
      const Open open = std::move(stack.back());
      stack.pop_back();
      const auto chosen = examine(frame, open, builder, desks, false);
      if (!chosen) {
        work_.done += open.n;
        continue;
      }
      auto children = divide(frame, open, *chosen, builder, spares, false);
      for (const std::size_t b : {std::size_t{1}, std::size_t{0}})
        if (!close(frame, children[b], builder)) stack.push_back(std::move(children[b]));
    }
  }

  void grow_in_pieces(Frame<u32>& frame, Builder& builder, Open root) {
    const unsigned threads = std::max(1U, settings_.threads);
    const u32 small = std::min(kSmallFrame, threads > 1 ? std::max(1024U, table_.n_rows / (4 * threads)) : kSmallFrame);
    std::vector<Desk> desks(threads);
    std::vector<std::vector<u32>> spares(table_.n_rows > small ? threads : 0,
                                         std::vector<u32>(std::size_t{table_.n_rows} + Frame<u32>::kPadding));
    std::vector<Open> large;
    std::vector<Open> pieces;
    large.push_back(std::move(root));
    while (!large.empty()) {
      Open open = std::move(large.back());
      large.pop_back();
      if (open.n <= small) {
        pieces.push_back(std::move(open));
        continue;
      }
      const auto chosen = examine(frame, open, builder, desks, threads > 1);
      if (!chosen) {
        work_.done += open.n;
        continue;
      }
      for (Open& child : divide(frame, open, *chosen, builder, spares, threads > 1)) large.push_back(std::move(child));
    }
    spares.clear();
    std::stable_sort(pieces.begin(), pieces.end(), [](const Open& a, const Open& b) { return a.n > b.n; });
    struct Bench {
      Frame<u16> frame;
      std::vector<u16> number_of;
      std::vector<Desk> desks{1};
      std::vector<std::vector<u16>> spares{1};
    };
    std::vector<Bench> benches(threads);
    std::vector<Builder> grown(pieces.size(), Builder(table_.target.n_classes));
    for_each(pieces.size(), threads, [&](std::size_t i, unsigned worker) {
      Bench& bench = benches[worker];
      bench.number_of.resize(table_.n_rows);
      narrow_frame(table_, plan_, frame, pieces[i].begin, pieces[i].n, bench.number_of, bench.frame);
      bench.spares[0].resize(pieces[i].n + Frame<u16>::kPadding);
      Open open = pieces[i];
      open.begin = 0;
      open.node = 0;
      grow_depth_first(bench.frame, grown[i], std::move(open), bench.desks, bench.spares);
    });
    frame = {};
    benches.clear();
    for (std::size_t i = 0; i < pieces.size(); ++i) builder.graft(pieces[i].node, std::move(grown[i]));
  }

  struct Waiting {
    Open open;
    Candidate chosen;
    double urgency;
  };

  void grow_best_first(Frame<u32>& frame, Builder& builder, Open root) {
    const unsigned threads = std::max(1U, settings_.threads);
    std::vector<Desk> desks(threads);
    std::vector<std::vector<u32>> spares(threads, std::vector<u32>(std::size_t{table_.n_rows} + Frame<u32>::kPadding));
    const auto later = [](const std::unique_ptr<Waiting>& a, const std::unique_ptr<Waiting>& b) {
      return a->urgency != b->urgency ? a->urgency < b->urgency : a->open.node > b->open.node;
    };
    std::priority_queue<std::unique_ptr<Waiting>, std::vector<std::unique_ptr<Waiting>>, decltype(later)> waiting(later);
    const auto consider = [&](Open open) {
      auto chosen = examine(frame, open, builder, desks, threads > 1 && open.n > 4096);
      if (!chosen) {
        work_.done += open.n;
        return;
      }
      const double urgency = desks[0].targets.facts.weight * chosen->gain;
      waiting.push(std::make_unique<Waiting>(Waiting{std::move(open), std::move(*chosen), urgency}));
    };
    u64 leaves = 1;
    if (settings_.max_leaves > 1) {
      consider(std::move(root));
    } else {
      read(frame, root, desks[0]);
      builder.describe(0, desks[0].targets.facts);
    }
    while (!waiting.empty()) {
      std::unique_ptr<Waiting> next = std::move(const_cast<std::unique_ptr<Waiting>&>(waiting.top()));
      waiting.pop();
      if (leaves + 1 > settings_.max_leaves) {
        work_.done += next->open.n;
        continue;
      }
      ++leaves;
      for (Open& child : divide(frame, next->open, next->chosen, builder, spares, threads > 1 && next->open.n > 4096))
        consider(std::move(child));
    }
  }

  Table& table_;
  const GrowSettings& settings_;
  Work& work_;
  FramePlan plan_;
  std::vector<Column> all_columns_ = [this] {
    std::vector<Column> columns(table_.columns.size());
    std::iota(columns.begin(), columns.end(), Column{0});
    return columns;
  }();
  bool holes_ = std::any_of(table_.columns.begin(), table_.columns.end(), [](const EncodedColumn& column) { return column.n_missing > 0; });
};

}  // namespace tw
