// Candidates that are kept for show, and the columns of a table as a tree keeps them.
#include "grow/limits.hpp"

#include <algorithm>
#include <limits>

namespace tw {

namespace {

// By candidate: the chosen one, and the most that gain anything, best first.
std::vector<u8> best_competitors(const std::vector<Candidate>& candidates, std::size_t pick, std::size_t most) {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < candidates.size(); ++i)
    if (i != pick && candidates[i].gain > 0) order.push_back(i);
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return candidates[a].rank > candidates[b].rank; });
  order.resize(std::min(order.size(), most));
  std::vector<u8> kept(candidates.size(), 0);
  for (const std::size_t i : order) kept[i] = 1;
  if (pick < candidates.size()) kept[pick] = 1;
  return kept;
}

}  // namespace

void keep_candidates(const GrowSettings& settings, u32 node, const std::vector<Candidate>& candidates, std::size_t pick, bool taken,
                     Builder& builder) {
  std::vector<u8> kept(candidates.size(), 1);
  if (!settings.keep_candidates) kept = best_competitors(candidates, pick, settings.max_competitors);
  std::vector<CandidateRecord> candidate_records;
  std::vector<Code> levels;
  std::vector<u32> branches;
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    const Candidate& c = candidates[i];
    if (!kept[i] || !c.split.terms.empty()) continue;  // records are of single columns
    CandidateRecord w;
    w.column = c.split.column;
    w.family = c.split.family;
    w.chosen = taken && i == pick;
    w.n_branches = c.split.n_branches;
    w.tried = c.tried;
    w.gain = c.gain;
    w.penalty = c.penalty;
    w.merit = c.merit;
    w.split_info = c.split_info;
    w.after = c.after;
    w.cut = c.split.cuts.empty() ? std::numeric_limits<double>::quiet_NaN() : c.split.cuts[0].at;
    w.levels = static_cast<u32>(c.split.levels.size());
    levels.insert(levels.end(), c.split.levels.begin(), c.split.levels.end());
    branches.insert(branches.end(), c.split.branch_of.begin(), c.split.branch_of.end());
    candidate_records.push_back(w);
  }
  builder.candidate_records(node, candidate_records, levels, branches);
}

std::vector<TreeColumn> tree_columns(const Table& table) {
  std::vector<TreeColumn> columns;
  for (const EncodedColumn& column : table.columns)
    columns.push_back({column.kind, column.kind == Kind::nominal ? column.n_codes : 0, column.seen});
  return columns;
}

}  // namespace tw
