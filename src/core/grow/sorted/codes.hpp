// Rows of a node of the sorted engine per level or code of a column, for columns of few values: these have no list.
#pragma once

#include <array>
#include <cmath>

#include "grow/sorted/node.hpp"

namespace tw {

template <Criterion C>
class CodeCounter {
 public:
  using Stat = typename C::Stat;
  using Cell = typename Stat::Cell;
  using Cells = std::vector<Cell>;
  using Open = SortedNode<Cell>;
  using Workspace = SortedWorkspace<C>;

  CodeCounter(const Table& table, const FramePlan& plan, const NodeReader<C>& reader) : table_(table), plan_(plan), reader_(reader) {}

  // Rows of the node summed up per code of a counted column.
  template <class Id>
  void count(const C& c, const Frame<Id>& frame, const Open& open, Column j, Workspace& space, ColumnRows<Stat>& rows) const {
    Groups<Stat>& groups = space.groups;
    groups.width = c.stat.width();
    groups.values.clear();
    if (plan_.bit_of[j] >= 0) {
      count_bits(c, frame, open, space);
      reader_.complete(c, space.targets, rows);
      group_bits(c, rows, j, space);
      return;
    }
    groups.codes.clear();
    groups.cells.clear();
    const u32 n_codes = table_.columns[j].n_codes;
    if (few(frame, j, space))
      group_few(c, frame, j, space, rows);
    else if (counted(frame, open, j, space))
      group_counts(j, n_codes, space, rows);
    else
      count_sorted(c, frame, open, j, space, rows);
    reader_.complete(c, space.targets, rows);
  }

  // Rows with the second value, of all such columns at once: one word of bits holds 64 of them.
  template <class Id>
  void count_bits(const C& c, const Frame<Id>& frame, const Open& open, Workspace& space) const {
    if (space.bits_present) return;
    space.bits_present = true;
    const std::size_t width = c.stat.width();
    space.bits.assign(std::size_t{plan_.bit_words} * 64 * width, 0);
    for (u32 i = 0; i < open.n; ++i) {
      const u32 id = space.ids[i];
      const i64 w = frame.weight_of(id);
      const u64* words = frame.bits.data() + std::size_t{id} * plan_.bit_words;
      for (u32 word = 0; word < plan_.bit_words; ++word) {
        for (u64 left = words[word]; left != 0; left &= left - 1) {
          Cell* cells = space.bits.data() + (word * 64 + static_cast<u32>(std::countr_zero(left))) * width;
          if constexpr (C::kClasses)
            c.stat.add_row(cells, space.labels[i], w);
          else
            c.stat.add_row(cells, space.targets.steps_of[i], w);
        }
      }
    }
  }

  const Cell* bits_of(const C& c, const Workspace& space, Column j) const {
    return space.bits.data() + static_cast<std::size_t>(plan_.bit_of[j]) * c.stat.width();
  }

  std::optional<double> score_of_bits(const AtColumn<C>& at, const Cell* ones) const {
    const i64 second = at.c.stat.weight(ones);
    if (second < at.least() || at.rows.present_weight - second < at.least()) return std::nullopt;
    std::copy_n(at.rows.present, at.width, at.one);
    subtract_cells(at.one, ones, at.width);
    if (!at.in_order(at.one, ones)) return std::nullopt;
    return score_of_pair(at.c, at.one, ones);
  }

  struct Counted {
    bool known = false;  // otherwise the rows have to be summed up
    std::optional<double> score;
  };

  // The score of the best cut of a counted column of numbers from the counters alone, where they tell it: no row of the node is missing,
  // and all weigh the same. Scores not above `floor` do not matter.
  template <class Id>
  Counted best_cut(const C& c, const Frame<Id>& frame, const Open& open, Column j, Workspace& space, i64 least, double floor) const {
    if constexpr (CountScan<C>::kPossible) {
      const EncodedColumn& column = table_.columns[j];
      if (plan_.weighted || column.kind != Kind::numeric || (C::kClasses && space.targets.classes.size() != 2)) return {};
      if (few(frame, j, space)) return best_of_few(c, j, space, least, floor);
      if (!counted(frame, open, j, space)) return {};
      const CodeCounts& counts = *space.counts;
      const auto slot = static_cast<std::size_t>(plan_.slot_of[j]);
      const std::size_t begin = counts.first[slot];
      const auto search = [&](const auto& first, const auto& second) -> Counted {
        if (first[column.n_codes] != 0 || (C::kClasses && second[column.n_codes] != 0)) return {};
        CountScan<C> scan(c, total_of<Stat>(space.targets).data(), least, floor);
        each_code(slot, column.n_codes, space, [&](u32 code) { return scan.add(i64{first[code]}, i64{second[code]}); });
        return {true, scan.best()};
      };
      if constexpr (C::kClasses) {
        const auto of_class = [&](std::size_t l) {
          return counts.rows.data() + counts.row_of[space.targets.classes[l]] * counts.room + begin;
        };
        return search(of_class(0), of_class(1));
      } else {
        return search(counts.rows.data() + begin, counts.sums.data() + begin);
      }
    } else {
      return {};
    }
  }

