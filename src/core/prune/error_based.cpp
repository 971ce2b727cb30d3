// Error-based pruning (Quinlan 1993, chapter 4): bottom up, a subtree makes way for a leaf or for its largest branch if that is expected to
// make no more errors.
#include "prune/error_based.hpp"

#include <algorithm>
#include <limits>

#include "prune/pruner.hpp"
#include "tree/branch.hpp"

namespace tw {

namespace {

// How many more errors a simpler tree may be expected to make.
double slack(Estimate estimate) { return estimate == Estimate::weka ? 0.1 + 1e-6 : 0.1; }

constexpr std::size_t kMostCounts = 1UL << 24;

class ErrorBasedPruner {
 public:
  ErrorBasedPruner(const Tree& tree, const PruneRows& rows, const ErrorBased& settings, const JobControl& job)
      : tree_(tree),
        rows_(rows),
        settings_(settings),
        job_(job),
        estimate_(settings.confidence, settings.estimate),
        slack_(slack(settings.estimate)),
        plan_(tree),
        count_(tree.n_classes, 0),
        fractions_(tree.size(), 0),
        value_(tree.size(), 0),
        counts_(tree.size() <= kMostCounts / tree.n_classes ? tree.size() : 0),
        more_(counts_.size()) {}

  // A visit owns the rows of its node while nothing below is being visited; the branches borrow them and give them back.
  Plan run() {
    visits_.push_back({0, 0, all_rows(rows_.table), {}, 0, 0, 0});
    double below = 0;
    while (!visits_.empty()) {
      Visit& at = visits_.back();
      if (at.next == 0) {
        job_.check();
        if (plan_.ends[at.node]) {
          below = value_[at.place] = end_in(at.node, at.rows);
          leave();
          continue;
        }
        begin(at);
      } else {
        at.subtree += below;
      }
      for (; at.next < at.divided.branches.size(); ++at.next) {
        if (at.divided.present[at.next] == 0) continue;
        const u32 child = tree_.first_child[at.node] + at.next;
        const u32 stands = plan_.replaced_by[child];
        if (!plan_.ends[stands]) break;
        at.subtree += value_[child] = end_in(stands, at.divided.branches[at.next], counted(at.divided, at.next));
      }
      if (at.next < at.divided.branches.size()) {
        const u32 child = tree_.first_child[at.node] + at.next;
        Visit visit{child, plan_.replaced_by[child], std::move(at.divided.branches[at.next]), {}, 0, 0, 0};
        ++at.next;
        visits_.push_back(std::move(visit));
        continue;
      }
      const std::size_t others = together(at);
      if (const std::optional<double> settled = decide(at, others)) {
        below = value_[at.place] = *settled;
        leave();
      }
    }
    return std::move(plan_);
  }

 private:
  using ClassCounts = std::vector<std::pair<u32, i64>>;  // class and weight

  struct Visit {
    u32 place;
    u32 node;  // that takes this place
    NodeRows rows;
    BranchRows divided;
    u32 next;
    u32 largest;
    double subtree;
  };

  void begin(Visit& at) {
    // Few rows of which some are shared are kept instead of being gathered from the branches again.
    constexpr std::size_t kFew = 1 << 14;
    const bool few = at.rows.rows.size() <= kFew;
    at.divided = divide_rows(tree_, rows_, at.node, at.rows, FractionBasis::these_rows, ends_of(at.node),
                             few ? EndedRows::counted_beside_shared : EndedRows::listed);
    fractions_[at.node] = !at.divided.shared.rows.empty();
    if (!few || !fractions_[at.node]) at.rows = {};
    at.subtree = 0;
    at.largest = 0;
    // Of branches with equal weight the last.
    for (u32 b = 1; b < at.divided.present.size(); ++b)
      if (at.divided.present[b] >= at.divided.present[at.largest]) at.largest = b;
  }

  // By branch: those that end.
  std::vector<u8> ends_of(u32 node) const {
    std::vector<u8> ends(tree_.n_children[node]);
    for (u32 b = 0; b < ends.size(); ++b) ends[b] = plan_.ends[plan_.replaced_by[tree_.first_child[node] + b]];
    return ends;
  }
  const i64* counted(const BranchRows& divided, u32 branch) const {
    return divided.counted.empty() ? nullptr : divided.counted.data() + std::size_t{branch} * tree_.n_classes;
  }

  // Gives the rows of a finished visit back to the branch they came from.
  void leave() {
    Visit done = std::move(visits_.back());
    visits_.pop_back();
    if (!visits_.empty()) visits_.back().divided.branches[visits_.back().next - 1] = std::move(done.rows);
  }

