// Tails of the hypergeometric distribution, by logarithms of factorials.
#include "stats/fisher.hpp"

#include <algorithm>
#include <cmath>

#include "base/numbers.hpp"

namespace tw {

FisherTest::FisherTest(u64 most) : log_factorial_(most + 1, 0) {
  constexpr double kLn2 = 0.6931471805599453;
  for (u64 k = 2; k <= most; ++k) log_factorial_[k] = log_factorial_[k - 1] + kLn2 * log2_of(static_cast<double>(k));
}

// Hypergeometric: so many of the wrong ones are in the first group.
double FisherTest::of(u64 wrong, u64 all, u64 other_all, u64 every_wrong) const {
  const auto choose = [&](u64 n, u64 k) { return log_factorial_[n] - log_factorial_[k] - log_factorial_[n - k]; };
  return std::exp(choose(all, wrong) + choose(other_all, every_wrong - wrong) - choose(all + other_all, every_wrong));
}

double FisherTest::tail(u64 wrong, u64 all, u64 other_wrong, u64 other_all) const {
  const u64 every = wrong + other_wrong;
  const bool more =
      static_cast<double>(wrong) * static_cast<double>(other_all) > static_cast<double>(other_wrong) * static_cast<double>(all);
  double sum = 0;
  if (more) {
    for (u64 w = wrong; w <= std::min(all, every); ++w) sum += of(w, all, other_all, every);
  } else {
    const u64 least = every > other_all ? every - other_all : 0;
    for (u64 w = wrong + 1; w-- > least;) sum += of(w, all, other_all, every);
  }
  return std::min(sum, 1.0);
}

}  // namespace tw
