#include "grow/divide.hpp"

#include <stdexcept>

#include "search/search.hpp"
#include "stats/shares.hpp"

namespace tw {

std::vector<NodeRows> divide(const Table& table, const NodeRows& node, const NodeTargets& targets, const Candidate& chosen,
                             Missing policy) {
  const Split& split = chosen.split;
  const EncodedColumn& column = table.columns[split.column];
  // One look-up per code instead of one comparison per row, unless the codes are many more than the rows.
  const bool listed = column.n_codes <= 4 * node.rows.size();
  std::vector<u32> branch_at;
  if (listed && split.family != Family::presence) {
    branch_at.resize(column.n_codes);
    for (Code code = 0; code < column.n_codes; ++code) branch_at[code] = branch_of_code(split, code);
  }
  const Fill fill = fills(policy) && column.n_missing > 0 ? find_fill(column, node, targets, policy) : Fill{};
  std::vector<NodeRows> children(split.n_branches);
  std::vector<i64> known(split.n_branches, 0);
  i64 total = 0;
  std::vector<std::size_t> missing;
  for (std::size_t i = 0; i < node.rows.size(); ++i) {
    Code code = column.codes[node.rows[i]];
    if (code == kMissing) {
      code = fill.of(targets, i);
      if (code == kMissing) {
        missing.push_back(i);
        continue;
      }
    }
    const u32 b = branch_at.empty() ? branch_of_code(split, code) : branch_at[code];
    children[b].rows.push_back(node.rows[i]);
    children[b].weights.push_back(node.weights[i]);
    known[b] += node.weights[i];
    total += node.weights[i];
  }
  // The search said what every branch would hold; a difference is a mistake of ours, never of the data.
  if (known != chosen.branch_known) throw std::logic_error("the division of a node does not match its search");
  for (const std::size_t i : missing) {
    if (policy == Missing::ignore) continue;
    if (split.missing_to == kAllBranches) {
      share_out(node.weights[i], known, total, [&](std::size_t b, i64 part) {
        children[b].rows.push_back(node.rows[i]);
        children[b].weights.push_back(part);
      });
    } else {
      children[static_cast<std::size_t>(split.missing_to)].rows.push_back(node.rows[i]);
      children[static_cast<std::size_t>(split.missing_to)].weights.push_back(node.weights[i]);
    }
  }
  return children;
}

}  // namespace tw