  // The rows of a node from those of its branches, each once and whole. Returns where those that are not of the largest branch begin, if
  // none were divided.
  std::size_t together(Visit& at) {
    if (!at.rows.rows.empty()) {  // kept
      at.divided = {};
      return 0;
    }
    const bool shared = !at.divided.shared.rows.empty();
    at.rows = shared ? std::move(at.divided.shared) : std::move(at.divided.branches[at.largest]);
    const std::size_t others = at.rows.rows.size();
    const NodeTest test(tree_, at.node);
    for (std::size_t b = 0; b < at.divided.branches.size(); ++b) {
      fractions_[at.node] = fractions_[at.node] || fractions_[plan_.replaced_by[tree_.first_child[at.node] + b]];
      if (!shared && b == at.largest) continue;
      const NodeRows& branch = at.divided.branches[b];
      for (std::size_t i = 0; i < branch.rows.size(); ++i) {
        if (shared && test.branch_of(ViewRow{tree_, rows_.cells, branch.rows[i]}) == kAllBranches) continue;
        at.rows.rows.push_back(branch.rows[i]);
        at.rows.weights.push_back(branch.weights[i]);
      }
    }
    at.divided = {};
    return shared ? 0 : others;
  }

  double of_counts(const ClassCounts& counts) const {
    i64 total = 0;
    i64 most = 0;
    for (const auto& [_, weight] : counts) {
      total += weight;
      most = std::max(most, weight);
    }
    if (!settings_.factor.empty()) return of_weights(counts);
    return estimate_.total(rows_.table.weights.plain(total), rows_.table.weights.plain(total - most));
  }

  double of_weights(const ClassCounts& counts) const {
    double total = 0;
    double most = 0;
    for (const auto& [k, count] : counts) {
      const double weight = rows_.table.weights.plain(count) * settings_.factor[k];
      total += weight;
      most = std::max(most, weight);
    }
    return estimate_.total(total, total - most);
  }

  void count(u32 k, i64 weight) {
    if (weight == 0) return;
    if (count_[k] == 0) occurs_.push_back(k);
    count_[k] += weight;
  }
  // What was counted, by ascending class: only those that occur, a node of few rows must not pay for thousands of others.
  const ClassCounts& counted_up() {
    std::sort(occurs_.begin(), occurs_.end());
    tally_.clear();
    for (const u32 k : occurs_) {
      tally_.emplace_back(k, count_[k]);
      count_[k] = 0;
    }
    occurs_.clear();
    return tally_;
  }

  // `more`: by class, what was counted of rows that are not listed; null: nothing.
  const ClassCounts& counts_of(const NodeRows& here, const i64* more) {
    if (more != nullptr)
      for (u32 k = 0; k < tree_.n_classes; ++k) count(k, more[k]);
    for (std::size_t i = 0; i < here.rows.size(); ++i) count(rows_.table.target.class_of[here.rows[i]], here.weights[i]);
    return counted_up();
  }
  double as_leaf(const NodeRows& here, const i64* more = nullptr) { return of_counts(counts_of(here, more)); }

  // The same for a node that is a leaf now: its class counts are kept.
  double end_in(u32 node, const NodeRows& here, const i64* more = nullptr) {
    const ClassCounts& counts = counts_of(here, more);
    if (!counts_.empty()) counts_[node] = counts;
    fractions_[node] = 0;
    return of_counts(counts);
  }

  // What the branch at a place, which has been visited with its own rows, would be expected to do with these rows (from `others` on) as
  // well. Nothing if rows would have to be divided.
  std::optional<double> with_others(u32 place, const NodeRows& here, std::size_t others) {
    if (counts_.empty() || fractions_[plan_.replaced_by[place]]) return std::nullopt;
    reached_.clear();
    bool whole = true;
    for (std::size_t i = others; whole && i < here.rows.size(); ++i) {
      u32 node = plan_.replaced_by[place];
      while (!plan_.ends[node]) {
        const i32 b = branch_of(tree_, rows_.cells, node, here.rows[i]);
        if (b == kAllBranches) break;
        node = plan_.replaced_by[tree_.first_child[node] + static_cast<u32>(b)];
      }
      whole = plan_.ends[node];
      if (!whole) break;
      if (more_[node].empty()) reached_.push_back(node);
      more_[node].emplace_back(rows_.table.target.class_of[here.rows[i]], here.weights[i]);
    }
    std::sort(reached_.begin(), reached_.end());
    double sum = value_[place];
    for (const u32 node : reached_) {
      sum -= of_counts(counts_[node]);
      for (const ClassCounts* each : {&counts_[node], &more_[node]})
        for (const auto& [k, weight] : *each) count(k, weight);
      sum += of_counts(counted_up());
      more_[node].clear();
    }
    return whole ? std::optional<double>(sum) : std::nullopt;
  }

