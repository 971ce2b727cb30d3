// Sends the rows of a node down its branches, and writes a tree anew as a plan says.
#include "prune/plan.hpp"

#include <numeric>

#include "base/prefetch.hpp"
#include "grow/criterion_entry.hpp"
#include "stats/fraction_split.hpp"
#include "tree/branch.hpp"
#include "tree/read.hpp"

namespace tw {

NodeRows all_rows(const Table& table) {
  NodeRows all;
  all.rows.resize(table.n_rows);
  all.weights.resize(table.n_rows);
  for (Row row = 0; row < table.n_rows; ++row) {
    all.rows[row] = row;
    all.weights[row] = table.weights[row];
  }
  return all;
}

namespace {

// By row: its branch, or kAllBranches; and how many went down each.
struct RowBranches {
  std::vector<i32> of;
  std::vector<std::size_t> count;

  RowBranches(const Tree& tree, const PruneRows& rows, u32 node, const NodeRows& here)
      : of(here.rows.size()), count(tree.n_children[node], 0) {
    const auto at = static_cast<std::size_t>(tree.column[node]);
    const View& cells = rows.cells[at];
    const auto go = [&](const auto& branch) {
      for (std::size_t i = 0; i < here.rows.size(); ++i) {
        if (i + kPrefetchDistance < here.rows.size())
          prefetch(cells.data + static_cast<std::ptrdiff_t>(here.rows[i + kPrefetchDistance]) * cells.stride);
        of[i] = branch(here.rows[i]);
        if (of[i] != kAllBranches) ++count[static_cast<std::size_t>(of[i])];
      }
    };
    // One threshold of present numbers, and one branch per level, are the common cases, and short ones.
    const auto any = [&, test = NodeTest(tree, node)](Row row) { return test.branch_of(ViewRow{tree, rows.cells, row}); };
    const auto above = [&](auto type) {
      return [&, cut = tree.cut_at[tree.cuts(node).begin]](Row row) {
        const auto x = static_cast<double>(cells.at<decltype(type)>(row));
        return x <= cut ? 0 : (x > cut ? 1 : any(row));
      };
    };
    const auto by_level = [&](auto type) {
      return [&, branches = tree.level_branch.data() + tree.levels(node).begin, levels = i64{tree.columns[at].n_levels}](Row row) {
        const auto level = static_cast<i64>(cells.at<decltype(type)>(row));
        return level >= 0 && level < levels ? static_cast<i32>(branches[level]) : any(row);
      };
    };
    const auto family = static_cast<Family>(tree.family[node]);
    const bool one_cut =
        family == Family::threshold && tree.n_children[node] == 2 && tree.strict[node] == 0 && tree.terms(node).size() == 0;
    const bool all_listed = family == Family::multiway && tree.levels(node).size() == tree.columns[at].n_levels;
    if (one_cut && cells.type == Type::F32)
      go(above(float{}));
    else if (one_cut && cells.type == Type::F64)
      go(above(double{}));
    else if (all_listed && cells.type == Type::I8)
      go(by_level(std::int8_t{}));
    else if (all_listed && cells.type == Type::I16)
      go(by_level(std::int16_t{}));
    else if (all_listed && cells.type == Type::I32)
      go(by_level(std::int32_t{}));
    else
      go(any);
  }
};

}  // namespace

BranchRows divide_rows(const Tree& tree, const PruneRows& rows, u32 node, const NodeRows& here, FractionBasis basis,
                       const std::vector<u8>& ends, EndedRows ended) {
  BranchRows out;
  out.branches.resize(tree.n_children[node]);
  out.present.assign(tree.n_children[node], 0);
  i64 total = 0;
  // The branch of every row first, so that all memory of a branch is reserved at once.
  const RowBranches taken(tree, rows, node, here);
  const std::size_t shared = here.rows.size() - std::accumulate(taken.count.begin(), taken.count.end(), std::size_t{0});
  const bool counts = !ends.empty() && ends.size() * tree.n_classes <= 4 * here.rows.size() + 1024;  // no more numbers than rows, about
  const bool counts_whole = counts && (ended == EndedRows::counted || (ended == EndedRows::counted_beside_shared && shared > 0));
  if (counts) out.counted.assign(ends.size() * tree.n_classes, 0);
  const auto& class_of = rows.table.target.class_of;
  for (std::size_t b = 0; b < taken.count.size(); ++b) {
    if (counts_whole && ends[b]) continue;
    out.branches[b].rows.reserve(taken.count[b] + (counts && ends[b] ? 0 : shared));
    out.branches[b].weights.reserve(taken.count[b] + (counts && ends[b] ? 0 : shared));
  }
  out.shared.rows.reserve(shared);
  out.shared.weights.reserve(shared);
  for (std::size_t i = 0; i < here.rows.size(); ++i) {
    const i32 branch = taken.of[i];
    const auto b = static_cast<std::size_t>(branch);
    if (branch != kAllBranches) {
      out.present[b] += here.weights[i];
      total += here.weights[i];
      if (counts_whole && ends[b]) {
        out.counted[b * tree.n_classes + class_of[here.rows[i]]] += here.weights[i];
        continue;
      }
    }
    NodeRows& to = branch == kAllBranches ? out.shared : out.branches[b];
    to.rows.push_back(here.rows[i]);
    to.weights.push_back(here.weights[i]);
  }
  std::vector<i64> shares = out.present;
  if (basis == FractionBasis::tree) {
    total = 0;
    for (std::size_t b = 0; b < shares.size(); ++b) {
      shares[b] = static_cast<i64>(rows.table.weights.in_quanta(tree.weight[tree.first_child[node] + b]));
      total += shares[b];
    }
  }
  if (total == 0 || shared == 0) return out;
  FractionSplit fractions;
  fractions.start(shares, total);
  std::vector<FractionSplit::Member> members;
  members.reserve(shared);
  for (std::size_t i = 0; i < shared; ++i) {
    const u32 fraction = fractions.of(out.shared.weights[i]);
    for (const FractionSplit::Part& part : fractions.parts(fraction)) {
      if (counts && ends[part.branch]) continue;
      out.branches[part.branch].rows.push_back(out.shared.rows[i]);
      out.branches[part.branch].weights.push_back(part.weight);
    }
    if (counts) members.push_back({fraction, class_of[out.shared.rows[i]]});
  }
  if (!counts) return out;
  fractions.add_up(members, [&](u32 b, u32 label, std::size_t, i64 weight) { out.counted[b * tree.n_classes + label] += weight; });
  return out;
}

namespace {

// Writes the tree anew. Rows are sent down only to places whose figures changed.
class Rebuild {
 public:
  Rebuild(const Tree& tree, const Plan& plan, const PruneRows& rows, const Searcher& searcher, const JobControl& job, FractionBasis basis)
      : tree_(tree), plan_(plan), rows_(rows), searcher_(searcher), job_(job), basis_(basis), builder_(tree.n_classes) {}

