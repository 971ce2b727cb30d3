// The nodes that wait to be grown, and which of them comes next.
#pragma once

#include <algorithm>
#include <memory>
#include <optional>
#include <vector>

#include "search/searcher.hpp"

namespace tw {

// `best_first`: the node whose split gains most, times its weight; the first created if equal.
enum class Order : u8 { depth_first, best_first, by_level };

template <class Node>
class Frontier {
 public:
  struct Entry {
    Node node;
    std::unique_ptr<Candidate> chosen;  // the split, where it is known already
    double urgency = 0;
  };

  explicit Frontier(Order order) : order_(order) {}

  // Whether nodes must be examined before they are pushed.
  bool ranks() const { return order_ == Order::best_first; }

  // The first branch of a node is to be pushed last: depth first it is then the next.
  void push(Entry entry) {
    entries_.push_back(std::move(entry));
    if (ranks()) std::push_heap(entries_.begin(), entries_.end(), later);
  }

  std::optional<Entry> pop() {
    if (next_ == entries_.size()) return std::nullopt;
    if (order_ == Order::by_level) return pop_front();
    if (ranks()) std::pop_heap(entries_.begin(), entries_.end(), later);
    std::optional<Entry> entry(std::move(entries_.back()));
    entries_.pop_back();
    return entry;
  }

 private:
  static bool later(const Entry& a, const Entry& b) { return a.urgency != b.urgency ? a.urgency < b.urgency : a.node.node > b.node.node; }

  std::optional<Entry> pop_front() {
    std::optional<Entry> entry(std::move(entries_[next_++]));
    if (next_ == entries_.size()) {
      entries_.clear();
      next_ = 0;
    }
    return entry;
  }

  Order order_;
  std::vector<Entry> entries_;
  std::size_t next_ = 0;  // by level: the first that has not been taken
};

}  // namespace tw
