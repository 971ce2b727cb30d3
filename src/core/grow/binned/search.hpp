// One node of the binned engine: groups of codes from its counters, the best split of every column, and the one that is chosen.
#pragma once

#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <span>

#include "grow/binned/frame.hpp"
#include "grow/chooser.hpp"
#include "grow/column_draw.hpp"
#include "grow/limits.hpp"
#include "grow/sorted/scan.hpp"
#include "search/search.hpp"

namespace tw {

// Work space.
template <Criterion C>
struct BinnedWorkspace {
  struct Found {
    Column column = 0;
    double score = 0;
  };

  NodeTargets targets;
  std::vector<double> values;  // of numbers, by place among the rows of the node
  std::vector<i64> weights;
  std::vector<Row> spare;
  BinnedCounts counts;  // of columns that were drawn
  std::vector<typename C::Stat::Cell> cells;
  Groups<typename C::Stat> groups;
  std::vector<Found> found;
  ColumnDraw draw;
};

template <Criterion C>
class BinnedSearch {
 public:
  using Stat = typename C::Stat;
  using Cell = typename Stat::Cell;
  using Workspace = BinnedWorkspace<C>;

  // `all`: weight of the whole table, of which these rows may be a part.
  BinnedSearch(const Table& table, const GrowSettings& settings, const BinnedFrame& frame, double all)
      : table_(table),
        settings_(settings),
        frame_(frame),
        all_weight_(all),
        chooser_(chooser_entry(settings.chooser)),
        columns_(table.columns.size()) {
    std::iota(columns_.begin(), columns_.end(), Column{0});
    draws_ = settings.max_features > 0 && settings.max_features < columns_.size();
    const auto holes = [](const EncodedColumn& column) { return column.n_missing > 0; };
    compares_ =
        C::kRankIsScore && !(present_only(settings.search.missing) && std::any_of(table.columns.begin(), table.columns.end(), holes));
  }

  const std::vector<Column>& columns() const { return columns_; }
  // Whether every node looks at columns of its own.
  bool draws() const { return draws_; }

  // The chosen split of a node that was read, or nothing if it is to be a leaf. `count` counts columns that were drawn, or ends the search.
  template <class Count>
  std::optional<Candidate> choose(const BinnedCounts& counts, u64 path, Workspace& space, const Count& count) const {
    const C c(space.targets, settings_.search, table_.target.n_classes);
    std::vector<Candidate> candidates;
    if (!draws_) {
      look(c, counts, columns_, space, candidates);
    } else {
      space.draw.start(columns_, path);
      while (candidates.empty() && space.draw.any_left()) {
        const auto drawn = space.draw.next(settings_.max_features);
        if (!count(drawn)) return std::nullopt;
        look(c, counts, drawn, space, candidates);
      }
    }
    if (candidates.empty()) return std::nullopt;
    const std::size_t pick = chooser_.choose(candidates, {settings_, path, {}, {}});
    if (pick >= candidates.size() || !enough(settings_, candidates[pick], space.targets.facts.weight, all_weight_)) return std::nullopt;
    return std::move(candidates[pick]);
  }

  // The facts of a node of which the weight of every class is known.
  void read_classes(const std::vector<i64>& total, NodeTargets& targets) const {
    targets.classes.clear();
    targets.class_total.clear();
    for (u32 k = 0; k < total.size(); ++k) {
      if (total[k] == 0) continue;
      targets.classes.push_back(k);
      targets.class_total.push_back(total[k]);
    }
    weigh_classes(table_, targets);
    describe_classes<C>(targets, settings_.search, table_.target.n_classes);
  }

 private:
  static constexpr double kNone = -std::numeric_limits<double>::infinity();

  // Finishes the best of some columns, and those that may be equal to it.
  void look(const C& c, const BinnedCounts& counts, std::span<const Column> columns, Workspace& space,
            std::vector<Candidate>& candidates) const {
    space.found.clear();
    double best = kNone;
    for (const Column j : columns) {
      const bool only_better = compares_ && settings_.ties == Ties::first;
      const double floor = !compares_ || best == kNone ? kNone : only_better ? best : best - margin(c, space.targets, best);
      const auto score = score_of(c, counts, j, floor, space);
      if (!score) continue;
      space.found.push_back({j, *score});
      best = std::max(best, *score);
    }
    const double floor = compares_ && best > kNone ? best - margin(c, space.targets, best) : kNone;
    double highest = kNone;
    for (const auto& found : space.found) {
      if (found.score < floor || (compares_ && settings_.ties == Ties::first && found.score <= highest)) continue;
      highest = std::max(highest, found.score);
      if (auto candidate = finish(c, counts, found.column, space)) candidates.push_back(std::move(*candidate));
    }
  }

