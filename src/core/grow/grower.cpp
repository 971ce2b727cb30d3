// The loop that grows a tree with the plain engine: read a node, stop or search, choose, divide. Large nodes are searched by
// several threads, column by column; small subtrees are grown whole, each by one thread, and grafted. A node's split depends
// on its rows and path alone, so neither changes the tree.
#include "grow/grower.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <numeric>
#include <queue>
#include <stdexcept>

#include "base/hash.hpp"
#include "base/parallel.hpp"
#include "grow/chooser.hpp"
#include "grow/criterion_entry.hpp"
#include "grow/divide.hpp"
#include "grow/early_pruning.hpp"
#include "grow/entropy_estimator.hpp"
#include "grow/limits.hpp"
#include "grow/priors.hpp"
#include "grow/surrogates.hpp"
#include "grow/vectors.hpp"
#include "search/search.hpp"
#include "tree/builder.hpp"

namespace tw {

namespace {

// Work space of one thread.
struct Workspace : Scratch {
  CutSearchSpace sweep;
  Division division;
};

}  // namespace

class Grower {
 public:
  Grower(const Table& table, const GrowSettings& settings, JobControl& job)
      : table_(table),
        settings_(settings),
        job_(job),
        searcher_(make_searcher()),
        scratch_(std::max(1U, settings.threads)),
        numbers_(std::any_of(table.columns.begin(), table.columns.end(), [](const auto& column) { return column.kind == Kind::numeric; })) {
    if (EntropyEstimator::applies(table, settings)) estimator_.emplace(table, settings, *searcher_);
  }

  Task root_of(NodeRows rows) const {
    Task root;
    root.path = mix(settings_.seed);
    root.rows = std::move(rows);
    return root;
  }

  // See Steps.
  std::optional<Candidate> look(Task& task, NodeTargets& targets) {
    Builder unused(table_.target.n_classes);
    task.node = 0;
    return examine(task, targets, unused, &scratch_[0]);
  }

  void read(const Task& task, NodeTargets& targets) const { searcher_->read(task.rows, targets); }

  std::vector<Task> divide(Task& task, const NodeTargets& targets, Candidate& chosen) const {
    Division division;
    division.read(table_, task.rows, targets, chosen, settings_.search.missing);
    auto rows = division.rows(task.rows, std::vector<u8>(division.branches(), 0));
    std::vector<Task> children;
    for (u32 b = 0; b < division.branches(); ++b) children.push_back(child_of(task, chosen, b, std::move(rows[b])));
    return children;
  }

  Tree run() {
    Builder builder(table_.target.n_classes);
    NodeRows all;
    all.rows.resize(table_.n_rows);
    all.weights.resize(table_.n_rows);
    for (Row row = 0; row < table_.n_rows; ++row) {
      all.rows[row] = row;
      all.weights[row] = table_.weights[row];
    }
    Task root = root_of(std::move(all));
    const bool best_first = settings_.max_leaves > 0;
    if (best_first)
      grow_best_first(builder, std::move(root));
    else if (settings_.threads > 1)
      grow_in_pieces(builder, std::move(root));
    else
      grow_depth_first(builder, std::move(root), scratch_[0], 0);
    return std::move(builder).finish(tree_columns(table_), best_first);
  }

  // Whether nodes were left ungrown that had to be.
  bool doubtful() const { return doubtful_; }

 private:
  // From a size on that bounds their memory, nodes list their numeric columns in order of value, and all below them inherit the lists.
  // (Filled cells have no place in such an order, and best-first keeps many nodes open.)
  void list_numbers(NodeRows& node, Workspace& scratch) const {
    constexpr std::size_t kMostListed = 1 << 14;
    if (!numbers_ || !node.sorted.empty() || node.rows.size() > kMostListed || node.rows.size() <= kKeepLists || settings_.max_leaves > 0 ||
        settings_.search.numeric != Family::threshold || fills(settings_.search.missing))
      return;
    node.sorted.resize(table_.columns.size());
    for (std::size_t j = 0; j < table_.columns.size(); ++j) {
      const EncodedColumn& column = table_.columns[j];
      if (column.kind != Kind::numeric) continue;
      std::vector<u64>& list = node.sorted[j];
      list.reserve(node.rows.size());
      for (std::size_t i = 0; i < node.rows.size(); ++i) {
        const Code code = column.codes[node.rows[i]];
        if (code != kMissing) list.push_back(u64{code} << 32 | i);
      }
      sort_keys(list, scratch.spare, column.n_codes);
    }
  }

