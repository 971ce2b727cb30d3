// Looks ahead before it offers a split: every split is tried, its branches are divided in turn, the tries are taken back, and columns are
// compared by what the impurity falls by several levels further down. What a single column hides and two together show, such as XOR, is
// found so. It is a proposer and no chooser, because the thresholds inside a column must be looked at in the same way as the columns.
#include <algorithm>
#include <atomic>
#include <limits>
#include <numeric>
#include <string>

#include "base/errors.hpp"
#include "base/hash.hpp"
#include "base/parallel.hpp"
#include "grow/chooser.hpp"
#include "grow/limits.hpp"
#include "grow/plain/divide.hpp"
#include "search/proposer.hpp"

namespace tw {

namespace {

// What a split costs, as a share of the impurity at the node that looks ahead: of equal falls the fewer splits win.
constexpr double kSplitCost = 1e-8;
// No fall is better than another by less than this share of the same: sums of gains are rounded.
constexpr double kRounding = 1e-11;

// The groups of a column added up to two, below and above a cut: the search of these finds that cut.
template <class Cell>
class TwoSides {
 public:
  explicit TwoSides(const ColumnSummary& all) : width_(all.cells<Cell>().size() / (all.codes.size() + 1)) {
    const auto& cells = all.cells<Cell>();
    sums_.assign((all.codes.size() + 1) * width_, 0);
    for (std::size_t i = 0; i < all.codes.size() * width_; ++i) sums_[i + width_] = sums_[i] + cells[i];
    missing_.assign(cells.end() - static_cast<std::ptrdiff_t>(width_), cells.end());
  }

  void add_to(ColumnSummary& two, std::size_t position) const {
    auto& cells = two.cells<Cell>();
    const Cell* below = sums_.data() + position * width_;
    const Cell* all = sums_.data() + sums_.size() - width_;
    cells.assign(below, below + width_);
    for (std::size_t c = 0; c < width_; ++c) cells.push_back(all[c] - below[c]);
    cells.insert(cells.end(), missing_.begin(), missing_.end());
  }

 private:
  std::size_t width_;
  std::vector<Cell> sums_;  // of the groups below every position
  std::vector<Cell> missing_;
};

class LookAhead final : public Proposer {
 public:
  LookAhead(const Table& table, const GrowSettings& settings, const Searcher& searcher, JobControl& job)
      : table_(table), settings_(settings), searcher_(searcher), alone_(settings) {
    if (fills(settings.search.missing))
      throw Invalid("looking ahead compares all thresholds, and cells that are filled are filled by column: choose another missing=");
    if (settings.search.missing == Missing::surrogate) throw Invalid("looking ahead has no surrogates: choose another missing=");
    alone_.ties = Ties::first;  // of tries nobody is asked
    columns_ = Registry<ProposerEntry>::find("columns")->make(table, alone_, searcher, job);
  }

  void propose(const NodeView& node, std::span<Scratch* const> spaces, Proposals& out) const override {
    Proposals best;
    columns_->propose(node, spaces, best);
    std::vector<std::optional<Candidate>> slots(best.candidates.size());
    for_each(slots.size(), static_cast<unsigned>(spaces.size()),
             [&](std::size_t i, unsigned worker) { slots[i] = best_of_column(best.candidates[i], node, *spaces[worker]); });
    for (auto& slot : slots) out.candidates.push_back(std::move(*slot));
    for (Scratch* space : spaces) space->prepared = false;  // it counted the tries, not this node
  }

  std::optional<Candidate> refit(const Candidate& candidate, const NodeView& node, Scratch& space) const override {
    auto best = columns_->refit(candidate, node, space);
    if (!best) return std::nullopt;
    return best_of_column(*best, node, space);
  }

 private:
  // A node of the tries: NodeView's references, and what a split costs in all of them.
  struct Try {
    const NodeView& node;
    double split_cost = 0;
    u32 levels = 0;  // that are left to look at, this one included
  };