  // Whether a column of a node of few rows surely has no cut above the floor. Estimates of all columns are made at the first question.
  template <class Id>
  bool hopeless(const C& c, const Frame<Id>& frame, Column j, Workspace& space, i64 least, double floor) const {
    if constexpr (CountScan<C>::kPossible) {
      const EncodedColumn& column = table_.columns[j];
      if (plan_.slot_of[j] < 0 || plan_.weighted || column.kind != Kind::numeric || (C::kClasses && space.targets.classes.size() != 2) ||
          !few(frame, j, space))
        return false;
      const auto slot = static_cast<std::size_t>(plan_.slot_of[j]);
      if (space.few.last_code(slot) == column.n_codes) return false;
      if (!space.few.summed()) sum_up_few(space, least);
      // Sums of at most 32 numbers are off by less than 10^-5 of the largest of them times 32, which bounds the root of what they reach.
      const double needed =
          std::sqrt(std::max(0.0, CountScan<C>::between_groups(c, total_of<Stat>(space.targets).data(), floor))) * (1 - 1e-5);
      const double least_root = needed - 1e-3 * space.largest_few;
      return least_root > 0 && static_cast<double>(space.few.most(slot)) < least_root * least_root;
    } else {
      return false;
    }
  }

  // The values of the groups, of which thresholds are made.
  template <class Id>
  void find_values(const Frame<Id>& frame, const Open& open, Column j, Workspace& space) const {
    Groups<Stat>& groups = space.groups;
    groups.values.resize(groups.size());
    if (const std::vector<double>& values = plan_.code_values[j]; !values.empty()) {
      for (std::size_t g = 0; g < groups.size(); ++g) groups.values[g] = values[groups.codes[g]];
      return;
    }
    for (u32 i = 0; i < open.n; ++i) {
      const Code code = reader_.code_of(frame, j, space.ids[i]);
      if (code == kMissing) continue;
      const auto at = std::lower_bound(groups.codes.begin(), groups.codes.end(), code) - groups.codes.begin();
      groups.values[static_cast<std::size_t>(at)] = table_.columns[j].cells.number(frame.row_of(space.ids[i]));
    }
  }

  // Hands the counts of a node that was divided on to its branches: the smaller one is counted, the larger holds the rest. Numbers are
  // counted afresh: their steps are the node's.
  template <class Id>
  void hand_down(const Frame<Id>& frame, std::array<Open, 2>& children, Workspace& space) const {
    if constexpr (C::kClasses) {
      if (!space.counts) return;
      Open& small = children[children[1].n < children[0].n ? 1 : 0];
      Open& large = children[children[1].n < children[0].n ? 0 : 1];
      const std::size_t counters = std::max(space.counts->rows.size(), space.counts->sums.size());
      const std::size_t width = plan_.coded.size();
      // A node inherits no more counters than it has codes: that bounds the memory of waiting nodes, and beyond counting is as fast.
      const auto may_inherit = [&](const Open& child) { return counters <= std::size_t{child.n} * width; };
      if (!may_inherit(large)) return;
      auto part = std::make_shared<CodeCounts>(space.counts->blank());
      const Id* source = frame.list(plan_.source()) + small.begin;
      for (u32 i = 0; i < small.n; ++i) {
        const u32 id = Frame<Id>::id_of(source[i]);
        count_row(frame, id, part->row_of[frame.label[id]], *part);
      }
      large.counts = std::move(space.counts);
      large.counts->subtract(*part);
      if (may_inherit(small)) small.counts = std::move(part);
    }
  }

 private:
  // Whether the node has so few rows that the codes of this column stand in order in the workspace.
  template <class Id>
  bool few(const Frame<Id>& frame, Column j, Workspace& space) const {
    if (space.ids.size() > FewCodes::kMostRows || space.counts || plan_.slot_of[j] < 0 || table_.columns[j].n_codes > FewCodes::kMostCodes)
      return false;
    if (space.few.empty()) space.few.sort(frame.codes.data(), plan_.coded.size(), space.ids);
    return true;
  }

