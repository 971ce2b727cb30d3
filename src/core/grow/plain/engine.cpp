// One node after the other with the plain engine: read, stop or search, choose, divide.
#include "grow/plain/engine.hpp"

#include <algorithm>
#include <numeric>
#include <stdexcept>

#include "base/hash.hpp"
#include "grow/criterion_entry.hpp"
#include "grow/driver.hpp"
#include "grow/engine.hpp"
#include "grow/limits.hpp"
#include "grow/plain/surrogates.hpp"
#include "search/column_rows.hpp"

namespace tw {

namespace {

std::vector<std::unique_ptr<Proposer>> make_proposers(const Table& table, const GrowSettings& settings, const Searcher& searcher,
                                                      JobControl& job) {
  std::vector<std::unique_ptr<Proposer>> out;
  if (settings.proposers.empty()) throw Invalid("there are no proposers: nobody would offer a split");
  for (const std::string& name : settings.proposers) {
    const ProposerEntry* entry = Registry<ProposerEntry>::find(name);
    if (entry == nullptr) throw Invalid("proposer '" + name + "' is unknown");
    out.push_back(entry->make(table, settings, searcher, job));
  }
  return out;
}

}  // namespace

PlainEngine::PlainEngine(const Table& table, const GrowSettings& settings, JobControl& job)
    : table_(table),
      settings_(settings),
      job_(job),
      chooser_(chooser_entry(settings.chooser)),
      searcher_(make_searcher(table, settings.search)),
      proposers_(make_proposers(table, settings, *searcher_, job)),
      spaces_(std::max(1U, settings.threads)),
      numbers_(std::any_of(table.columns.begin(), table.columns.end(), [](const auto& column) { return column.kind == Kind::numeric; })) {}

PlainNode PlainEngine::root(NodeRows rows) const {
  Node node;
  node.path = mix(settings_.seed);
  node.rows = std::move(rows);
  node.range = settings_.range;
  node.open = open_at_root(settings_.interactions);
  return node;
}

Tree PlainEngine::run() {
  Builder builder(table_.target.n_classes);
  NodeRows all;
  all.rows.resize(table_.n_rows);
  all.weights.resize(table_.n_rows);
  for (Row row = 0; row < table_.n_rows; ++row) {
    all.rows[row] = row;
    all.weights[row] = table_.weights[row];
  }
  const unsigned threads = std::max(1U, settings_.threads);
  const bool best_first = settings_.order() == Order::best_first;
  const auto grow_piece = [&](Node piece, Builder& to, unsigned worker) {
    Spaces alone(&spaces_[worker], 1);
    if (settings_.early_pruning) alone[0].pruner.emplace(*settings_.early_pruning, table_.weights.plain(settings_.search.min_leaf));
    grow_below(*this, std::move(piece), to, alone, settings_, job_);
    if (alone[0].pruner && alone[0].pruner->doubtful()) doubtful_ = true;
    alone[0].pruner.reset();
  };
  if (threads == 1) {
    grow_piece(root(std::move(all)), builder, 0);
  } else {
    // Pieces a good deal smaller than a thread's fair share, so that the last ones end together.
    SetAside<Node> aside{best_first ? 0 : std::max<std::size_t>(1024, table_.n_rows / (8 * threads)), {}};
    Spaces team(spaces_);
    grow_below(*this, root(std::move(all)), builder, team, settings_, job_, &aside);
    grow_pieces(
        std::move(aside.nodes), builder, table_.target.n_classes, threads, [&](const Node& node) { return rows(node); }, grow_piece);
  }
  return std::move(builder).finish(tree_columns(table_), best_first);
}

// From a size on that bounds their memory, nodes list their numeric columns in order of value, and all below them inherit the lists.
// (Other orders than depth first keep many nodes open.) Cells that are filled stand behind the others until they are.
void PlainEngine::list_numbers(NodeRows& node, Scratch& scratch) const {
  constexpr std::size_t kMostListed = 1 << 14;
  if (!numbers_ || !node.sorted.empty() || node.rows.size() > kMostListed || node.rows.size() <= kKeepLists ||
      settings_.order() != Order::depth_first || settings_.search.numeric != Family::threshold)
    return;
  node.sorted.resize(table_.columns.size());
  for (std::size_t j = 0; j < table_.columns.size(); ++j)
    if (table_.columns[j].kind == Kind::numeric)
      list_cells(table_.columns[j], node, fills(settings_.search.missing), node.sorted[j], scratch.spare);
}

// Threads are not worth starting for a few cells.
PlainEngine::Spaces PlainEngine::team_for(const Node& node, Spaces spaces) const {
  constexpr std::size_t kFew = 1 << 16;
  const bool few = settings_.order() == Order::best_first && rows(node) * table_.columns.size() < kFew;
  return few ? spaces.first(1) : spaces;
}

std::optional<Candidate> PlainEngine::examine(Node& node, Builder& builder, Spaces& spaces) {
  job_.check();
  if (settings_.order() == Order::best_first) node.targets = std::make_shared<NodeTargets>();
  NodeTargets& targets = node.targets ? *node.targets : spaces[0].targets;
  searcher_->read(node.rows, targets);
  targets.path = node.path;
  targets.range = node.range;
  builder.describe(node.node, targets.facts);
  if (stops(settings_, node.depth, targets)) return std::nullopt;
  list_numbers(node.rows, spaces[0]);
  std::vector<Scratch*> scratch;
  for (PlainSpace& space : team_for(node, spaces)) scratch.push_back(&space);
  const NodeView view{node.rows, targets, node.path, node.spent, node.depth, node.open.get()};
  Proposals offered;
  std::vector<std::size_t> first;  // of each proposer
  for (const auto& proposer : proposers_) {
    first.push_back(offered.candidates.size());
    proposer->propose(view, scratch, offered);
  }
  std::vector<Candidate>& candidates = offered.candidates;
  if (candidates.empty()) return std::nullopt;
  const auto refit = [&](std::size_t place, const NodeRows& rows) {
    const auto whose = static_cast<std::size_t>(std::upper_bound(first.begin(), first.end(), place) - first.begin()) - 1;
    NodeTargets own;
    searcher_->read(rows, own);
    own.path = node.path;
    own.range = node.range;
    return proposers_[whose]->refit(candidates[place], {rows, own, node.path, node.spent, node.depth, node.open.get()}, *scratch[0]);
  };
  const bool settled = offered.settled && proposers_.size() == 1;
  const std::size_t pick = settled ? 0 : chooser_.choose(candidates, {settings_, node.path, node.steps, refit});
  const bool taken =
      pick < candidates.size() && enough(settings_, candidates[pick], targets.facts.weight, table_.weights.plain(table_.weights.total));
  if (settings_.keep_candidates || settings_.max_competitors > 0) keep_candidates(settings_, node.node, candidates, pick, taken, builder);
  if (!taken) return std::nullopt;
  return std::move(candidates[pick]);
}

void PlainEngine::end(const Node& node, Builder& builder, Spaces& spaces) {
  job_.done += rows(node);
  if (spaces[0].pruner) spaces[0].pruner->finished(as_leaf(targets_of(node, spaces)), builder);
}

void PlainEngine::describe(Node& node, Builder& builder, Spaces& spaces) {
  searcher_->read(node.rows, spaces[0].targets);
  builder.describe(node.node, spaces[0].targets.facts);
}

void PlainEngine::add_surrogates(const Node& node, const NodeTargets& targets, Candidate& chosen, Spaces spaces) const {
  std::vector<Scratch*> scratch;
  for (PlainSpace& space : spaces) scratch.push_back(&space);
  chosen.split.strict = settings_.search.strict;  // of surrogates, too, where the split itself is by levels
  chosen.split.surrogates = find_surrogates(table_, node.rows, targets, chosen.split, settings_, *searcher_, scratch);
}

std::vector<PlainNode> PlainEngine::branches_to_grow(Node& node, Candidate& chosen, Builder& builder, Spaces& spaces) {
  const NodeTargets& targets = targets_of(node, spaces);
  EarlyPruner* const pruner = spaces[0].pruner ? &*spaces[0].pruner : nullptr;
  if (settings_.search.missing == Missing::surrogate) add_surrogates(node, targets, chosen, spaces);
  Division& division = spaces[0].division;
  // Best first, other nodes have been counted since.
  division.read(table_, node.rows, targets, chosen, settings_.search.missing, node.targets ? nullptr : &spaces[0]);
  std::size_t kept = 0;
  std::vector<u8> leaf(division.branches(), 0);
  std::vector<Grown> grown(pruner == nullptr ? 0 : division.branches());
  std::size_t growing = 0;
  NodeTargets child;
  for (std::size_t b = 0; b < division.branches(); ++b) {
    kept += division.size(b);
    if (division.size(b) == 0) continue;
    const i64* weights = division.classes(b);
    leaf[b] = weights != nullptr && ends(child, targets, weights, node.depth + 1);
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
  if (settings_.search.missing == Missing::ignore) job_.done += rows(node) - kept;
  const Grown here = pruner == nullptr ? Grown{} : as_leaf(targets);
  std::size_t largest = 0;
  for (std::size_t b = 1; b < division.branches(); ++b)
    if (division.present()[b] >= division.present()[largest]) largest = b;
  Grown outcome;
  if (pruner != nullptr && growing == 0) {
    outcome = pruner->outcome_of(here.weight, here.errors, grown, largest);
    if (outcome.state == Grown::State::leaf) {
      builder.note_saved(node.node, outcome.errors - outcome.below);
      pruner->finished(outcome, builder);
      return {};
    }
  }
  if (chosen.sketch) {
    auto whole = searcher_->best(node.rows, targets, chosen.split.column, spaces[0]);
    if (!whole) throw std::logic_error("a split that was predicted is none");
    chosen = std::move(*whole);
  }
  const Builder::Mark mark = builder.mark();
  const u32 first = builder.divide(node.node, chosen.split, chosen.gain);
  auto of_branches = division.rows(node.rows, leaf);
  node.rows = {};
  std::vector<Node> children;
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
    children.push_back(child_of(node, chosen, b, std::move(of_branches[b])));
    children.back().node = first + b;
  }
  if (pruner != nullptr) {
    if (growing == 0)
      pruner->finished(outcome, builder);
    else
      pruner->open(node.node, mark, here.weight, here.errors, std::move(grown), largest, growing);
  }
  return children;
}

std::vector<PlainNode> PlainEngine::branches(Node& node, const NodeTargets& targets, Candidate& chosen) const {
  Division division;
  division.read(table_, node.rows, targets, chosen, settings_.search.missing);
  auto of_branches = division.rows(node.rows, std::vector<u8>(division.branches(), 0));
  std::vector<Node> children;
  for (u32 b = 0; b < division.branches(); ++b) children.push_back(child_of(node, chosen, b, std::move(of_branches[b])));
  return children;
}

PlainNode PlainEngine::child_of(const Node& node, const Candidate& chosen, u32 branch, NodeRows rows) const {
  const Column column = chosen.split.column;
  Node next{0, node.depth + 1, child_path(node.path, branch), std::move(rows), node.spent, {}, nullptr, node.range, nullptr};
  if (chosen.split.family == Family::threshold || chosen.split.family == Family::presence)
    next.range = node.range.below(settings_.search.direction_of(column), chosen.sides[0], chosen.sides[1], branch);
  next.open = open_below(settings_.interactions, node.open, column);
  if (traits_of(chosen.split.family).once_per_path) next.spent.push_back(column);
  if (settings_.ties == Ties::callback) {
    next.steps = node.steps;
    next.steps.emplace_back(column, branch);
  }
  return next;
}

// The facts of a branch from the weights of the node's classes.
void PlainEngine::read_branch(NodeTargets& child, const NodeTargets& above, const i64* weights) const {
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
bool PlainEngine::ends(NodeTargets& child, const NodeTargets& above, const i64* weights, u32 depth) const {
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

Grown PlainEngine::as_leaf(const i64* weights, std::size_t classes) const {
  const i64 weight = std::accumulate(weights, weights + classes, i64{0});
  return grown_leaf(table_.weights.plain(weight), table_.weights.plain(weight - *std::max_element(weights, weights + classes)));
}

void prepare_columns(Table& table, const GrowSettings& settings) {
  refuse_dense(table.columns, table.n_rows);
  for_each(table.columns.size(), settings.threads, [&](std::size_t j, unsigned) {
    if (table.columns[j].codes.empty()) rank_rows(table.columns.edit(j));
    const EncodedColumn& column = table.columns[j];
    if (settings.search.cuts != Cuts::all && column.kind == Kind::numeric && !settings.discretiser && column.crowd == 0)
      list_values(table.columns.edit(j), kLeastGap);
  });
}

namespace {

bool always(const Table&, const GrowSettings&) { return true; }

Tree grow_plain(Table& table, const GrowSettings& settings, JobControl& job) {
  prepare_columns(table, settings);
  PlainEngine engine(table, settings, job);
  Tree tree = engine.run();
  if (!engine.doubtful()) return tree;
  GrowSettings whole = settings;
  whole.early_pruning->ends_nodes = false;
  job.done = 0;
  return PlainEngine(table, whole, job).run();
}

const Enrol<EngineEntry> plain({"plain", 0, &always, &grow_plain});

}  // namespace

}  // namespace tw
