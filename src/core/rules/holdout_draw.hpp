// Which rows are held back to prune by: drawn from a seed and their number in line, whatever the rows are.
#pragma once

#include <algorithm>

#include "base/hash.hpp"
#include "base/types.hpp"

namespace tw {

// Deals out the rows of one class: one of every `folds` in a row is held back, drawn per group.
class HoldoutDraw {
 public:
  HoldoutDraw(u64 seed, u32 folds) : seed_(seed), folds_(folds) {}

  // Whether the next row is held back.
  bool held_back() {
    if (at_ >= group_end_) draw(at_ / folds_);
    return at_++ == drawn_;
  }

  // How many of the next `count` rows are held back.
  u32 held_back(u32 count) {
    u64 held = 0;
    const u64 end = at_ + count;
    while (at_ < end) {
      if (at_ >= group_end_) {
        const u64 whole = (end - at_) / folds_;
        if (whole > 1 && at_ % folds_ == 0) {  // whole groups hold back one row each, whichever it is
          held += whole - 1;
          at_ += (whole - 1) * folds_;
        }
        draw(at_ / folds_);
      }
      const u64 stop = std::min(end, group_end_);
      held += u64{drawn_ >= at_ && drawn_ < stop};
      at_ = stop;
    }
    return static_cast<u32>(held);
  }

 private:
  void draw(u64 group) {
    drawn_ = group * folds_ + mix(seed_, group) % folds_;
    group_end_ = (group + 1) * folds_;
  }

  u64 seed_;
  u64 folds_;
  u64 at_ = 0;
  u64 group_end_ = 0;
  u64 drawn_ = 0;
};

}  // namespace tw
