// Sends the rows of a node to the branches of its split, in two steps: first where every row goes and what the branches weigh, then the
// rows themselves, of those branches that need them. Surrogates note what they had to send.
#pragma once

#include <array>

#include "grow/settings.hpp"

namespace tw {

// Nodes of so few rows are sorted anew instead of inheriting lists.
inline constexpr std::size_t kKeepLists = 32;

class Division {
 public:
  Division(const Table& table, const NodeRows& node, const NodeTargets& targets, Candidate& chosen, Missing policy);

  std::size_t branches() const { return sizes_.size(); }
  std::size_t size(std::size_t branch) const { return sizes_[branch]; }
  // Known weight of every branch: what the parts of other rows are measured by.
  const std::vector<i64>& known() const { return known_; }
  // Of a class target: the weight of every class of the node at a branch. Null where that would be more numbers than rows.
  const i64* classes(std::size_t branch) const { return classes_.empty() ? nullptr : classes_.data() + branch * n_classes_; }

  // The rows of the branches, none of those that are `held` back. The lists of the node go with them.
  std::vector<NodeRows> rows(NodeRows& node, const std::vector<u8>& held) const;

 private:
  struct Part {
    u32 branch;
    i64 weight;
  };
  // The parts of a row of this weight, as places in `parts_`: many rows weigh the same.
  std::pair<u32, u32> parts_of(i64 weight);
  void hand_down(NodeRows& node, const std::vector<u64>& to, const std::vector<u64>& places, std::vector<NodeRows>& children) const;

  static constexpr u64 kGone = ~u64{0};
  static constexpr u64 kSeveral = u64{1} << 63;
  static constexpr u32 kNone = ~u32{0};         // takes no part below
  static constexpr u32 kDivided = ~u32{0} - 1;  // goes to several branches
  static constexpr std::size_t kRemembered = 64;

  struct Remembered {
    i64 weight = -1;
    u32 begin = 0;
    u32 end = 0;
  };

  std::vector<u32> way_;  // by instance: branch, kNone or kDivided
  struct Divided {
    u32 instance;
    u32 begin;  // of its parts
    u32 end;
  };
  std::vector<u32> homeless_;  // missing, and to one branch each
  std::vector<Divided> divided_;
  std::vector<Part> parts_;
  std::array<Remembered, kRemembered> remembered_{};
  std::vector<std::size_t> sizes_;
  std::vector<i64> known_;
  i64 total_ = 0;
  std::vector<i64> classes_;
  std::size_t n_classes_ = 0;
};

}  // namespace tw