  Tree run(bool anew) {
    std::vector<Open> open;
    find_moved();
    open.push_back({0, 0, anew, all_rows(rows_.table), {}});
    while (!open.empty()) {
      job_.check();
      Open at = std::move(open.back());
      open.pop_back();
      const u32 node = plan_.replaced_by[at.place];
      at.moved = at.moved || node != at.place;
      NodeFacts facts = describe(at, node);
      builder_.describe(at.to, facts);
      copy_candidates(tree_, node, at.to, builder_);
      if (plan_.ends[node]) continue;
      BranchRows divided;
      if (at.moved || moved_below_[at.place])
        divided = divide_rows(tree_, rows_, node, at.rows, basis_);
      else
        divided.branches.resize(tree_.n_children[node]);
      const u32 first = builder_.divide(at.to, split_of(tree_, node), at.moved ? fall(facts, divided) : tree_.gain[node]);
      for (u32 b = 0; b < divided.branches.size(); ++b)
        open.push_back({tree_.first_child[node] + b, first + b, at.moved, std::move(divided.branches[b]), facts});
    }
    return std::move(builder_).finish(tree_.columns, false);
  }

 private:
  struct Open {
    u32 place;
    u32 to;
    bool moved;  // its rows are not those it was grown from
    NodeRows rows;
    NodeFacts above;
  };

  // By place: something at it or below it is moved. A descendant that stands in has a higher number, so places are visited from the last.
  void find_moved() {
    moved_below_.assign(tree_.size(), 0);
    for (u32 place = static_cast<u32>(tree_.size()); place-- > 0;) {
      const u32 node = plan_.replaced_by[place];
      bool moved = node != place;
      if (!plan_.ends[node])
        for (u32 b = 0; b < tree_.n_children[node]; ++b) moved = moved || moved_below_[tree_.first_child[node] + b] != 0;
      moved_below_[place] = moved;
    }
  }

  NodeFacts describe(const Open& at, u32 node) {
    if (!at.moved) return facts_of(tree_, node);
    if (at.rows.rows.empty()) {
      // A branch without rows: certain of its class if it was before, otherwise it repeats its parent's classes.
      NodeFacts facts = facts_of(tree_, node);
      if (facts.classes.size() > 1) {
        facts = at.above;
        facts.weight = 0;
      }
      return facts;
    }
    searcher_.read(at.rows, targets_);
    return targets_.facts;
  }

  double fall(const NodeFacts& facts, const BranchRows& divided) {
    double after = 0;
    NodeTargets targets;
    for (const NodeRows& branch : divided.branches) {
      if (branch.rows.empty()) continue;
      searcher_.read(branch, targets);
      after += targets.facts.weight / facts.weight * targets.facts.impurity;
    }
    return std::max(0.0, facts.impurity - after);
  }

  const Tree& tree_;
  const Plan& plan_;
  const PruneRows& rows_;
  const Searcher& searcher_;
  const JobControl& job_;
  FractionBasis basis_;
  NodeTargets targets_;
  std::vector<u8> moved_below_;
  Builder builder_;
};

// Levels of rows that nodes were described by were seen: whoever is asked about them sends them where these rows were sent.
void note_levels(std::vector<TreeColumn>& columns, const PruneRows& rows) {
  for (std::size_t j = 0; j < columns.size(); ++j) {
    if (columns[j].kind != Kind::nominal) continue;
    for (Row row = 0; row < rows.table.n_rows; ++row) {
      const auto level = static_cast<i64>(rows.cells[j].number(row));
      if (level >= 0 && level < i64{columns[j].n_levels}) columns[j].seen[static_cast<std::size_t>(level)] = 1;
    }
  }
}

}  // namespace

Tree carried_out(const Tree& tree, const Plan& plan, const PruneRows& rows, const DescribedBy& by, bool anew, const JobControl& job,
                 FractionBasis basis) {
  if (!by.criterion.empty() && criterion_entry(by.criterion).classes != rows.table.target.nominal())
    throw Invalid("criterion '" + by.criterion + "' is not for the target of this tree");
  if (!anew && !plan.raises()) return cut_back(tree, plan.ends);
  SearchSettings search;
  search.criterion = by.criterion;
  search.priors = search.reweighted = by.factor;
  const auto searcher = make_searcher(rows.table, search);
  Tree out = Rebuild(tree, plan, rows, *searcher, job, basis).run(anew);
  if (anew) note_levels(out.columns, rows);
  return out;
}

}  // namespace tw
