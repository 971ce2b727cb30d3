#include "grow/divide.hpp"

#include <stdexcept>

#include "base/ahead.hpp"
#include "search/search.hpp"
#include "stats/shares.hpp"

namespace tw {

namespace {

// Where the instances of a node went: branch and place there, or, of those divided among branches, all of them.
class Moves {
 public:
  explicit Moves(std::size_t n) : to_(n, kGone) {}

  void whole(std::size_t instance, std::size_t branch, std::size_t place) { to_[instance] = u64{branch} << 32 | place; }
  void part(std::size_t instance, std::size_t branch, std::size_t place) {
    if (to_[instance] == kGone) {
      to_[instance] = kParts | parts_.size();
      parts_.emplace_back();
    }
    parts_[to_[instance] & ~kParts].push_back(u64{branch} << 32 | place);
  }
  void fetch_move(std::size_t instance) const { fetch(to_.data() + instance); }
  template <class Give>
  void each(std::size_t instance, Give&& give) const {
    const u64 to = to_[instance];
    if (to == kGone) return;
    if ((to & kParts) == 0) {
      give(static_cast<std::size_t>(to >> 32), static_cast<u32>(to));
      return;
    }
    for (const u64 at : parts_[to & ~kParts]) give(static_cast<std::size_t>(at >> 32), static_cast<u32>(at));
  }

 private:
  static constexpr u64 kGone = ~u64{0};
  static constexpr u64 kParts = u64{1} << 63;
  std::vector<u64> to_;
  std::vector<std::vector<u64>> parts_;
};

// Divides the sorted lists of a node, which keep their order, and lets go of each as soon as it is done.
void hand_down(NodeRows& node, const Moves& moves, std::vector<NodeRows>& children) {
  bool any = false;
  for (NodeRows& child : children) {
    if (child.rows.size() > kKeepLists) child.sorted.resize(node.sorted.size());
    any = any || !child.sorted.empty();
  }
  std::vector<u64*> ends(children.size());
  for (std::size_t j = 0; any && j < node.sorted.size(); ++j) {
    const std::vector<u64>& list = node.sorted[j];
    for (std::size_t b = 0; b < children.size(); ++b) {
      if (children[b].sorted.empty()) {
        ends[b] = nullptr;
        continue;
      }
      children[b].sorted[j].resize(std::min(children[b].rows.size(), list.size()));
      ends[b] = children[b].sorted[j].data();
    }
    for (std::size_t i = 0; i < list.size(); ++i) {
      if (i + kAhead < list.size()) moves.fetch_move(static_cast<u32>(list[i + kAhead]));
      moves.each(static_cast<u32>(list[i]), [&](std::size_t b, u32 place) {
        if (ends[b] != nullptr) *ends[b]++ = (list[i] & ~u64{0xffffffff}) | place;
      });
    }
    for (std::size_t b = 0; b < children.size(); ++b)
      if (ends[b] != nullptr) children[b].sorted[j].resize(static_cast<std::size_t>(ends[b] - children[b].sorted[j].data()));
    node.sorted[j] = {};
  }
  node.sorted = {};
}

}  // namespace

std::vector<NodeRows> divide(const Table& table, NodeRows& node, const NodeTargets& targets, const Candidate& chosen, Missing policy) {
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
  const bool lists = !node.sorted.empty();
  Moves moves(lists ? node.rows.size() : 0);
  for (std::size_t i = 0; i < node.rows.size(); ++i) {
    if (i + kAhead < node.rows.size()) fetch(column.codes.data() + node.rows[i + kAhead]);
    Code code = column.codes[node.rows[i]];
    if (code == kMissing) {
      code = fill.of(targets, i);
      if (code == kMissing) {
        missing.push_back(i);
        continue;
      }
    }
    const u32 b = branch_at.empty() ? branch_of_code(split, code) : branch_at[code];
    if (lists) moves.whole(i, b, children[b].rows.size());
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
        if (lists) moves.part(i, b, children[b].rows.size());
        children[b].rows.push_back(node.rows[i]);
        children[b].weights.push_back(part);
      });
    } else {
      NodeRows& home = children[static_cast<std::size_t>(split.missing_to)];
      if (lists) moves.whole(i, static_cast<std::size_t>(split.missing_to), home.rows.size());
      home.rows.push_back(node.rows[i]);
      home.weights.push_back(node.weights[i]);
    }
  }
  if (lists) hand_down(node, moves, children);
  return children;
}

}  // namespace tw