  // What a try takes from the weighed impurity, less what its splits cost.
  struct Gained {
    double net = 0;
    u64 splits = 0;
  };

  static double weighed_impurity(const NodeTargets& targets) { return targets.facts.weight * targets.facts.impurity; }

  // The split of the candidate's column after which most can be gained; its merit says what, a row.
  Candidate best_of_column(const Candidate& greedy, const NodeView& node, Scratch& space) const {
    const Try here{node, kSplitCost * weighed_impurity(node.targets), settings_.ahead.levels};
    std::optional<Candidate> best;
    Gained most;
    for (Candidate& candidate : splits_of(greedy, node, space)) {
      const Gained gained = gained_by(candidate, here, best ? most.net : -std::numeric_limits<double>::infinity(), space);
      if (best && !(gained.net > most.net + kRounding * weighed_impurity(node.targets))) continue;
      best = std::move(candidate);
      most = gained;
    }
    const double weight = node.targets.facts.weight;
    best->rank = most.net / weight;
    best->merit = (most.net + static_cast<double>(most.splits) * here.split_cost) / weight;
    return std::move(*best);
  }

  // All splits of the column of a candidate: all cuts, or of other families the candidate itself.
  std::vector<Candidate> splits_of(const Candidate& greedy, const NodeView& node, Scratch& space) const {
    const Column column = greedy.split.column;
    if (table_.columns[column].kind != Kind::numeric || settings_.search.numeric != Family::threshold) return {greedy};
    space.prepared = false;
    const ColumnSummary all = searcher_.summarise(node.rows, node.targets, column, space);
    std::vector<Candidate> out;
    const auto cut = [&](const auto& sides) {
      ColumnSummary two;
      for (const std::size_t p : positions(all.codes.size(), greedy, all)) {
        two.codes = {all.codes[p - 1], all.codes[p]};
        two.values = {all.values[p - 1], all.values[p]};
        sides.add_to(two, p);
        auto found = searcher_.choose(two, node.targets, column);
        if (found && all_heavy(settings_, table_, *found)) out.push_back(std::move(*found));
      }
    };
    if (all.moment_cells.empty())
      cut(TwoSides<i64>(all));
    else
      cut(TwoSides<i128>(all));
    if (out.empty()) out.push_back(greedy);  // it asks for presence
    return out;
  }

  // After how many groups cuts are tried: everywhere, or at so many places, as even as can be, and at the greedy cut.
  std::vector<std::size_t> positions(std::size_t groups, const Candidate& greedy, const ColumnSummary& all) const {
    std::vector<std::size_t> out;
    const std::size_t cuts = groups < 2 ? 0 : groups - 1;
    const std::size_t most = settings_.ahead.max_cuts;
    if (most == 0 || cuts <= most) {
      out.resize(cuts);
      std::iota(out.begin(), out.end(), std::size_t{1});
      return out;
    }
    for (std::size_t k = 0; k < most; ++k) out.push_back(1 + (2 * k + 1) * cuts / (2 * most));
    if (!greedy.split.cuts.empty()) {
      const auto at = std::upper_bound(all.codes.begin(), all.codes.end(), greedy.split.cuts[0].last_below) - all.codes.begin();
      out.push_back(static_cast<std::size_t>(at));
    }
    std::sort(out.begin(), out.end());
    out.erase(std::unique(out.begin(), out.end()), out.end());
    return out;
  }

