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

  void push(Entry entry) {
    (order_ == Order::by_level ? below_ : entries_).push_back(std::move(entry));
    if (ranks()) std::push_heap(entries_.begin(), entries_.end(), later);
  }

  std::optional<Entry> pop() {
    if (order_ == Order::by_level) return pop_of_level();
    if (entries_.empty()) return std::nullopt;
    if (ranks()) std::pop_heap(entries_.begin(), entries_.end(), later);
    std::optional<Entry> entry(std::move(entries_.back()));
    entries_.pop_back();
    return entry;
  }

 private:
  static bool later(const Entry& a, const Entry& b) { return a.urgency != b.urgency ? a.urgency < b.urgency : a.node.node > b.node.node; }

  std::optional<Entry> pop_of_level() {
    if (next_ == entries_.size()) {
      entries_.clear();
      entries_.swap(below_);
      next_ = 0;
    }
    if (entries_.empty()) return std::nullopt;
    return std::move(entries_[next_++]);
  }

  Order order_;
  std::vector<Entry> entries_;  // by level: of the level that is being grown
  std::vector<Entry> below_;    // and of the next
  std::size_t next_ = 0;        // the first of the level that has not been taken
};

}  // namespace tw