  std::unique_ptr<Searcher> make_searcher() const { return engines_of(settings_.search).make(table_, settings_.search); }

  // Describes the node and looks for its split; nothing if it is to be a leaf. No scratch: columns in parallel.
  std::optional<Candidate> examine(Task& task, NodeTargets& targets, Builder& builder, Workspace* scratch) {
    job_.check();
    searcher_->read(task.rows, targets);
    builder.describe(task.node, targets.facts);
    if (stops(settings_, task.depth, targets)) return std::nullopt;
    list_numbers(task.rows, scratch == nullptr ? scratch_[0] : *scratch);
    bool settled = false;
    std::vector<Candidate> candidates = search(task, targets, scratch, settled);
    if (candidates.empty()) return std::nullopt;
    const std::size_t pick = settled ? 0 : choose(candidates, settings_, task.path, task.steps);
    const bool taken =
        pick < candidates.size() && enough(settings_, candidates[pick], targets.facts.weight, table_.weights.plain(table_.weights.total));
    if (settings_.keep_candidates || settings_.max_competitors > 0) keep_candidates(settings_, task.node, candidates, pick, taken, builder);
    if (!taken) return std::nullopt;
    return std::move(candidates[pick]);
  }

  std::vector<Column> open_columns(const Task& task) const {
    std::vector<Column> columns;
    for (Column j = 0; j < table_.columns.size(); ++j)
      if (std::find(task.spent.begin(), task.spent.end(), j) == task.spent.end()) columns.push_back(j);
    return columns;
  }

  bool all_heavy(const Candidate& candidate) const {
    const double least = settings_.min_every * (1 - 1e-6);
    const auto light = [&](i64 weight) { return weight > 0 && table_.weights.plain(weight) < least; };
    return std::none_of(candidate.branch_present.begin(), candidate.branch_present.end(), light);
  }

  // The candidates of a node; only the one that is going to be chosen where that is `settled` beforehand.
  std::vector<Candidate> search(const Task& task, const NodeTargets& targets, Workspace* scratch, bool& settled) {
    std::vector<Column> columns = open_columns(task);
    const bool draw = settings_.max_features > 0 && settings_.max_features < columns.size();
    if (draw) columns = draw_order(columns, task.path);
    std::vector<Candidate> found;
    if (scratch == nullptr)
      for (Workspace& one : scratch_) one.prepared = false;
    else
      searcher_->prepare(task.rows, targets, draw ? std::vector<Column>{} : columns, *scratch);
    if (estimator_ && scratch != nullptr) {
      const Predicted predicted = estimator_->look(task.rows, targets, columns, *scratch, scratch->sweep);
      if (predicted.certain && !predicted.column) return {};
      if (predicted.certain) {
        auto one = settings_.early_pruning ? estimator_->sketch(predicted, task.rows, targets, *scratch) : std::nullopt;
        if (!one) one = searcher_->best(task.rows, targets, *predicted.column, *scratch);
        if (one) {
          settled = true;
          found.push_back(std::move(*one));
          return found;
        }
      }
    }
    std::size_t begin = 0;
    // A draw without any candidate is followed by further columns, until there is one.
    while (begin < columns.size() && found.empty()) {
      const std::size_t end = draw ? std::min(columns.size(), begin == 0 ? settings_.max_features : begin + 1) : columns.size();
      std::vector<std::optional<Candidate>> slots(end - begin);
      const unsigned threads = scratch == nullptr ? settings_.threads : 1;
      for_each(slots.size(), threads, [&](std::size_t i, unsigned worker) {
        job_.check();
        slots[i] = searcher_->best(task.rows, targets, columns[begin + i], scratch == nullptr ? scratch_[worker] : *scratch);
      });
      for (auto& slot : slots)
        if (slot && all_heavy(*slot)) found.push_back(std::move(*slot));
      begin = end;
    }
    std::sort(found.begin(), found.end(), [](const Candidate& a, const Candidate& b) { return a.split.column < b.split.column; });
    return found;
  }