  // How good the best split of a column is; scores not above `floor` do not matter.
  std::optional<double> score_of(const C& c, const BinnedCounts& counts, Column j, double floor, Workspace& space) const {
    if constexpr (CountScan<C>::kPossible) {
      const bool scans = C::kClasses ? space.targets.classes.size() == 2 : frame_.narrow;
      if (family_of(j) == Family::threshold && scans && missing_of(counts, j) == 0) {
        CountScan<C> scan(c, total_of<Stat>(space.targets).data(), std::max<i64>(settings_.search.min_leaf, 1), floor);
        scan_counts(counts, j, space.targets, scan);
        return scan.best();
      }
    }
    const auto at = group(c, counts, j, space);
    if (at.rows.present_weight == 0) return std::nullopt;
    std::optional<double> best = score_of_groups(at, family_of(j), space.groups);
    if (at.tries_missing_branches() && at.rows.present_weight >= at.least() && at.rows.missing_weight >= at.least()) {
      const double presence = score_of_pair(c, at.rows.present, at.rows.missing);
      best = best ? std::max(*best, presence) : presence;
    }
    return best;
  }

  std::optional<Candidate> finish(const C& c, const BinnedCounts& counts, Column j, Workspace& space) const {
    const auto at = group(c, counts, j, space);
    if (at.rows.present_weight == 0) return std::nullopt;
    return search_groups(at, family_of(j), space.groups);
  }

  // Shows a scan the counters of a column code by code.
  template <class Scan>
  void scan_counts(const BinnedCounts& counts, Column j, const NodeTargets& targets, Scan& scan) const {
    const std::size_t per_slot = frame_.per_slot();
    const auto go = [&](const auto* slot, std::size_t first, std::size_t second) {
      for (u32 code = 0; code < table_.columns[j].n_codes; ++code, slot += per_slot)
        if (!scan.add(i64{slot[first]}, i64{slot[second]})) return;
    };
    const std::size_t begin = frame_.begin[j] * per_slot;
    if constexpr (C::kClasses) {
      if (!counts.narrow.empty()) return go(counts.narrow.data() + begin, targets.classes[0], targets.classes[1]);
      go(counts.wide.data() + begin, targets.classes[0], targets.classes[1]);
    } else {
      go(counts.wide.data() + begin, 0, 1);
    }
  }

  i64 missing_of(const BinnedCounts& counts, Column j) const {
    if (table_.columns[j].n_missing == 0) return 0;
    const std::size_t at = (frame_.begin[j + 1] - 1) * frame_.per_slot();
    i64 weight = 0;
    for (std::size_t k = 0; k < (C::kClasses ? frame_.per_slot() : 1); ++k) weight += counts.at(at + k);
    return weight;
  }

  // The rows of a column by code, in the groups of the work space.
  AtColumn<C> group(const C& c, const BinnedCounts& counts, Column j, Workspace& space) const {
    const std::size_t width = c.stat.width();
    const NodeTargets& targets = space.targets;
    space.cells.assign(4 * width, 0);
    ColumnRows<Stat> rows;
    rows.present = space.cells.data();
    rows.missing = rows.present + width;
    Groups<Stat>& groups = space.groups;
    const u32 n_codes = table_.columns[j].n_codes;
    groups.width = width;
    groups.codes.clear();
    groups.values.clear();
    groups.cells.resize((std::size_t{n_codes} + 1) * width);
    Cell* to = groups.cells.data();
    for (u32 code = 0; code <= n_codes; ++code) {
      const std::size_t slot = (std::size_t{frame_.begin[j]} + code) * frame_.per_slot();
      if constexpr (C::kClasses) {
        i64 sum = 0;
        for (std::size_t l = 0; l + 1 < width; ++l) sum += to[l] = counts.at(slot + targets.classes[l]);
        to[width - 1] = sum;
      } else {
        to[0] = counts.wide[slot];
        to[1] = counts.sum(frame_, std::size_t{frame_.begin[j]} + code);
      }
      if (code == n_codes) {
        std::copy_n(to, width, rows.missing);
      } else if (c.stat.weight(to) > 0) {
        groups.codes.push_back(code);
        groups.values.push_back(code);
        to += width;
      }
    }
    groups.cells.resize(groups.size() * width);
    std::copy_n(total_of<Stat>(targets).begin(), width, rows.present);
    subtract_cells(rows.present, rows.missing, width);
    rows.present_weight = c.stat.weight(rows.present);
    rows.missing_weight = c.stat.weight(rows.missing);
    return {c, settings_.search, table_.columns[j], j, targets, rows, width, rows.missing + width, rows.missing + 2 * width};
  }

  // Scores this far below the best may be equal to it once they are finished.
  double margin(const C& c, const NodeTargets& targets, double best) const {
    if constexpr (C::kClasses && !JudgesPairs<C>) {
      const double parent = c.worth(targets.class_total.data());
      return 1e-9 * std::fabs(best - parent) + 4 * c.rounding(targets.weight) +
             2 * kNoise * targets.facts.impurity * static_cast<double>(targets.weight);
    } else {
      return best > 0 ? 1e-9 * best : 1;
    }
  }

  Family family_of(Column j) const { return table_.columns[j].kind == Kind::nominal ? settings_.search.nominal : settings_.search.numeric; }

  const Table& table_;
  const GrowSettings& settings_;
  const BinnedFrame& frame_;
  const double all_weight_;
  const ChooserEntry& chooser_;
  std::vector<Column> columns_;
  bool draws_ = false;
  bool compares_ = false;  // scores of different columns compare as their ranks do, so that most columns need not be finished
};

}  // namespace tw
