// The grower by levels.
#pragma once

#include <array>
#include <deque>
#include <limits>
#include <numeric>
#include <utility>

#include "base/errors.hpp"
#include "base/hash.hpp"
#include "grow/binned/levels.hpp"
#include "grow/binned/search.hpp"
#include "grow/limits.hpp"
#include "search/number_targets.hpp"

namespace tw {

template <Criterion C>
class BinnedLevels final : public LevelGrower {
 public:
  BinnedLevels(TableFacts facts, GrowSettings settings, const LevelRoom& room)
      : table_(std::move(facts.table)),
        weighted_(facts.weighted),
        settings_(std::move(settings)),
        frame_(BinnedFrame::without_rows(table_)),
        search_(table_, settings_, frame_, table_.weights.plain(table_.weights.total)),
        room_(room),
        builder_(table_.target.n_classes) {
    // Few columns are counted for every node, of many the lesser branch alone.
    few_ = search_.draws() && 2 * std::size_t{settings_.max_features} < search_.columns().size();
    Open root{.path = mix(settings_.seed), .total = std::move(facts.class_totals), .weight = table_.weights.total};
    root.rows = weighted_ ? kUnknown : static_cast<u64>(root.weight);
    place(root);
    wait(alone(std::move(root)));
    ask();
  }
  BinnedLevels(const BinnedLevels&) = delete;
  BinnedLevels& operator=(const BinnedLevels&) = delete;

  void take(std::span<const i64> answers) override {
    std::size_t length = 0;
    for (std::size_t i = 0; i < question_.nodes.size(); ++i) length += answer_length(frame_, question_, i);
    if (answers.size() != length) throw Invalid("the answers are not as long as the question");
    divisions_.clear();
    std::size_t at = 0;
    const i64* from = answers.data();
    const auto next = [&] { return std::exchange(from, from + answer_length(frame_, question_, at++)); };
    std::deque<Pair> again;
    for (Pair& pair : std::exchange(asked_, {})) {
      for (const u32 b : nodes_asked(pair)) {
        const LevelQuestion::OfNode& of = question_.nodes[at];
        if (question_.ranges)
          take_range(pair.nodes[b], next());
        else
          take_counts(pair.nodes[b], of, next());
      }
      if (question_.ranges) {
        again.push_back(std::move(pair));
        continue;
      }
      share(pair);
      for (Open& open : pair.nodes)
        if (open.grows && !settle(open)) again.push_back(alone(std::move(open)));
    }
    for (; !again.empty(); again.pop_back())
      if (again.back().grows()) waiting_.push_front(std::move(again.back()));
    ask();
  }

  Tree finish(std::span<const Tree* const> pieces) override {
    if (!question_.nodes.empty() || pieces.size() != small_.size()) throw Invalid("the tree has not been grown to its end");
    for (std::size_t i = 0; i < pieces.size(); ++i) put_in_place(*pieces[i], small_[i].node, builder_);
    return std::move(builder_).finish(tree_columns(table_), false);
  }

 private:
  static constexpr u64 kUnknown = std::numeric_limits<u64>::max();

  struct Open {
    u32 node = 0;
    u32 depth = 0;
    u64 path = 0;
    std::vector<i64> total{};  // by class
    i64 weight = 0;
    u64 rows = 0;         // as far as it is known
    bool grows = false;   // it has more rows than are left to others, and needs to be looked at
    bool widely = false;  // the columns drawn first offer no split
    bool ranged = false;
    TargetRange range{};
    TargetSums sums{};
    BinnedCounts counts{};
  };

  // Two branches, of which the lesser is counted where the counters of both together are at hand; or a single node.
  struct Pair {
    std::array<Open, 2> nodes;
    std::shared_ptr<BinnedCounts> both;
    u64 rows = kUnknown;

    bool grows() const { return nodes[0].grows || nodes[1].grows; }
    // The one that is counted for both.
    u32 lesser() const { return nodes[1].weight < nodes[0].weight; }
  };

  static Pair alone(Open open) {
    Pair pair;
    pair.nodes[0] = std::move(open);
    return pair;
  }