  // What the tree at a place, pruned as far as it is, would be expected to do with these rows; once that is more than `enough`, how much
  // more does not matter.
  double below(u32 place, const NodeRows& here, double enough) {
    struct Open {
      u32 node;
      NodeRows rows;
    };
    std::vector<Open> open;
    const u32 top = plan_.replaced_by[place];
    if (plan_.ends[top]) return as_leaf(here);
    double sum = 0;
    const auto descend = [&](u32 node, const NodeRows& from) {
      const std::vector<u8> ends = ends_of(node);
      BranchRows divided = divide_rows(tree_, rows_, node, from, FractionBasis::these_rows, ends, EndedRows::counted);
      for (u32 b = 0; b < divided.branches.size(); ++b) {
        if (divided.present[b] == 0) continue;
        if (ends[b])
          sum += as_leaf(divided.branches[b], counted(divided, b));
        else
          open.push_back({plan_.replaced_by[tree_.first_child[node] + b], std::move(divided.branches[b])});
      }
    };
    descend(top, here);
    while (!open.empty() && sum <= enough) {
      job_.check();
      const Open at = std::move(open.back());
      open.pop_back();
      descend(at.node, at.rows);
    }
    return sum;
  }

  bool no_worse(double errors, double than) const { return errors <= than + slack_; }

  // The estimate for the place as it is now; nothing if a branch was raised, which is then visited with all rows.
  std::optional<double> decide(Visit& at, std::size_t others) {
    const double leaf = as_leaf(at.rows);
    const u32 branch = tree_.first_child[at.node] + at.largest;
    double raised = std::numeric_limits<double>::infinity();
    if (settings_.raising && plan_.ends[plan_.replaced_by[branch]]) {
      raised = leaf;
    } else if (settings_.raising) {
      const auto quick = others > 0 ? with_others(branch, at.rows, others) : std::nullopt;
      // Estimates are not negative but for rounding: above this bound raising is ruled out, and a leaf is judged by the subtree alone.
      raised = quick ? *quick : below(branch, at.rows, at.subtree + slack_ + 1e-3);
    }
    if (no_worse(leaf, raised) && no_worse(leaf, at.subtree)) {
      plan_.ends[at.node] = 1;
      return end_in(at.node, at.rows);
    }
    if (!no_worse(raised, at.subtree)) return at.subtree;
    at.node = plan_.replaced_by[branch];
    plan_.replaced_by[at.place] = at.node;
    at.next = 0;
    return std::nullopt;
  }

  const Tree& tree_;
  const PruneRows& rows_;
  const ErrorBased& settings_;
  const JobControl& job_;
  ErrorEstimate estimate_;
  double slack_;
  Plan plan_;
  std::vector<i64> count_;     // by class; nothing in between
  std::vector<u8> fractions_;  // by node: rows were divided there or below
  std::vector<double> value_;  // by place: the estimate when it was last visited
  std::vector<u32> occurs_;    // the classes that have been counted
  ClassCounts tally_;
  std::vector<ClassCounts> counts_;  // by leaf; none if that would be much
  std::vector<ClassCounts> more_;    // likewise, a row each that is sent there on trial; nothing in between
  std::vector<u32> reached_;         // the leaves those reach
  std::vector<Visit> visits_;
};

}  // namespace

EarlyPruning early_pruning(const ErrorBased& settings, bool collapse) {
  const ErrorEstimate estimate(settings.confidence, settings.estimate);
  return {collapse, [estimate](double weight, double errors) { return estimate.total(weight, errors); }, slack(settings.estimate),
          settings.raising, settings.estimate == Estimate::weka || settings.confidence >= 0.05};
}

namespace {

Plan plan(const PruneInput& input) {
  const ErrorBased settings{input.options.number("confidence"),
                            input.options.text("estimate") == "j48" ? Estimate::weka : Estimate::quinlan, input.options.flag("raising"),
                            input.costs.factor};
  return ErrorBasedPruner(input.tree, *input.rows, settings, input.job).run();
}

const Enrol<PrunerEntry> enrol({
    .name = "error_based",
    .summary = "subtrees make way for a leaf, or for their largest branch, by estimated errors (Quinlan 1993)",
    .rows = RowsNeeded::training,
    .classes_only = true,
    .losses = false,
    .options = {{.name = "confidence",
                 .doc = "smaller prunes more",
                 .usual = 0.25,
                 .high = 1,
                 .above = true,
                 .narrowed = "estimate=j48",
                 .narrowed_high = 0.5},
                {.name = "raising", .doc = "a branch may take its parent's place", .kind = OptionKind::flag, .usual = true},
                {.name = "estimate",
                 .doc = "C4.5's estimate of errors, or J48's",
                 .kind = OptionKind::choice,
                 .usual = "r8",
                 .choices = {"r8", "j48"}},
                {.name = "criterion",
                 .doc = "by which the impurity of nodes that were raised is measured",
                 .kind = OptionKind::criterion,
                 .usual = "info_gain"}},
    .plan = &plan,
});

}  // namespace

}  // namespace tw
