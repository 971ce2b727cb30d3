// Rows with a missing cell divided among branches in fractions: rows of equal weight have equal fractions, which are computed once.
#pragma once

#include <algorithm>
#include <array>
#include <span>

#include "base/hash.hpp"
#include "stats/shares.hpp"

namespace tw {

class FractionSplit {
 public:
  struct Part {
    u32 branch;
    i64 weight;
  };
  // A row of one class, and which fractions it is divided by.
  struct Member {
    u32 fraction;
    u32 label;
    auto operator<=>(const Member&) const = default;
  };

  // In proportion to `present`, whose sum is `total`.
  void start(const std::vector<i64>& present, i64 total) {
    present_ = present;
    total_ = total;
    begin_.clear();
    parts_.clear();
    remembered_.fill({});
  }

  // The index of the fractions of a row of this weight. (One weight may get several, which are equal.)
  u32 of(i64 weight) {
    Remembered& entry = remembered_[mix(static_cast<u64>(weight)) % kRemembered];
    if (entry.weight != weight) {
      entry = {weight, static_cast<u32>(begin_.size())};
      begin_.push_back(static_cast<u32>(parts_.size()));
      share_out(weight, present_, total_, [&](std::size_t b, i64 part) { parts_.push_back({static_cast<u32>(b), part}); });
    }
    return entry.fraction;
  }

  std::span<const Part> parts(u32 fraction) const {
    const std::size_t end = fraction + 1 < begin_.size() ? begin_[fraction + 1] : parts_.size();
    return {parts_.data() + begin_[fraction], end - begin_[fraction]};
  }

  // Calls add(branch, label, rows, weight) for divided rows, equal ones at once: the members get sorted.
  template <class Add>
  void add_up(std::vector<Member>& members, Add&& add) const {
    if (members.size() > 4) std::sort(members.begin(), members.end());
    for (std::size_t i = 0, end; i < members.size(); i = end) {
      for (end = i + 1; end < members.size() && members[end] == members[i]; ++end) {
      }
      const std::size_t n = end - i;
      for (const Part& part : parts(members[i].fraction)) add(part.branch, members[i].label, n, static_cast<i64>(n) * part.weight);
    }
  }

 private:
  static constexpr std::size_t kRemembered = 64;
  struct Remembered {
    i64 weight = -1;
    u32 fraction = 0;
  };

  std::vector<i64> present_;
  i64 total_ = 0;
  std::vector<u32> begin_;
  std::vector<Part> parts_;
  std::array<Remembered, kRemembered> remembered_{};
};

}  // namespace tw