  // Describes a node that certainly is a leaf, leaves one of few rows to others, or lets it grow.
  void place(Open& open) {
    if constexpr (C::kClasses) {
      search_.read_classes(open.total, space_.targets);
      if (stops(settings_, open.depth, space_.targets)) return builder_.describe(open.node, space_.targets.facts);
    }
    open.grows = open.rows > room_.rows || open.rows == kUnknown;
    if (!open.grows) leave(open);
  }
  void leave(Open& open) {
    open.grows = false;
    small_.push_back({open.node, open.depth, open.path, table_.weights.plain(table_.weights.total)});
  }

  std::size_t counters() const { return frame_.n_slots() * frame_.per_slot(); }

  void wait(Pair pair) {
    if (!pair.grows()) return;
    if (pair.both) kept_ += counters();
    waiting_.push_back(std::move(pair));
  }

  static bool wants_range(const Pair& pair) {
    return !C::kClasses && ((pair.nodes[0].grows && !pair.nodes[0].ranged) || (pair.nodes[1].grows && !pair.nodes[1].ranged));
  }

  std::vector<u32> nodes_asked(const Pair& pair) const {
    if (pair.both) return {pair.lesser()};
    std::vector<u32> out;
    for (u32 b = 0; b < 2; ++b)
      if (pair.nodes[b].grows) out.push_back(b);
    return out;
  }

  void ask() {
    question_ = {};
    if (waiting_.empty()) return;
    question_.ranges = wants_range(waiting_.front());
    std::size_t held = 0;
    while (!waiting_.empty() && wants_range(waiting_.front()) == question_.ranges) {
      const std::size_t before = question_.nodes.size();
      for (const u32 b : nodes_asked(waiting_.front())) question_.nodes.push_back(about(waiting_.front().nodes[b]));
      for (std::size_t i = before; i < question_.nodes.size(); ++i) held += answer_length(frame_, question_, i);
      if (before > 0 && held > room_.counters) {
        question_.nodes.resize(before);
        return;
      }
      if (waiting_.front().both) kept_ -= counters();
      asked_.push_back(std::move(waiting_.front()));
      waiting_.pop_front();
    }
  }

  LevelQuestion::OfNode about(const Open& open) {
    LevelQuestion::OfNode of{open.node, true, {}, open.range};
    if (question_.ranges) return of;
    // A leaf of numbers needs to be described.
    const bool described = !C::kClasses && (open.depth >= settings_.max_depth || table_.weights.plain(open.weight) < settings_.min_split);
    of.all_columns = !described && (!few_ || open.widely);
    if (!described && !of.all_columns) {
      space_.draw.start(search_.columns(), open.path);
      const auto drawn = space_.draw.next(settings_.max_features);
      of.columns.assign(drawn.begin(), drawn.end());
    }
    return of;
  }

  void take_range(Open& open, const i64* from) {
    open.range = range_of_keys(from, open.weight);
    open.ranged = true;
    if (!open.range.constant()) return;
    describe_numbers(table_, facts_of_constant(open.range.low), open.weight, space_.targets);
    builder_.describe(open.node, space_.targets.facts);
    open.grows = false;
  }

  void take_counts(Open& open, const LevelQuestion::OfNode& of, const i64* from) {
    open.rows = static_cast<u64>(*from++);
    if constexpr (!C::kClasses) open.sums = sums_of(std::exchange(from, from + kSumCounters));
    std::vector<i64>& to = open.counts.wide;
    if (of.all_columns) {
      to.assign(from, from + counters());
      return;
    }
    to.assign(counters(), 0);
    for (const Column j : of.columns) {
      const std::size_t n = (frame_.begin[j + 1] - frame_.begin[j]) * frame_.per_slot();
      std::copy_n(from, n, to.begin() + static_cast<std::ptrdiff_t>(frame_.begin[j] * frame_.per_slot()));
      from += n;
    }
  }

  // What the lesser branch does not hold the other one does.
  static void share(Pair& pair) {
    if (!pair.both) return;
    const u32 less = pair.lesser();
    Open& other = pair.nodes[1 - less];
    other.counts = std::move(*pair.both);
    other.counts.subtract(pair.nodes[less].counts);
    if (pair.rows != kUnknown) other.rows = pair.rows - pair.nodes[less].rows;
  }

