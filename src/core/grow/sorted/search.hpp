// One node of the sorted engine: the candidates of its columns, and the one that is chosen.
#pragma once

#include <atomic>
#include <numeric>

#include "grow/chooser.hpp"
#include "grow/limits.hpp"
#include "grow/sorted/estimate.hpp"

namespace tw {

template <Criterion C>
class SortedSearch {
 public:
  using Stat = typename C::Stat;
  using Cell = typename Stat::Cell;
  using Cells = std::vector<Cell>;
  using Open = SortedNode<Cell>;
  using Workspace = SortedWorkspace<C>;
  using Found = typename Workspace::Found;

  SortedSearch(const Table& table, const GrowSettings& settings, JobControl& job, const FramePlan& plan, const NodeReader<C>& reader,
               double all)
      : table_(table),
        settings_(settings),
        job_(job),
        chooser_(chooser_entry(settings.chooser)),
        plan_(plan),
        reader_(reader),
        all_weight_(all),
        columns_(table, settings, plan, reader),
        forecast_(table, settings, job, plan, reader, columns_) {
    for (const EncodedColumn& column : table.columns) holes_ = holes_ || column.n_missing > 0;
    all_columns_.resize(table.columns.size());
    std::iota(all_columns_.begin(), all_columns_.end(), Column{0});
    compare_ = !keeps_some(settings) && C::kRankIsScore && chooser_.foreseen == Foreseen::best && settings.search.significance <= 0 &&
               !(present_only(settings.search.missing) && holes_);
    counts_cuts_ = counts_cuts(settings);
    first_wins_ = compare_ && settings.ties == Ties::first;
  }

  bool holes() const { return holes_; }
  const CodeCounter<C>& codes() const { return columns_.codes(); }

  // The chosen split of a node that was read, or nothing if it is to be a leaf. More than one workspace: columns in parallel.
  template <class Id>
  std::optional<Candidate> choose_split(Frame<Id>& frame, const Open& open, std::vector<Workspace>& spaces, unsigned threads,
                                        Builder& builder) const {
    Workspace& space = spaces[0];
    if (stops(settings_, open.depth, space.targets)) return std::nullopt;
    bool settled = false;
    std::vector<Candidate> candidates =
        counts_cuts_ ? forecast_.predicted(frame, open, spaces, threads, settled) : search(frame, open, spaces, threads);
    if (candidates.empty()) return std::nullopt;
    const std::size_t pick = settled ? 0 : chooser_.choose(candidates, {settings_, open.path, {}, {}});
    const bool taken = pick < candidates.size() && enough(settings_, candidates[pick], space.targets.facts.weight, all_weight_);
    if (keeps_some(settings_)) keep_candidates(settings_, open.node, candidates, pick, taken, builder);
    if (!taken) return std::nullopt;
    return std::move(candidates[pick]);
  }

  // Whether nodes of two rows can be settled by `split_pair`: any column in which they differ is as good as any other. (Heavy rows may have
  // surrogates, which rows of weight one are too few for.)
  bool settles_pairs() const {
    return first_wins_ && !counts_cuts_ && !holes_ && settings_.search.min_leaf <= 1 &&
           !(plan_.weighted && settings_.search.missing == Missing::surrogate);
  }

  // The split of a node of two rows, whose lists need not be in order; the position is 1 if the first of `ids` goes to the first branch.
  template <class Id>
  std::optional<Candidate> split_pair(const Frame<Id>& frame, const Open& open, Workspace& space, const std::array<u32, 2>& ids) const {
    if (stops(settings_, open.depth, space.targets)) return std::nullopt;
    const C c(space.targets, settings_.search, table_.target.n_classes);
    const auto differing = [&](std::span<const Column> columns) -> std::optional<Candidate> {
      for (const Column j : columns) {
        if (auto candidate = columns_.pair_of(c, frame, open, j, space, ids)) return candidate;
      }
      return std::nullopt;
    };
    std::optional<Candidate> found;
    const std::vector<Column>& columns = columns_of(open.open, all_columns_);
    if (!draws(columns)) {
      found = differing(columns);
    } else {
      space.draw.start(columns, open.path);
      while (!found && space.draw.any_left()) found = differing(space.draw.next(settings_.max_features));
    }
    if (found && !enough(settings_, *found, space.targets.facts.weight, all_weight_)) return std::nullopt;
    return found;
  }

 private:
  // Whether only some of the columns that may be asked for are looked at.
  bool draws(const std::vector<Column>& columns) const { return settings_.max_features > 0 && settings_.max_features < columns.size(); }

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

  template <class Id>
  std::vector<Candidate> search(Frame<Id>& frame, const Open& open, std::vector<Workspace>& spaces, unsigned threads) const {
    const C c(spaces[0].targets, settings_.search, table_.target.n_classes);
    std::vector<Candidate> candidates;
    const auto look = [&](std::span<const Column> columns) {
      if (first_wins_ && threads <= 1) return search_in_order(c, frame, open, columns, spaces[0], candidates);
      look_at(c, frame, open, columns, spaces, threads);
      finish_best(c, frame, open, spaces[0], candidates);
    };
    const std::vector<Column>& columns = columns_of(open.open, all_columns_);
    if (!draws(columns)) {
      look(columns);
    } else {
      ColumnDraw& draw = spaces[0].draw;
      draw.start(columns, open.path);
      while (candidates.empty() && draw.any_left()) look(draw.next(settings_.max_features));
    }
    return candidates;
  }

