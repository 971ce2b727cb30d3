// What the columns of a node of the sorted engine promise, where their cuts are counted: which column is going to be chosen is told from
// estimates wherever they leave no doubt, and only that one is finished.
#pragma once

#include <numeric>

#include "grow/sorted/column.hpp"

namespace tw {

template <Criterion C>
class CutForecast {
 public:
  using Stat = typename C::Stat;
  using Cell = typename Stat::Cell;
  using Cells = std::vector<Cell>;
  using Open = SortedNode<Cell>;
  using Workspace = SortedWorkspace<C>;
  using Found = typename Workspace::Found;

  CutForecast(const Table& table, const GrowSettings& settings, JobControl& job, const FramePlan& plan, const NodeReader<C>& reader,
              const ColumnSearch<C>& columns)
      : table_(table), settings_(settings), job_(job), plan_(plan), reader_(reader), columns_(columns), in_order_(table.columns.size()) {
    std::iota(in_order_.begin(), in_order_.end(), Column{0});
  }

  // The candidates of a node; only the one that is going to be chosen where that is `settled` beforehand.
  template <class Id>
  std::vector<Candidate> predicted(Frame<Id>& frame, const Open& open, std::vector<Workspace>& spaces, unsigned threads,
                                   bool& settled) const {
    if constexpr (kSumOfLogs<C>) {
      Workspace& space = spaces[0];
      const C c(space.targets, settings_.search, table_.target.n_classes);
      const std::size_t n = in_order_.size();
      space.forecast.resize(n);
      if (threads > 1) share_space(spaces);
      for_each(n, threads, [&](std::size_t j, unsigned worker) {
        if (threads > 1) job_.check();
        space.forecast[j].column = static_cast<Column>(j);
        forecast(c, frame, open, space.forecast[j], spaces[worker]);
      });
      for (std::size_t d = 1; threads > 1 && d < spaces.size(); ++d)
        for (std::size_t f = 0; f < space.close.size(); ++f) space.close[f] = std::min(space.close[f], spaces[d].close[f]);
      Predicted told = predict_columns(space);
      if (!told.certain) {
        for (Found& found : space.forecast) tell_exactly(c, frame, open, found, space);
        told = predict_columns(space);
      }
      std::vector<Candidate> candidates;
      if (told.certain && !told.column) return candidates;
      settled = told.certain;
      for (std::size_t j = 0; j < n; ++j) {
        if (settled ? j != *told.column : !space.forecast[j].estimate.any) continue;
        tell_exactly(c, frame, open, space.forecast[j], space);
        if (auto candidate = columns_.finish(c, frame, open, space.forecast[j], space)) candidates.push_back(std::move(*candidate));
      }
      return candidates;
    } else {
      throw std::logic_error("only entropies are foreseen");
    }
  }

 private:
  // How many cuts of a list are allowed, which a penalty wants to know. Of the branches of a node no more neighbours are too close than of
  // the node itself, so that a number is good for some generations; `exactly`: it is counted, unless it is known.
  template <class Id>
  void count_cuts(const C& c, const Frame<Id>& frame, const Open& open, Found& found, Workspace& space, bool exactly) const {
    const auto f = static_cast<std::size_t>(plan_.list_of[found.column]);
    const auto slice = reader_.template slice_of<Id>(c, reader_.whole(c, space), open.n, space);
    const u32 lowest = slice.lowest(0);
    const u32 highest = slice.highest(open.weight, 0);
    const u32 places = highest - lowest + 1;
    found.tried = found.tried_least = places;
    u32& close = space.close[f];
    if (close == 0 || !settings_.search.penalty) return;
    if (!exactly && close <= places / 2) {
      found.tried_least = places - close;
      return;
    }
    const Id* entries = frame.list(f) + open.begin;
    const double gap = reader_.gap();
    frame.with_cells(table_.columns[found.column].cells, f, [&](const auto& cell) {
      const auto cuts = [&](u32 first, u32 last) {  // before the entries from one to the other
        u32 n = 0;
        double before = cell(Frame<Id>::id_of(entries[first - 1]));
        for (u32 i = first; i <= last; ++i) {
          if (i + kPrefetchDistance < open.n) cell.prefetch_cell(Frame<Id>::id_of(entries[i + kPrefetchDistance]));
          const double here = cell(Frame<Id>::id_of(entries[i]));
          n += before + gap < here;
          before = here;
        }
        return n;
      };
      const u32 allowed = cuts(lowest, highest);
      close = open.n - 1 - allowed - cuts(1, lowest - 1) - cuts(highest + 1, open.n - 1);
      found.tried = found.tried_least = allowed;
    });
  }

  // The estimate of a column, without making a candidate of it yet.
  void tell(const C& c, const Open& open, Found& found, const Workspace& space) const {
    const EstimatedLog& log = estimated_log();
    const auto below = static_cast<i64>(found.place.position);
    const double bits = log.x_log2_x(open.weight) - log.x_log2_x(below) - log.x_log2_x(open.weight - below);
    const double gained = found.place.score - c.worth(total_of<Stat>(space.targets).data());
    found.estimate = estimate_of(settings_, space.targets, gained, open.weight, bits, found.tried, found.tried_least);
  }

  // The best cut of a column, and its estimate.
  template <class Id>
  void forecast(const C& c, const Frame<Id>& frame, const Open& open, Found& found, Workspace& space) const {
    const Column j = found.column;
    if (plan_.list_of[j] < 0) {
      found.estimate = estimate_of(columns_.finish(c, frame, open, found, space));
      return;
    }
    const auto f = static_cast<std::size_t>(plan_.list_of[j]);
    auto slice = reader_.template slice_of<Id>(c, reader_.whole(c, space), open.n, space);
    found.lower.resize(c.stat.width());
    slice.lower = found.lower.data();
    slice.entries = frame.list(f) + open.begin;
    slice.n_values = table_.columns[j].n_codes;
    slice.floor = kNothing;
    found.place = ListScan<C>::best(c, frame, slice, reader_.same_value(frame, table_.columns[j].cells, f, slice.entries));
    found.estimate = {};
    if (!found.place.any) return;
    count_cuts(c, frame, open, found, space, false);
    tell(c, open, found, space);
  }

  // Replaces the estimate of a column by exact figures.
  template <class Id>
  void tell_exactly(const C& c, const Frame<Id>& frame, const Open& open, Found& found, Workspace& space) const {
    if (plan_.list_of[found.column] < 0 || !found.place.any) return;
    if (found.tried != found.tried_least) {
      count_cuts(c, frame, open, found, space, true);
      tell(c, open, found, space);
    }
    if (found.estimate.doubtful) found.estimate = estimate_of(columns_.finish(c, frame, open, found, space));
  }

  Predicted predict_columns(Workspace& space) const {
    space.estimates.clear();
    for (const Found& found : space.forecast) space.estimates.push_back(found.estimate);
    const bool doubt = std::any_of(space.estimates.begin(), space.estimates.end(), [](const ColumnEstimate& o) { return o.doubtful; });
    return doubt ? Predicted{} : predict_column(settings_, in_order_, space.estimates);
  }

  const Table& table_;
  const GrowSettings& settings_;
  JobControl& job_;
  const FramePlan& plan_;
  const NodeReader<C>& reader_;
  const ColumnSearch<C>& columns_;
  std::vector<Column> in_order_;
};

}  // namespace tw