  // Divides a node and returns the tasks of the branches that are to be looked at. Of a class target the classes of a branch are known
  // before its rows are: if they make it a leaf, no rows are gathered. With a closer the node may stay as it is.
  std::vector<Task> split(Task& task, const NodeTargets& targets, Candidate& chosen, Builder& builder, Workspace* scratch,
                          EarlyPruner* pruner) {
    if (settings_.search.missing == Missing::surrogate) {
      std::vector<Scratch*> spaces;
      for (Workspace& one : scratch_) spaces.push_back(&one);
      if (scratch != nullptr) spaces = {scratch};
      chosen.split.strict = settings_.search.strict;  // of stand-ins, too, where the split itself asks for levels
      chosen.split.surrogates = find_surrogates(table_, task.rows, targets, chosen.split, settings_, *searcher_, spaces);
    }
    Division alone;
    Division& division = scratch == nullptr ? alone : scratch->division;
    division.read(table_, task.rows, targets, chosen, settings_.search.missing, scratch);
    std::size_t kept = 0;
    std::vector<u8> leaf(division.branches(), 0);
    std::vector<Grown> grown(pruner == nullptr ? 0 : division.branches());
    std::size_t growing = 0;
    NodeTargets child;
    for (std::size_t b = 0; b < division.branches(); ++b) {
      kept += division.size(b);
      if (division.size(b) == 0) continue;
      const i64* weights = division.classes(b);
      leaf[b] = weights != nullptr && ends(child, targets, weights, task.depth + 1);
      if (pruner != nullptr) {
        Grown one = weights == nullptr ? Grown{} : as_leaf(weights, targets.classes.size());
        if (leaf[b] == 0 && weights != nullptr && pruner->must_end(one)) {
          leaf[b] = 1;
          one.least = 0;  // errors that growing it might have saved
        }
        if (leaf[b] == 0) one.state = Grown::State::unknown;
        grown[b] = one;
      }
      growing += leaf[b] == 0;
    }
    if (settings_.search.missing == Missing::ignore) job_.done += task.rows.rows.size() - kept;
    const Grown here = pruner == nullptr ? Grown{} : as_leaf(targets.class_total.data(), targets.classes.size());
    std::size_t largest = 0;
    for (std::size_t b = 1; b < division.branches(); ++b)
      if (division.present()[b] >= division.present()[largest]) largest = b;
    Grown outcome;
    if (pruner != nullptr && growing == 0) {
      outcome = pruner->judge(here.weight, here.errors, grown, largest);
      if (outcome.state == Grown::State::leaf) {
        builder.note_saved(task.node, outcome.errors - outcome.below);
        pruner->finished(outcome, builder);
        return {};
      }
    }
    if (chosen.sketch) {
      auto whole = searcher_->best(task.rows, targets, chosen.split.column, *scratch);
      if (!whole) throw std::logic_error("a split that was foreseen is none");
      chosen = std::move(*whole);
    }
    const Builder::Mark mark = builder.mark();
    const u32 first = builder.divide(task.node, chosen.split, chosen.gain);
    auto rows = division.rows(task.rows, leaf);
    task.rows = {};
    std::vector<Task> children;
    NodeFacts blank = targets.facts;  // of branches without rows
    blank.weight = 0;
    if (settings_.certain_blanks && blank.label >= 0) blank.classes = {{static_cast<u32>(blank.label), targets.facts.weight}};
    for (u32 b = 0; b < division.branches(); ++b) {
      if (division.size(b) == 0) {
        builder.describe(first + b, blank);
        continue;
      }
      if (leaf[b]) {
        read_branch(child, targets, division.classes(b));
        builder.describe(first + b, child.facts);
        job_.done += division.size(b);
        continue;
      }
      children.push_back(child_of(task, chosen, b, std::move(rows[b])));
      children.back().node = first + b;
    }
    if (pruner != nullptr) {
      if (growing == 0)
        pruner->finished(outcome, builder);
      else
        pruner->open(task.node, mark, here.weight, here.errors, std::move(grown), largest, growing);
    }
    return children;
  }

