#include "grow/limits.hpp"

#include <limits>

namespace tw {

void keep_candidates(u32 node, const std::vector<Candidate>& candidates, std::size_t pick, bool taken, Builder& builder) {
  std::vector<Weighed> weighed;
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    const Candidate& c = candidates[i];
    Weighed w;
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
    weighed.push_back(w);
  }
  builder.weighed(node, weighed);
}

std::vector<TreeColumn> tree_columns(const Table& table) {
  std::vector<TreeColumn> columns;
  for (const EncodedColumn& column : table.columns)
    columns.push_back({column.kind, column.kind == Kind::nominal ? column.n_codes : 0, column.seen});
  return columns;
}

}  // namespace tw
