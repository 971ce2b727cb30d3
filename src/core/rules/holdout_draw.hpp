// Which rows are held out for pruning: drawn from a seed and the row index, whatever the rows hold.
#pragma once

#include <algorithm>

#include "base/hash.hpp"
#include "base/types.hpp"

namespace tw {

// The rows of one class, assigned by row index: of every `folds` consecutive rows one is held out, drawn per group.
class HoldoutDraw {
 public:
  HoldoutDraw(u64 seed, u32 folds) : seed_(seed), folds_(folds) {}

  // Whether the next row is held out.
  bool held_out() {
    if (next_ >= group_end_) draw(next_ / folds_);
    return next_++ == chosen_;
  }

  // How many of the next `count` rows are held out.
  u32 held_out(u32 count) {
    u64 n_held_out = 0;
    const u64 end = next_ + count;
    while (next_ < end) {
      if (next_ >= group_end_) {
        const u64 whole = (end - next_) / folds_;
        if (whole > 1 && next_ % folds_ == 0) {  // of every whole group one row is held out, whichever it is
          n_held_out += whole - 1;
          next_ += (whole - 1) * folds_;
        }
        draw(next_ / folds_);
      }
      const u64 stop = std::min(end, group_end_);
      n_held_out += u64{chosen_ >= next_ && chosen_ < stop};
      next_ = stop;
    }
    return static_cast<u32>(n_held_out);
  }

 private:
  void draw(u64 group) {
    chosen_ = group * folds_ + mix(seed_, group) % folds_;
    group_end_ = (group + 1) * folds_;
  }

  u64 seed_;
  u64 folds_;
  u64 next_ = 0;
  u64 group_end_ = 0;
  u64 chosen_ = 0;
};

}  // namespace tw