  Task child_of(const Task& task, const Candidate& chosen, u32 branch, NodeRows rows) const {
    Task next{0, task.depth + 1, child_path(task.path, branch), std::move(rows), task.spent, {}};
    if (chosen.split.family == Family::multiway || chosen.split.family == Family::discretised) next.spent.push_back(chosen.split.column);
    if (settings_.ties == Ties::asked) {
      next.steps = task.steps;
      next.steps.emplace_back(chosen.split.column, branch);
    }
    return next;
  }

  // The facts of a branch from the weights of the node's classes.
  void read_branch(NodeTargets& child, const NodeTargets& above, const i64* weights) const {
    child.classes.clear();
    child.class_total.clear();
    for (std::size_t k = 0; k < above.classes.size(); ++k) {
      if (weights[k] == 0) continue;
      child.classes.push_back(above.classes[k]);
      child.class_total.push_back(weights[k]);
    }
    searcher_->describe(child);
  }

  // Whether a branch with these weights of the node's classes will be a leaf. Most are: only what that depends on is computed.
  bool ends(NodeTargets& child, const NodeTargets& above, const i64* weights, u32 depth) const {
    if (settings_.min_impurity) {
      read_branch(child, above, weights);
      return stops(settings_, depth, child);
    }
    child.weight = 0;
    i64 largest = 0;
    for (std::size_t k = 0; k < above.classes.size(); ++k) {
      child.weight += weights[k];
      largest = std::max(largest, weights[k]);
    }
    child.pure = largest == child.weight;
    child.largest_share = static_cast<double>(largest) / static_cast<double>(child.weight);
    child.facts.weight = table_.weights.plain(child.weight);
    return stops(settings_, depth, child);
  }

  Grown as_leaf(const i64* weights, std::size_t classes) const {
    const i64 weight = std::accumulate(weights, weights + classes, i64{0});
    return grown_leaf(table_.weights.plain(weight), table_.weights.plain(weight - *std::max_element(weights, weights + classes)));
  }

  void grow_depth_first(Builder& builder, Task root, Workspace& scratch, u32 at) {
    std::vector<Task> stack;
    root.node = at;
    stack.push_back(std::move(root));
    NodeTargets targets;
    std::optional<EarlyPruner> pruner;
    if (settings_.early_pruning) pruner.emplace(*settings_.early_pruning, table_.weights.plain(settings_.search.min_leaf));
    while (!stack.empty()) {
      Task task = std::move(stack.back());
      stack.pop_back();
      const std::size_t rows = task.rows.rows.size();
      auto chosen = examine(task, targets, builder, &scratch);
      if (!chosen) {
        job_.done += rows;
        if (pruner) pruner->finished(as_leaf(targets.class_total.data(), targets.classes.size()), builder);
        continue;
      }
      auto children = split(task, targets, *chosen, builder, &scratch, pruner ? &*pruner : nullptr);
      for (std::size_t c = children.size(); c-- > 0;) stack.push_back(std::move(children[c]));
    }
    if (pruner && pruner->doubtful()) doubtful_ = true;
  }

  void grow_in_pieces(Builder& builder, Task root) {
    // Pieces a good deal smaller than a thread's fair share, so that the last ones end together.
    const std::size_t small = std::max<std::size_t>(1024, table_.n_rows / (8 * settings_.threads));
    std::vector<Task> large;
    std::vector<Task> pieces;
    large.push_back(std::move(root));
    NodeTargets targets;
    while (!large.empty()) {
      Task task = std::move(large.back());
      large.pop_back();
      const std::size_t rows = task.rows.rows.size();
      if (rows <= small) {
        pieces.push_back(std::move(task));
        continue;
      }
      auto chosen = examine(task, targets, builder, nullptr);
      if (!chosen) {
        job_.done += rows;
        continue;
      }
      for (Task& child : split(task, targets, *chosen, builder, nullptr, nullptr)) large.push_back(std::move(child));
    }
    std::stable_sort(pieces.begin(), pieces.end(), [](const Task& a, const Task& b) { return a.rows.rows.size() > b.rows.rows.size(); });
    std::vector<u32> places;
    for (const Task& piece : pieces) places.push_back(piece.node);
    std::vector<Builder> grown(pieces.size(), Builder(table_.target.n_classes));
    for_each(pieces.size(), settings_.threads,
             [&](std::size_t i, unsigned worker) { grow_depth_first(grown[i], std::move(pieces[i]), scratch_[worker], 0); });
    for (std::size_t i = 0; i < grown.size(); ++i) builder.graft(places[i], std::move(grown[i]));
  }

