#include "grow/divide.hpp"

#include <numeric>
#include <stdexcept>

#include "base/ahead.hpp"
#include "grow/surrogates.hpp"
#include "search/search.hpp"

namespace tw {

namespace {

// Where the row of a missing cell goes: as the first surrogate says that can, otherwise home.
i32 way_of_missing(const Table& table, Row row, i64 weight, Split& split) {
  for (Surrogate& surrogate : split.surrogates) {
    const i32 branch = branch_of_code(surrogate, table.columns[surrogate.column].codes[row]);
    if (branch == kNowhere) continue;
    surrogate.sent += table.weights.plain(weight);
    return branch;
  }
  return split.missing_to;
}

}  // namespace

Division::Division(const Table& table, const NodeRows& node, const NodeTargets& targets, Candidate& chosen, Missing policy)
    : way_(node.rows.size()), sizes_(chosen.split.n_branches, 0), known_(chosen.split.n_branches, 0) {
  Split& split = chosen.split;
  const EncodedColumn& column = table.columns[split.column];
  const std::size_t n = node.rows.size();
  // One look-up per code instead of one comparison per row, unless the codes are many more than the rows.
  const bool listed = column.n_codes <= 4 * n;
  std::vector<u32> branch_at;
  if (listed && split.family != Family::presence) {
    branch_at.resize(column.n_codes);
    for (Code code = 0; code < column.n_codes; ++code) branch_at[code] = branch_of_code(split, code);
  }
  const Fill fill = fills(policy) && column.n_missing > 0 ? find_fill(column, node, targets, policy) : Fill{};
  if (table.target.nominal() && split.n_branches * targets.classes.size() <= 4 * n + 1024) {
    n_classes_ = targets.classes.size();
    classes_.assign(split.n_branches * n_classes_, 0);
  }
  const auto count = [&](std::size_t i, std::size_t b, i64 weight) {
    ++sizes_[b];
    if (n_classes_ > 0) classes_[b * n_classes_ + static_cast<std::size_t>(targets.classes_of[i])] += weight;
  };
  std::vector<u32> missing;
  // Packed levels have been read just now to be counted.
  const PackedLevels& packed = table.packed;
  const u8* levels = packed.holds(split.column) ? packed.levels.data() + packed.place[split.column] : nullptr;
  const auto code_of = [&](Row row) {
    if (levels == nullptr) return column.codes[row];
    const Code level = levels[std::size_t{row} * packed.width];
    return level < column.n_codes ? level : kMissing;
  };
  for (std::size_t i = 0; i < n; ++i) {
    if (levels == nullptr && i + kAhead < n) fetch(column.codes.data() + node.rows[i + kAhead]);
    Code code = code_of(node.rows[i]);
    if (code == kMissing) {
      code = fill.of(targets, i);
      if (code == kMissing) {
        missing.push_back(static_cast<u32>(i));
        continue;
      }
    }
    const u32 b = branch_at.empty() ? branch_of_code(split, code) : branch_at[code];
    way_[i] = b;
    count(i, b, node.weights[i]);
    if (n_classes_ == 0) known_[b] += node.weights[i];
  }
  for (std::size_t c = 0; c < classes_.size(); ++c) known_[c / n_classes_] += classes_[c];
  // The search said what every branch would hold; a difference is a mistake of ours, never of the data.
  if (known_ != chosen.branch_known) throw std::logic_error("the division of a node does not match its search");
  portions_.start(known_, std::accumulate(known_.begin(), known_.end(), i64{0}));
  std::vector<Portions::Member> members;
  for (const u32 i : missing) {
    if (policy == Missing::ignore) {
      way_[i] = kNone;
    } else if (split.missing_to == kAllBranches) {
      way_[i] = kDivided;
      divided_.push_back({i, portions_.of(node.weights[i])});
      members.push_back({divided_.back().portion, n_classes_ > 0 ? static_cast<u32>(targets.classes_of[i]) : 0});
    } else {
      way_[i] = static_cast<u32>(way_of_missing(table, node.rows[i], node.weights[i], split));
      homeless_.push_back(i);
      count(i, way_[i], node.weights[i]);
    }
  }
  portions_.add_up(std::move(members), [&](u32 b, u32 label, std::size_t rows, i64 weight) {
    sizes_[b] += rows;
    if (n_classes_ > 0) classes_[b * n_classes_ + label] += weight;
  });
}

std::vector<NodeRows> Division::rows(NodeRows& node, const std::vector<u8>& held) const {
  std::vector<NodeRows> children(sizes_.size());
  for (std::size_t b = 0; b < children.size(); ++b) {
    if (held[b]) continue;
    children[b].rows.reserve(sizes_[b]);
    children[b].weights.reserve(sizes_[b]);
  }
  const bool lists = !node.sorted.empty();
  // Where the instances went: branch and place, or where the places of their parts begin; with the highest bit set.
  std::vector<u64> to(lists ? node.rows.size() : 0, kGone);
  std::vector<u64> places;
  const auto send = [&](std::size_t i, std::size_t b, i64 weight) {
    const u64 place = u64{b} << 32 | children[b].rows.size();
    children[b].rows.push_back(node.rows[i]);
    children[b].weights.push_back(weight);
    return place;
  };
  // Rows with a missing cell come behind the others.
  std::size_t next = 0;
  for (std::size_t i = 0; i < node.rows.size(); ++i) {
    if (next < homeless_.size() && homeless_[next] == i) {
      ++next;
      continue;
    }
    if (way_[i] >= kDivided || held[way_[i]]) continue;
    const u64 place = send(i, way_[i], node.weights[i]);
    if (lists) to[i] = place;
  }
  for (const u32 i : homeless_) {
    if (held[way_[i]]) continue;
    const u64 place = send(i, way_[i], node.weights[i]);
    if (lists) to[i] = place;
  }
  for (const Divided& row : divided_) {
    if (lists) to[row.instance] = kSeveral | places.size();
    for (const Portions::Part& part : portions_.parts(row.portion)) {
      if (held[part.branch]) continue;
      const u64 place = send(row.instance, part.branch, part.weight);
      if (lists) places.push_back(place);
    }
    if (lists) places.push_back(kGone);
  }
  if (lists) hand_down(node, to, places, children);
  return children;
}

// Divides the sorted lists of a node, which keep their order, and lets go of each as soon as it is done.
void Division::hand_down(NodeRows& node, const std::vector<u64>& to, const std::vector<u64>& places,
                         std::vector<NodeRows>& children) const {
  bool any = false;
  for (NodeRows& child : children) {
    if (child.rows.size() > kKeepLists) child.sorted.resize(node.sorted.size());
    any = any || !child.sorted.empty();
  }
  std::vector<u64*> ends(children.size());
  const auto give = [&](u64 key, u64 place) {
    u64*& end = ends[place >> 32];
    if (end != nullptr) *end++ = (key & ~u64{0xffffffff}) | static_cast<u32>(place);
  };
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
      if (i + kAhead < list.size()) fetch(to.data() + static_cast<u32>(list[i + kAhead]));
      const u64 where = to[static_cast<u32>(list[i])];
      if (where == kGone) continue;
      if ((where & kSeveral) == 0) {
        give(list[i], where);
        continue;
      }
      for (std::size_t p = where & ~kSeveral; places[p] != kGone; ++p) give(list[i], places[p]);
    }
    for (std::size_t b = 0; b < children.size(); ++b)
      if (ends[b] != nullptr) children[b].sorted[j].resize(static_cast<std::size_t>(ends[b] - children[b].sorted[j].data()));
    node.sorted[j] = {};
  }
  node.sorted = {};
}

}  // namespace tw