  // Columns come in table order and the first of equals is taken: a later one has to be better.
  template <class Id>
  void search_in_order(const C& c, Frame<Id>& frame, const Open& open, std::span<const Column> columns, Workspace& space,
                       std::vector<Candidate>& candidates) const {
    space.records.clear();
    double best = kNothing;
    ListSlice<Id, Cell> slice;  // what lists without missing rows share
    for (const Column j : columns) {
      const i32 f = plan_.list_of[j];
      if (f < 0 && columns_.hopeless(c, frame, j, space, best)) continue;
      Found found;
      found.column = j;
      if (f >= 0 && open.missing_in(static_cast<std::size_t>(f)) == 0) {
        if (!space.all_present || slice.present == 0) slice = reader_.template slice_of<Id>(c, reader_.whole(c, space), open.n, space);
        slice.entries = frame.list(static_cast<std::size_t>(f)) + open.begin;
        slice.n_values = table_.columns[j].n_codes;
        slice.floor = best;
        const auto order = reader_.order_of(j, space);
        slice.order = order ? &*order : nullptr;
        const auto same = reader_.same_value(frame, table_.columns[j].cells, static_cast<std::size_t>(f), slice.entries);
        found.place = reader_.best_cut(c, frame, slice, same);
        if (!found.place.any) continue;
        found.score = found.place.score;
      } else {
        const auto looked = columns_.look(c, frame, open, j, space, best);
        if (!looked) continue;
        found = *looked;
      }
      if (found.score <= best) continue;
      best = found.score;
      space.records.push_back(found);
      if (perfect(c, best, open)) break;
    }
    if (space.records.empty()) return;
    const double floor = space.records.size() > 1 ? best - margin(c, space.targets, best) : best;
    for (const Found& found : space.records) {
      if (found.score < floor) continue;
      if (auto candidate = columns_.finish(c, frame, open, found, space)) candidates.push_back(std::move(*candidate));
    }
  }

  // What is found in some columns, in the slots of the first workspace.
  template <class Id>
  void look_at(const C& c, Frame<Id>& frame, const Open& open, std::span<const Column> columns, std::vector<Workspace>& spaces,
               unsigned threads) const {
    Workspace& space = spaces[0];
    const std::size_t n = columns.size();
    space.slots.assign(n, std::nullopt);
    if (threads > 1) {
      share_space(spaces);
      // Columns too far below one already seen may be given up early; who saw which first decides nothing else.
      std::atomic<double> floor{kNothing};
      for_each(n, threads, [&](std::size_t i, unsigned worker) {
        job_.check();
        space.slots[i] = columns_.look(c, frame, open, columns[i], spaces[worker], floor.load());
        if (!compare_ || !space.slots[i]) return;
        const double own = space.slots[i]->score - margin(c, spaces[worker].targets, space.slots[i]->score);
        double seen = floor.load();
        while (seen < own && !floor.compare_exchange_weak(seen, own)) {
        }
      });
      return;
    }
    double best = kNothing;
    double floor = kNothing;
    for (std::size_t i = 0; i < n; ++i) {
      space.slots[i] = columns_.look(c, frame, open, columns[i], space, floor);
      if (!compare_ || !space.slots[i] || space.slots[i]->score <= best) continue;
      best = space.slots[i]->score;
      floor = best - margin(c, space.targets, best);
    }
  }

  // Finishes those that may be chosen.
  template <class Id>
  void finish_best(const C& c, Frame<Id>& frame, const Open& open, Workspace& space, std::vector<Candidate>& candidates) const {
    double best = kNothing;
    for (const auto& slot : space.slots)
      if (slot) best = std::max(best, slot->score);
    const double floor = compare_ ? best - margin(c, space.targets, best) : kNothing;
    double highest = kNothing;
    for (const auto& slot : space.slots) {
      if (!slot || slot->score < floor) continue;
      if (first_wins_ && slot->score <= highest) continue;
      highest = std::max(highest, slot->score);
      if (auto candidate = columns_.finish(c, frame, open, *slot, space)) candidates.push_back(std::move(*candidate));
    }
  }

  const Table& table_;
  const GrowSettings& settings_;
  JobControl& job_;
  const ChooserEntry& chooser_;
  const FramePlan& plan_;
  const NodeReader<C>& reader_;
  const double all_weight_;  // of the table, or of the one that it is a part of
  const ColumnSearch<C> columns_;
  const CutForecast<C> forecast_;
  std::vector<Column> all_columns_;
  bool holes_ = false;
  bool compare_ = false;  // scores of different columns compare as their ranks do, so that most columns need not be finished
  bool counts_cuts_ = false;
  bool first_wins_ = false;  // and the first of equals is taken
};

}  // namespace tw