  // The targets around their mean, or the share of the second class, and what they reach in every column.
  void sum_up_few(Workspace& space, i64 least) const {
    const auto n = static_cast<double>(space.ids.size());
    std::array<float, FewCodes::kMostRows> numbers{};
    space.largest_few = 0;
    for (std::size_t i = 0; i < space.ids.size(); ++i) {
      double number = 0;
      if constexpr (C::kClasses)
        number = space.labels[i] - static_cast<double>(space.targets.class_total[1]) / n;
      else
        number = static_cast<double>(space.targets.steps_of[i]) - static_cast<double>(space.targets.moment_total[1]) / n;
      numbers[i] = static_cast<float>(number);
      space.largest_few = std::max(space.largest_few, std::fabs(number));
    }
    space.few.sum_up({numbers.data(), space.ids.size()}, static_cast<u32>(std::min<i64>(std::max<i64>(least, 1), FewCodes::kMostRows)));
  }

  Counted best_of_few(const C& c, Column j, const Workspace& space, i64 least, double floor) const {
    const auto slot = static_cast<std::size_t>(plan_.slot_of[j]);
    if (space.few.last_code(slot) == table_.columns[j].n_codes) return {};  // a missing cell
    CountScan<C> scan(c, total_of<Stat>(space.targets).data(), least, floor);
    u32 last = 0;
    i64 first = 0;
    i64 second = 0;
    space.few.each(slot, [&](u32 code, u32 i) {
      if (code != last) {
        if (!scan.add(first, second)) return false;
        last = code;
        first = second = 0;
      }
      if constexpr (C::kClasses) {
        first += space.labels[i] == 0;
        second += space.labels[i];
      } else {
        ++first;
        second += space.targets.steps_of[i];
      }
      return true;
    });
    return {true, scan.best()};
  }

  template <class Id>
  void group_few(const C& c, const Frame<Id>& frame, Column j, Workspace& space, ColumnRows<Stat>& rows) const {
    Groups<Stat>& groups = space.groups;
    space.few.each(static_cast<std::size_t>(plan_.slot_of[j]), [&](u32 code, u32 i) {
      Cell* cells = rows.missing;
      if (code < table_.columns[j].n_codes) {
        if (groups.codes.empty() || groups.codes.back() != code) {
          groups.codes.push_back(code);
          groups.cells.resize(groups.cells.size() + groups.width, 0);
        }
        cells = groups.cells.data() + groups.cells.size() - groups.width;
      }
      reader_.add(c, frame, space, space.ids[i], cells);
      return true;
    });
  }

  // Both values as groups.
  void group_bits(const C& c, const ColumnRows<Stat>& rows, Column j, Workspace& space) const {
    Groups<Stat>& groups = space.groups;
    const Cell* ones = bits_of(c, space, j);
    groups.codes.clear();
    groups.cells.clear();
    if (c.stat.weight(ones) < rows.present_weight) {
      groups.codes.push_back(0);
      groups.cells.assign(rows.present, rows.present + groups.width);
      subtract_cells(groups.cells.data(), ones, groups.width);
    }
    if (c.stat.weight(ones) > 0) {
      groups.codes.push_back(1);
      groups.cells.insert(groups.cells.end(), ones, ones + groups.width);
    }
  }

  // Whether a column has a counter per code and class (or a number and a sum per code): not if they outnumber the rows by far.
  bool dense(const Open& open, Column j, std::size_t per_code) const {
    return std::size_t{table_.columns[j].n_codes} * per_code <= 4 * std::size_t{open.n} + 64;
  }

  // All columns together have no more counters than the node has codes, so that a workspace takes no more than the codes do, twice.
  std::size_t most_counters(const Open& open) const { return std::max(std::size_t{1} << 16, std::size_t{open.n} * plan_.coded.size()); }

  // Whether the workspace has counts of a column; all that are to be had are made at the first question.
  template <class Id>
  bool counted(const Frame<Id>& frame, const Open& open, Column j, Workspace& space) const {
    const i32 slot = plan_.slot_of[j];
    if ((plan_.weighted && !C::kClasses) || slot < 0) return false;  // weighted sums of numbers would take 128 bits
    if (!space.counts) count_dense(frame, open, space);
    if (space.seen.empty() && open.n <= kSparse) note_codes(frame, space);
    return space.counts->first[static_cast<std::size_t>(slot)] != CodeCounts::kNot;
  }

  template <class Id>
  void count_row(const Frame<Id>& frame, u32 id, std::size_t row, CodeCounts& counts) const {
    const u16* codes = frame.codes.data() + id * plan_.coded.size();
    if (plan_.weighted)
      counts.add(codes, row, frame.weight[id]);
    else
      counts.add(codes, row);
  }

