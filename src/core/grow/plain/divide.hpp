// Sends the rows of a node to the branches of its split, in two steps: first where every row goes and what the branches weigh, then the
// rows themselves, of those branches that need them. Surrogates note what they had to send.
#pragma once

#include "grow/settings.hpp"
#include "stats/fraction_split.hpp"

namespace tw {

// Nodes of so few rows are sorted anew instead of inheriting lists.
inline constexpr std::size_t kKeepLists = 32;

// One division after the other in the same memory.
class Division {
 public:
  // `counted`: work space that may hold the counts of this node, which then need not be taken again.
  void read(const Table& table, const NodeRows& node, const NodeTargets& targets, Candidate& chosen, Missing policy,
            const Scratch* counted = nullptr);

  std::size_t branches() const { return sizes_.size(); }
  std::size_t size(std::size_t branch) const { return sizes_[branch]; }
  // Present weight of every branch: what the fractions of other rows are measured by.
  const std::vector<i64>& present() const { return present_; }
  // Of a class target: the weight of every class of the node at a branch. Null where that would be more numbers than rows.
  const i64* classes(std::size_t branch) const { return classes_.empty() ? nullptr : classes_.data() + branch * n_classes_; }

  // Whether so many branches of a node are told by class: no more numbers than rows, about.
  static bool counts_classes(std::size_t branches, std::size_t classes, std::size_t rows) { return branches * classes <= 4 * rows + 1024; }

  // The rows of the branches, none of those that are `held` back. The lists of the node go with them.
  std::vector<NodeRows> rows(NodeRows& node, const std::vector<u8>& held) const;

 private:
  void follow(const Table& table, const NodeRows& node, const NodeTargets& targets, const Split& split, Missing policy);
  void follow_derived(const Table& table, const NodeRows& node, const NodeTargets& targets, const Split& split);
  void follow_levels(const Table& table, const NodeRows& node, const Split& split, const i64* counts);
  void place_missing(const Table& table, const NodeRows& node, const NodeTargets& targets, Split& split, Missing policy);
  void count(const NodeTargets& targets, std::size_t instance, std::size_t branch, i64 weight);
  void hand_down(NodeRows& node, const std::vector<u64>& to, const std::vector<u64>& places, std::vector<NodeRows>& children) const;

  static constexpr u64 kGone = ~u64{0};
  static constexpr u64 kSeveral = u64{1} << 63;
  static constexpr u32 kLater = ~u32{0};

  std::vector<u32> way_;  // by instance: branch, or kLater where the cell is missing
  struct Sent {
    u32 instance;
    u32 branch;
  };
  struct Divided {
    u32 instance;
    u32 fraction;
  };
  std::vector<u32> missing_;        // instances whose cell is
  std::vector<Sent> sent_missing_;  // of these the ones that go to one branch each
  std::vector<Divided> divided_;    // and those that go to several
  std::vector<FractionSplit::Member> members_;
  FractionSplit fractions_;
  std::vector<std::size_t> sizes_;
  std::vector<i64> present_;
  std::vector<i64> classes_;
  std::size_t n_classes_ = 0;
};

}  // namespace tw
