// The cancellation flag and the progress shared by a job and its caller.
#pragma once

#include <atomic>

#include "base/errors.hpp"
#include "base/types.hpp"

namespace tw {

struct JobControl {
  std::atomic<bool> stop{false};
  std::atomic<u64> done{0};  // rows that have reached a leaf
  u64 total = 0;

  void check() const {
    if (stop.load(std::memory_order_relaxed)) throw Interrupted();
  }
};

}  // namespace tw