  struct Open {
    Task task;
    NodeTargets targets;
    Candidate chosen;
    double urgency;
  };

  void grow_best_first(Builder& builder, Task root) {
    const auto later = [](const std::unique_ptr<Open>& a, const std::unique_ptr<Open>& b) {
      return a->urgency != b->urgency ? a->urgency < b->urgency : a->task.node > b->task.node;
    };
    std::priority_queue<std::unique_ptr<Open>, std::vector<std::unique_ptr<Open>>, decltype(later)> open(later);
    const auto consider = [&](Task task) {
      auto entry = std::make_unique<Open>();
      const std::size_t rows = task.rows.rows.size();
      // Threads are not worth starting for a few cells.
      constexpr std::size_t kFew = 1 << 16;
      Workspace* alone = rows * table_.columns.size() < kFew ? &scratch_[0] : nullptr;
      auto chosen = examine(task, entry->targets, builder, alone);
      if (!chosen) {
        job_.done += rows;
        return;
      }
      entry->urgency = entry->targets.facts.weight * chosen->gain;
      entry->task = std::move(task);
      entry->chosen = std::move(*chosen);
      open.push(std::move(entry));
    };
    u64 leaves = 1;
    if (settings_.max_leaves > 1) {
      consider(std::move(root));
    } else {
      NodeTargets targets;
      searcher_->read(root.rows, targets);
      builder.describe(0, targets.facts);
    }
    while (!open.empty()) {
      // A split that would make too many leaves is passed over; a smaller one may still fit.
      std::unique_ptr<Open> entry = std::move(const_cast<std::unique_ptr<Open>&>(open.top()));
      open.pop();
      if (leaves + entry->chosen.split.n_branches - 1 > settings_.max_leaves) {
        job_.done += entry->task.rows.rows.size();
        continue;
      }
      leaves += entry->chosen.split.n_branches - 1;
      for (Task& child : split(entry->task, entry->targets, entry->chosen, builder, nullptr, nullptr)) consider(std::move(child));
    }
  }

