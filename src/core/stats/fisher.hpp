// Fisher's exact test of a division of cases in two.
#pragma once

#include <vector>

#include "base/types.hpp"

namespace tw {

class FisherTest {
 public:
  explicit FisherTest(u64 most);  // cases there may be in all

  // The probability that chance divides the cases at least as unevenly, and the same way: of one group `wrong` of `all`, of the other
  // `other_wrong` of `other_all`.
  double tail(u64 wrong, u64 all, u64 other_wrong, u64 other_all) const;

 private:
  double of(u64 wrong, u64 all, u64 other_all, u64 every_wrong) const;

  std::vector<double> log_factorial_;  // natural
};

}  // namespace tw