  // Divides a node that was counted, or describes it as a leaf; false if more columns need to be counted.
  bool settle(Open& open) {
    if (open.rows <= room_.rows) {
      leave(open);
      return true;
    }
    read(open);
    std::optional<Candidate> chosen;
    if (C::kClasses || !stops(settings_, open.depth, space_.targets)) {
      unsigned draws = 0;
      const bool all = !few_ || open.widely;
      chosen = search_.choose(open.counts, open.path, space_, [&](std::span<const Column>) { return draws++ == 0 || all; });
      if (!chosen && draws > 1 && !all) {
        open.widely = true;
        open.counts = {};
        return false;
      }
    }
    builder_.describe(open.node, space_.targets.facts);
    if (chosen) divide(open, *chosen);
    return true;
  }

  void read(const Open& open) {
    NodeTargets& targets = space_.targets;
    targets.path = open.path;
    if constexpr (C::kClasses) {
      search_.read_classes(open.total, targets);
    } else {
      describe_numbers(table_, facts_of(TargetScale(open.range), open.sums, open.weight), open.weight, targets);
      i128 sum = 0;  // of the steps, in whatever column was counted
      for (Column j = 0; j < frame_.begin.size() - 1 && sum == 0; ++j)
        for (u32 slot = frame_.begin[j]; slot < frame_.begin[j + 1]; ++slot) sum += open.counts.sum(frame_, slot);
      targets.moment_total.assign({i128{open.weight}, sum});
    }
  }

  void divide(Open& open, const Candidate& chosen) {
    const Column j = chosen.split.column;
    LevelDivision division{open.node, builder_.divide(open.node, chosen.split, chosen.gain), j,
                           branches_by_code(chosen.split, table_.columns[j].n_codes)};
    const auto both = std::make_shared<BinnedCounts>(std::move(open.counts));
    Pair pair;
    for (u32 b = 0; b < 2; ++b) {
      Open& child = pair.nodes[b];
      child.node = division.first_child + b;
      child.depth = open.depth + 1;
      child.path = child_path(open.path, b);
      weigh(child, division, *both, b);
      child.rows = weighted_ ? kUnknown : static_cast<u64>(child.weight);
    }
    const std::size_t few = small_.size();
    for (Open& child : pair.nodes) place(child);
    if (pair.grows() || small_.size() > few) divisions_.push_back(std::move(division));
    // Steps of numbers are the node's own: those are counted afresh.
    if (C::kClasses && !few_ && kept_ + counters() <= room_.counters) {
      pair.both = both;
      pair.rows = open.rows;
    }
    wait(std::move(pair));
  }

  // What a branch weighs, by the counters of the column that divides.
  void weigh(Open& child, const LevelDivision& division, const BinnedCounts& counts, u32 branch) const {
    const std::size_t width = C::kClasses ? table_.target.n_classes : 1;
    child.total.assign(width, 0);
    for (u32 code = 0; code < division.branch.size(); ++code)
      for (std::size_t k = 0; division.branch[code] == branch && k < width; ++k)
        child.total[k] += counts.at((frame_.begin[division.column] + code) * frame_.per_slot() + k);
    child.weight = std::accumulate(child.total.begin(), child.total.end(), i64{0});
  }

  Table table_;
  const bool weighted_;
  GrowSettings settings_;
  BinnedFrame frame_;
  const BinnedSearch<C> search_;
  const LevelRoom room_;
  bool few_ = false;
  Builder builder_;
  BinnedWorkspace<C> space_;
  std::deque<Pair> waiting_;
  std::vector<Pair> asked_;
  std::size_t kept_ = 0;  // counters of pairs that wait
};

template <Criterion C>
std::unique_ptr<LevelGrower> by_levels(TableFacts facts, const GrowSettings& settings, const LevelRoom& room) {
  return std::make_unique<BinnedLevels<C>>(std::move(facts), settings, room);
}

}  // namespace tw