  const Table& table_;
  const GrowSettings& settings_;
  JobControl& job_;
  std::unique_ptr<Searcher> searcher_;
  std::vector<Workspace> scratch_;
  bool numbers_;  // there are numeric columns
  std::atomic<bool> doubtful_ = false;
  std::optional<EntropyEstimator> estimator_;
};

const CriterionEntry& criterion_entry(const SearchSettings& settings) {
  return settings.judge ? callback_criterion() : criterion_entry(settings.criterion);
}

const CriterionEntry& criterion_entry(const std::string& name) {
  if (name == kVectors) return vector_criterion();
  const CriterionEntry* part = Registry<CriterionEntry>::find(name);
  if (part == nullptr) throw Invalid("criterion '" + name + "' is unknown");
  return *part;
}

Engines engines_of(const SearchSettings& search) {
  const CriterionEntry& part = criterion_entry(search);
  if (search.reweighted.empty() || part.priors) return {part.make, part.grow_sorted};
  const ReweightedEntry* reweighted = search.judge ? nullptr : Registry<ReweightedEntry>::find(search.criterion);
  if (reweighted == nullptr) throw Invalid("criterion '" + part.name + "' knows no priors, class weights or losses");
  return reweighted->engines;
}

namespace {

// From how many levels on a nominal column is wide: a share of all weight, unless every column is that wide (Quinlan 1993).
double wide_levels(const Table& table, double share) {
  const double from = share * table.weights.plain(table.weights.total);
  const auto wide = [&](const EncodedColumn& column) { return column.kind == Kind::nominal && column.n_codes >= from; };
  const bool all = std::all_of(table.columns.begin(), table.columns.end(), wide);
  return all ? std::numeric_limits<double>::infinity() : from;
}

// Puts limits in the unit of the table's weights, and the classes' factors beside them.
void fit_settings(Table& table, GrowSettings& settings) {
  if (settings.discretiser)
    for (EncodedColumn& column : table.columns)
      if (column.kind == Kind::numeric) discretise(column, *settings.discretiser, settings.bins, table.target, table.weights);
  // Limits count weight; sums of fractions may miss a limit by rounding.
  const double least = std::ceil(table.weights.in_quanta(settings.min_leaf - 1e-6 * std::min(1.0, settings.min_leaf)));
  settings.search.min_leaf = static_cast<i64>(std::min(least, static_cast<double>(table.weights.total + 1)));
  settings.min_split -= 1e-6 * std::min(1.0, settings.min_split);
  settings.search.wide_levels = wide_levels(table, settings.wide_share);
  set_class_factors(table, settings);
}

// What the plain engine wants to know of the columns.
void fit_columns(Table& table, const GrowSettings& settings) {
  for_each(table.columns.size(), settings.threads, [&](std::size_t column, unsigned) {
    rank_rows(table.columns[column]);
    if (settings.search.cuts != Cuts::all && table.columns[column].kind == Kind::numeric && !settings.discretiser)
      list_values(table.columns[column], kLeastGap);
  });
  if (table.target.nominal() && !fills(settings.search.missing)) table.byte_levels = make_byte_levels(table);
}

}  // namespace

Tree grow(Table& table, GrowSettings settings, JobControl& job) {
  fit_settings(table, settings);
  // A pruner sends rows down the tree as they would be to be answered: only so are they where they were while growing.
  const auto holes = [](const EncodedColumn& column) { return column.n_missing > 0; };
  if (!table.target.nominal() || settings.engine == EngineKind::plain || settings.search.decides() ||
      (!divides_rows(settings.search.missing) && std::any_of(table.columns.begin(), table.columns.end(), holes)))
    settings.early_pruning.reset();
  // What was weighed at a node is shown even where it ends; and of pieces nobody knows what those left ungrown would have saved.
  if (settings.early_pruning &&
      (settings.keep_candidates || settings.max_competitors > 0 || (settings.threads > 1 && settings.early_pruning->collapse)))
    settings.early_pruning->ends_nodes = false;
  if (settings.asks()) settings.threads = 1;  // Python is asked on the calling thread only
  job.total = table.n_rows;
  if (sorted_applies(table, settings)) {
    for (EncodedColumn& column : table.columns)
      if (settings.search.cuts != Cuts::all && !column.codes.empty()) list_values(column, kLeastGap);
    return engines_of(settings.search).grow_sorted(table, settings, job);
  }
  if (settings.engine == EngineKind::sorted) throw Invalid("the sorted engine does not apply to these settings");
  fit_columns(table, settings);
  Grower grower(table, settings, job);
  Tree tree = grower.run();
  if (!grower.doubtful()) return tree;
  settings.early_pruning->ends_nodes = false;
  job.done = 0;
  return Grower(table, settings, job).run();
}

NodeGrower::NodeGrower(Table& table, GrowSettings settings, JobControl& job) : settings_(std::move(settings)) {
  fit_settings(table, settings_);
  settings_.early_pruning.reset();
  settings_.threads = 1;
  fit_columns(table, settings_);
  grower_ = std::make_unique<Grower>(table, settings_, job);
}

NodeGrower::~NodeGrower() = default;
Task NodeGrower::root(NodeRows rows) const { return grower_->root_of(std::move(rows)); }
std::optional<Candidate> NodeGrower::look(Task& task, NodeTargets& targets) { return grower_->look(task, targets); }
void NodeGrower::read(const Task& task, NodeTargets& targets) const { grower_->read(task, targets); }
std::vector<Task> NodeGrower::divide(Task& task, const NodeTargets& targets, Candidate& chosen) {
  return grower_->divide(task, targets, chosen);
}

}  // namespace tw