  // By a split and those that follow it. Where it cannot come to more than `least`, anything up to that.
  Gained gained_by(const Candidate& candidate, const Try& at, double least, Scratch& space) const {
    Gained out{at.node.targets.facts.weight * candidate.gain - at.split_cost, 1};
    if (at.levels <= 1) return out;
    Candidate own = candidate;
    Division division;
    division.read(table_, at.node.rows, at.node.targets, own, settings_.search.missing);
    NodeRows rows = at.node.rows;
    std::vector<NodeRows> branches = division.rows(rows, std::vector<u8>(division.branches(), 0));
    rows = {};
    std::vector<NodeTargets> targets(branches.size());
    double open = 0;  // impurity that is left
    for (std::size_t b = 0; b < branches.size(); ++b) {
      if (branches[b].rows.empty()) continue;
      searcher_.read(branches[b], targets[b]);
      targets[b].path = child_path(at.node.path, static_cast<u32>(b));
      if (stops(settings_, at.node.depth + 1, targets[b])) branches[b] = {};
      if (!branches[b].rows.empty()) open += weighed_impurity(targets[b]);
    }
    std::vector<Column> spent = at.node.spent;
    if (traits_of(own.split.family).once_per_path) spent.push_back(own.split.column);
    for (std::size_t b = 0; b < branches.size(); ++b) {
      if (branches[b].rows.empty()) continue;
      if (out.net + open <= least) return out;
      open -= weighed_impurity(targets[b]);
      const NodeView node{branches[b], targets[b], targets[b].path, spent, at.node.depth + 1};
      const Gained below = most_below({node, at.split_cost, at.levels - 1}, space);
      out.net += below.net;
      out.splits += below.splits;
      branches[b] = {};
    }
    return out;
  }

  // The most that can be gained at a node; nothing if no split is worth its cost.
  Gained most_below(const Try& at, Scratch& space) const {
    count(at.node.rows.rows.size());
    Scratch* const alone[] = {&space};
    Proposals best;
    columns_->propose(at.node, alone, best);
    std::vector<Candidate>& found = best.candidates;
    Gained most;
    if (found.empty()) return most;
    const auto try_out = [&](const Candidate& candidate) {
      if (!enough(settings_, candidate, at.node.targets.facts.weight, table_.weights.plain(table_.weights.total))) return;
      const Gained gained = gained_by(candidate, at, most.net, space);
      if (gained.net > most.net) most = gained;
    };
    if (at.levels <= 1) {  // the split that would be made if nobody looked ahead
      static const std::vector<std::pair<Column, u32>> kNoSteps;
      const std::size_t pick = chooser_entry(settings_.chooser).choose(found, {alone_, at.node.path, kNoSteps, {}});
      if (pick < found.size()) try_out(found[pick]);
      return most;
    }
    for (const Candidate& greedy : found)
      for (const Candidate& candidate : splits_of(greedy, at.node, space)) {
        if (most.net >= weighed_impurity(at.node.targets) - at.split_cost) return most;  // pure, by a single split
        try_out(candidate);
      }
    return most;
  }

  void count(std::size_t rows) const {
    const u64 cells = u64{rows} * table_.columns.size();
    const u64 most = settings_.ahead.max_steps;
    if (steps_.fetch_add(cells, std::memory_order_relaxed) + cells <= most) return;
    throw Invalid("looking " + std::to_string(settings_.ahead.levels) + " levels ahead in a table of " + std::to_string(table_.n_rows) +
                  " rows and " + std::to_string(table_.columns.size()) + " columns looks at more than " + std::to_string(most) +
                  " cells, which is max_steps: use a smaller depth, or thresholds at fewer places (max_thresholds=), or raise max_steps=");
  }

  const Table& table_;
  const GrowSettings& settings_;
  const Searcher& searcher_;
  GrowSettings alone_;
  std::unique_ptr<Proposer> columns_;
  mutable std::atomic<u64> steps_ = 0;
};

std::unique_ptr<Proposer> make(const Table& table, const GrowSettings& settings, const Searcher& searcher, JobControl& job) {
  return std::make_unique<LookAhead>(table, settings, searcher, job);
}

const Enrol<ProposerEntry> enrol({"look_ahead", "the split of every column after which most can be gained by further splits", &make});

}  // namespace

}  // namespace tw
