// The rows of a node of the search: ascending, and once more in the order of every view of many groups. The rows of the two parts of a node
// stand one behind the other in a buffer of their level; a division keeps every order.
#pragma once

#include <algorithm>
#include <vector>

#include "optimal/cache.hpp"
#include "optimal/meter.hpp"
#include "optimal/views.hpp"

namespace tw {

template <class Losses>
struct SearchNode {
  u32 n = 0;
  u32 level = 0;
  const u32* data = nullptr;
  std::size_t stride = 0;
  typename Losses::Sums sums;
  RowSetKey key;

  const u32* rows() const { return data; }
  const u32* list(std::size_t place) const { return data + (place + 1) * stride; }
};

template <class Losses>
class SearchRows {
 public:
  using Node = SearchNode<Losses>;
  using Sums = typename Losses::Sums;
  using RowCost = typename Losses::RowCost;

  SearchRows(const Views& views, const Losses& losses, u32 n_rows, Meter& meter)
      : views_(views), meter_(meter), n_rows_(n_rows), side_(n_rows) {
    place_.reserve(views.each.size());
    for (u32 v = 0; v < views.each.size(); ++v) {
      const bool listed = !views.each[v].many.empty();  // the others need no list
      place_.push_back(listed ? static_cast<i32>(listed_.size()) : -1);
      if (listed) listed_.push_back(v);
    }
    each_.reserve(n_rows);
    keys_.reserve(n_rows);
    for (u32 row = 0; row < n_rows; ++row) {
      each_.push_back(losses.of(row));
      keys_.push_back(RowSetKey::of(row));
    }
  }

  Node root() {
    std::vector<u32>& data = buffer(0, n_rows_);
    for (u32 row = 0; row < n_rows_; ++row) data[row] = row;
    for (std::size_t place = 0; place < listed_.size(); ++place) {
      const TestView& view = views_.each[listed_[place]];
      std::vector<u32> begin(view.n_groups + 1, 0);
      if (!meter_.goes_on(n_rows_)) break;
      for (const u32 g : view.many) ++begin[g + 1];
      for (u32 g = 0; g < view.n_groups; ++g) begin[g + 1] += begin[g];
      u32* list = data.data() + (place + 1) * n_rows_;
      for (u32 row = 0; row < n_rows_; ++row) list[begin[view.many[row]]++] = row;
    }
    Node node;
    node.n = n_rows_;
    node.data = data.data();
    node.stride = n_rows_;
    for (u32 row = 0; row < n_rows_; ++row) {
      node.sums.add(each_[row]);
      node.key = node.key.plus(keys_[row]);
    }
    return node;
  }

  // The two parts of a node; their lists are not there yet.
  void divide(const Node& node, u32 view, u32 border, Node& front, Node& behind) {
    std::vector<u32>& data = buffer(node.level + 1, node.n);
    const TestView& by = views_.each[view];
    if (by.many.empty())
      divide_by(by.few.data(), border, node, data, front, behind);
    else
      divide_by(by.many.data(), border, node, data, front, behind);
  }

  // The lists of both parts; right after `divide`. They are not there where the search was stopped meanwhile.
  void divide_lists(const Node& node) {
    std::vector<u32>& data = buffer(node.level + 1, node.n);
    for (std::size_t place = 0; place < listed_.size(); ++place) {
      if (!meter_.goes_on(node.n)) return;
      const u32* list = node.list(place);
      u32* low = data.data() + (place + 1) * node.n;
      u32* high = spare_.data();
      u32 n_low = 0;
      u32 n_high = 0;
      for (u32 i = 0; i < node.n; ++i) {
        const u32 row = list[i];
        const u32 first = side_[row];
        low[n_low] = row;
        high[n_high] = row;
        n_low += first;
        n_high += 1 - first;
      }
      std::copy_n(high, n_high, low + n_low);
    }
  }

  const Views& views() const { return views_; }
  std::size_t n_views() const { return views_.each.size(); }
  std::size_t n_listed() const { return listed_.size(); }
  i32 place(u32 view) const { return place_[view]; }
  const u8* few(u32 view) const { return views_.each[view].few.data(); }
  const u32* many(u32 view) const { return views_.each[view].many.data(); }
  u32 n_groups(u32 view) const { return views_.each[view].n_groups; }
  const RowCost& of(u32 row) const { return each_[row]; }
  u32 n_rows() const { return n_rows_; }
  // How many borders a node of so many rows has at most: its memory is asked for at once, because lists that grow take it thrice.
  std::size_t most_borders(u32 n) const {
    std::size_t most = 0;
    for (const TestView& view : views_.each) most += std::min(view.n_groups, n) - 1;
    return most;
  }

 private:
  template <class Group>
  void divide_by(const Group* group, u32 border, const Node& node, std::vector<u32>& data, Node& front, Node& behind) {
    const u32* rows = node.rows();
    u32* low = data.data();
    std::vector<u32>& high = spare_;
    high.resize(node.n);
    u32 n_low = 0;
    u32 n_high = 0;
    front = behind = Node();
    for (u32 i = 0; i < node.n; ++i) {
      const u32 row = rows[i];
      const bool first = group[row] <= border;
      side_[row] = first;
      low[n_low] = row;
      high[n_high] = row;
      n_low += first;
      n_high += !first;
    }
    // The smaller part is added up, the other is what is left.
    const bool less = n_low <= n_high;
    Node& small = less ? front : behind;
    Node& large = less ? behind : front;
    const u32* few = less ? low : high.data();
    for (u32 i = 0; i < std::min(n_low, n_high); ++i) {
      small.sums.add(each_[few[i]]);
      small.key = small.key.plus(keys_[few[i]]);
    }
    large.sums = node.sums.less(small.sums);
    large.key = node.key.less(small.key);
    std::copy_n(high.data(), n_high, low + n_low);
    for (Node* part : {&front, &behind}) {
      part->level = node.level + 1;
      part->stride = node.n;
    }
    front.n = n_low;
    behind.n = n_high;
    front.data = low;
    behind.data = low + n_low;
  }

  std::vector<u32>& buffer(u32 level, u32 n) {
    if (buffers_.size() <= level) buffers_.resize(level + 1);
    const std::size_t size = (listed_.size() + 1) * n;
    if (buffers_[level].size() < size) buffers_[level].resize(size);
    return buffers_[level];
  }

  const Views& views_;
  Meter& meter_;
  u32 n_rows_;
  std::vector<i32> place_;     // by view: which list, or -1
  std::vector<u32> listed_;    // views by list
  std::vector<RowCost> each_;  // by row
  std::vector<RowSetKey> keys_;
  std::vector<u8> side_;
  std::vector<u32> spare_;
  std::vector<std::vector<u32>> buffers_;
};

}  // namespace tw