  template <class Id>
  void count_dense(const Frame<Id>& frame, const Open& open, Workspace& space) const {
    const std::size_t k = C::kClasses ? space.targets.classes.size() : 1;
    space.counts = std::make_shared<CodeCounts>();
    CodeCounts& counts = *space.counts;
    counts.start(plan_.coded.size());
    for (u32 slot = 0; slot < plan_.coded.size(); ++slot)
      if (dense(open, plan_.coded[slot], k) && (counts.room + table_.columns[plan_.coded[slot]].n_codes) * k <= most_counters(open))
        counts.join(slot, table_.columns[plan_.coded[slot]].n_codes);
    if constexpr (C::kClasses) {
      counts.rows.assign(plan_.weighted ? 0 : counts.room * k, 0);
      counts.sums.assign(plan_.weighted ? counts.room * k : 0, 0);
      counts.row_of = space.local_class;
      for (u32 i = 0; i < open.n; ++i) count_row(frame, space.ids[i], space.labels[i], counts);
    } else {
      const u16* codes = frame.codes.data();
      const std::size_t width = plan_.coded.size();
      counts.rows.assign(counts.room, 0);
      counts.sums.assign(counts.room, 0);
      for (u32 i = 0; i < open.n; ++i) counts.add(codes + space.ids[i] * width, i64{space.targets.steps_of[i]});
    }
  }

  template <class Id>
  void note_codes(const Frame<Id>& frame, Workspace& space) const {
    const std::size_t width = plan_.coded.size();
    space.seen.assign(width, 0);
    for (const u32 id : space.ids) {
      const u16* codes = frame.codes.data() + id * width;
      for (std::size_t slot = 0; slot < width; ++slot) space.seen[slot] |= u64{1} << (codes[slot] & 63);
    }
  }

  // Goes through the codes that may occur at the node, as long as `use` says so.
  template <class Use>
  void each_code(std::size_t slot, u32 n_codes, const Workspace& space, const Use& use) const {
    if (!space.seen.empty() && n_codes <= 64) {
      // Missing cells have code n_codes, which may stand at the bit of code 0.
      for (u64 left = space.seen[slot]; left != 0; left &= left - 1)
        if (const auto code = static_cast<u32>(std::countr_zero(left)); code < n_codes && !use(code)) return;
    } else {
      for (u32 code = 0; code < n_codes; ++code)
        if (!use(code)) return;
    }
  }

  static constexpr u32 kSparse = 64;  // rows of nodes in which most codes are expected not to occur

  // The codes of a column that occur, from the counts.
  void group_counts(Column j, u32 n_codes, Workspace& space, ColumnRows<Stat>& rows) const {
    Groups<Stat>& groups = space.groups;
    const std::size_t width = groups.width;
    const auto slot = static_cast<std::size_t>(plan_.slot_of[j]);
    const CodeCounts& counts = *space.counts;
    const std::size_t begin = counts.first[slot];
    const auto write = [&](u32 code, Cell* cells) {
      if constexpr (C::kClasses) {
        i64 sum = 0;
        for (std::size_t l = 0; l + 1 < width; ++l) {
          const std::size_t at = begin + counts.row_of[space.targets.classes[l]] * counts.room + code;
          cells[l] = plan_.weighted ? counts.sums[at] : i64{counts.rows[at]};
          sum += cells[l];
        }
        cells[width - 1] = sum;
        return sum > 0;
      } else {
        cells[0] = counts.rows[begin + code];
        cells[1] = counts.sums[begin + code];
        return counts.rows[begin + code] > 0;
      }
    };
    groups.cells.resize(std::size_t{n_codes} * width);
    std::size_t filled = 0;
    each_code(slot, n_codes, space, [&](u32 code) {
      if (write(code, groups.cells.data() + filled * width)) {
        groups.codes.push_back(code);
        ++filled;
      }
      return true;
    });
    groups.cells.resize(filled * width);
    write(n_codes, rows.missing);
  }

  template <class Id>
  void count_sorted(const C& c, const Frame<Id>& frame, const Open& open, Column j, Workspace& space, ColumnRows<Stat>& rows) const {
    Groups<Stat>& groups = space.groups;
    space.pairs.clear();
    for (u32 i = 0; i < open.n; ++i) {
      const u32 id = space.ids[i];
      const Code code = reader_.code_of(frame, j, id);
      if (code == kMissing)
        reader_.add(c, frame, space, id, rows.missing);
      else
        space.pairs.push_back(u64{code} << 32 | id);
    }
    std::sort(space.pairs.begin(), space.pairs.end());
    for (const u64 pair : space.pairs) {
      const auto code = static_cast<Code>(pair >> 32);
      if (groups.codes.empty() || groups.codes.back() != code) {
        groups.codes.push_back(code);
        groups.cells.resize(groups.cells.size() + groups.width, 0);
      }
      reader_.add(c, frame, space, static_cast<u32>(pair), groups.cells.data() + (groups.codes.size() - 1) * groups.width);
    }
  }

  const Table& table_;
  const FramePlan& plan_;
  const NodeReader<C>& reader_;
};

}  // namespace tw
