// Where the rows of a node go, and the rows of its branches.
#include "grow/plain/divide.hpp"

#include <numeric>
#include <stdexcept>

#include "base/prefetch.hpp"
#include "grow/plain/surrogates.hpp"
#include "grow/plain/training_row.hpp"
#include "search/search.hpp"

namespace tw {

namespace {

// Where the row of a missing cell goes: as the first surrogate says that can, otherwise where missing cells go.
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

void Division::read(const Table& table, const NodeRows& node, const NodeTargets& targets, Candidate& chosen, Missing policy,
                    const Scratch* counted) {
  Split& split = chosen.split;
  way_.resize(node.rows.size());
  sizes_.assign(split.n_branches, 0);
  present_.assign(split.n_branches, 0);
  classes_.clear();
  n_classes_ = 0;
  missing_.clear();
  sent_missing_.clear();
  divided_.clear();
  if (table.target.nominal() && counts_classes(split.n_branches, targets.classes.size(), node.rows.size())) {
    n_classes_ = targets.classes.size();
    classes_.assign(split.n_branches * n_classes_, 0);
  }
  if (!split.terms.empty())
    follow_derived(table, node, targets, split);
  else if (counted != nullptr && n_classes_ > 0 && split.family == Family::multiway && counted->counted(split.column))
    follow_levels(table, node, split, counted->counts_of(split.column));
  else
    follow(table, node, targets, split, policy);
  for (std::size_t c = 0; c < classes_.size(); ++c) present_[c / n_classes_] += classes_[c];
  // The search told what every branch would hold; a difference is a mistake of ours, never of the data.
  if (present_ != chosen.branch_present) throw std::logic_error("the division of a node does not match its search");
  if (!missing_.empty()) place_missing(table, node, targets, split, policy);
}

void Division::count(const NodeTargets& targets, std::size_t instance, std::size_t branch, i64 weight) {
  ++sizes_[branch];
  if (n_classes_ > 0) classes_[branch * n_classes_ + static_cast<std::size_t>(targets.classes_of[instance])] += weight;
}

// Where the present rows go, and what they weigh.
void Division::follow(const Table& table, const NodeRows& node, const NodeTargets& targets, const Split& split, Missing policy) {
  const EncodedColumn& column = table.columns[split.column];
  const std::size_t n = node.rows.size();
  // One look-up per code instead of one comparison per row, unless the codes are many more than the rows.
  const bool listed = column.n_codes <= 4 * n;
  std::vector<u32> branch_at;
  if (listed && split.family != Family::presence) {
    branch_at.resize(column.n_codes);
    for (Code code = 0; code < column.n_codes; ++code) branch_at[code] = static_cast<u32>(branch_of_code(split, code));
  }
  const Fill fill = fills(policy) && column.n_missing > 0 ? find_fill(column, node, targets, policy) : Fill{};
  for (std::size_t i = 0; i < n; ++i) {
    if (i + kPrefetchDistance < n) prefetch(column.codes.data() + node.rows[i + kPrefetchDistance]);
    Code code = column.codes[node.rows[i]];
    if (code == kMissing) {
      code = fill.of(targets, i);
      if (code == kMissing) {
        missing_.push_back(static_cast<u32>(i));
        continue;
      }
    }
    const u32 b = branch_at.empty() ? static_cast<u32>(branch_of_code(split, code)) : branch_at[code];
    if (b >= split.n_branches) throw std::logic_error("a code of a node goes to no branch of its split");
    way_[i] = b;
    count(targets, i, b, node.weights[i]);
    if (n_classes_ == 0) present_[b] += node.weights[i];
  }
}

// The same for a number that is derived from several columns.
void Division::follow_derived(const Table& table, const NodeRows& node, const NodeTargets& targets, const Split& split) {
  const std::vector<double> numbers = derived_numbers(table, node.rows, split.terms, split.parts);
  for (std::size_t i = 0; i < node.rows.size(); ++i) {
    const i32 branch = branch_of_sum(split, numbers[i]);
    if (branch == kNowhere) {
      missing_.push_back(static_cast<u32>(i));
      continue;
    }
    const auto b = static_cast<u32>(branch);
    if (b >= split.n_branches) throw std::logic_error("a sum goes to no branch of its split");
    way_[i] = b;
    count(targets, i, b, node.weights[i]);
    if (n_classes_ == 0) present_[b] += node.weights[i];
  }
}

// The same for a branch per level, whose classes have been counted; the byte levels have been read just now to do so.
void Division::follow_levels(const Table& table, const NodeRows& node, const Split& split, const i64* counts) {
  const ByteLevels& bytes = table.columns.byte_levels(table.n_rows);
  const std::size_t levels = table.columns[split.column].n_codes;
  std::copy_n(counts, levels * n_classes_, classes_.begin());
  const u8* first = bytes.levels.data() + bytes.place[split.column];
  sizes_.resize(levels + 1, 0);
  for (std::size_t i = 0; i < node.rows.size(); ++i) {
    const u32 level = first[std::size_t{node.rows[i]} * bytes.width];
    way_[i] = level;
    ++sizes_[level];
  }
  if (sizes_[levels] > 0) {
    for (std::size_t i = 0; i < node.rows.size(); ++i)
      if (way_[i] == levels) missing_.push_back(static_cast<u32>(i));
  }
  sizes_[levels] = 0;
  sizes_.resize(split.n_branches);
}

void Division::place_missing(const Table& table, const NodeRows& node, const NodeTargets& targets, Split& split, Missing policy) {
  fractions_.start(present_, std::accumulate(present_.begin(), present_.end(), i64{0}));
  members_.clear();
  for (const u32 i : missing_) {
    if (policy == Missing::ignore) {
      way_[i] = kLater;
    } else if (split.missing_to == kAllBranches) {
      way_[i] = kLater;
      divided_.push_back({i, fractions_.of(node.weights[i])});
      members_.push_back({divided_.back().fraction, n_classes_ > 0 ? static_cast<u32>(targets.classes_of[i]) : 0});
    } else {
      way_[i] = kLater;
      sent_missing_.push_back({i, static_cast<u32>(way_of_missing(table, node.rows[i], node.weights[i], split))});
      if (sent_missing_.back().branch >= split.n_branches) throw std::logic_error("a missing cell goes to no branch of its split");
      count(targets, i, sent_missing_.back().branch, node.weights[i]);
    }
  }
  fractions_.add_up(members_, [&](u32 b, u32 label, std::size_t rows, i64 weight) {
    sizes_[b] += rows;
    if (n_classes_ > 0) classes_[b * n_classes_ + label] += weight;
  });
}

std::vector<NodeRows> Division::rows(NodeRows& node, const std::vector<u8>& held) const {
  std::vector<NodeRows> children(sizes_.size());
  // Where the next row of a branch is written. Rows that nobody wants are written as well, all to one place: that is faster than to ask.
  struct End {
    Row* row;
    i64* weight;
    std::size_t step;
  };
  Row no_row = 0;
  i64 no_weight = 0;
  std::vector<End> ends(children.size() + 1, {&no_row, &no_weight, 0});
  for (std::size_t b = 0; b < children.size(); ++b) {
    if (held[b] || sizes_[b] == 0) continue;
    children[b].rows.resize(sizes_[b]);
    children[b].weights.resize(sizes_[b]);
    ends[b] = {children[b].rows.data(), children[b].weights.data(), 1};
  }
  const auto send = [&](std::size_t i, std::size_t b, i64 weight) {
    End& end = ends[b];
    *end.row = node.rows[i];
    *end.weight = weight;
    end.row += end.step;
    end.weight += end.step;
  };
  const bool lists = !node.sorted.empty();
  // Where the instances went: branch and place, or where the places of their parts begin; with the highest bit set.
  std::vector<u64> to(lists ? node.rows.size() : 0, kGone);
  std::vector<u64> places;
  const auto place = [&](std::size_t b) { return u64{b} << 32 | static_cast<u64>(ends[b].row - children[b].rows.data()); };
  for (std::size_t i = 0; i < node.rows.size(); ++i) {
    const std::size_t b = std::min<std::size_t>(way_[i], children.size());
    if (lists && ends[b].step > 0) to[i] = place(b);
    send(i, b, node.weights[i]);
  }
  // Rows with a missing cell come behind the others.
  for (const auto& [i, b] : sent_missing_) {
    if (lists && ends[b].step > 0) to[i] = place(b);
    send(i, b, node.weights[i]);
  }
  for (const Divided& row : divided_) {
    if (lists) to[row.instance] = kSeveral | places.size();
    for (const FractionSplit::Part& part : fractions_.parts(row.fraction)) {
      if (lists && ends[part.branch].step > 0) places.push_back(place(part.branch));
      send(row.instance, part.branch, part.weight);
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
      if (i + kPrefetchDistance < list.size()) prefetch(to.data() + static_cast<u32>(list[i + kPrefetchDistance]));
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
