// The cut of a sorted column with the largest reduction of a root of the variance.
#pragma once

#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "base/types.hpp"

namespace tw {

// The weight of a set of rows, and the first two moments of its target.
struct Spread {
  double weight = 0;
  double sum = 0;
  double squares = 0;

  // A variance below the rounding of the sums (`noise`) is 0: the fifth root would make it large.
  double variance(double noise) const {
    const double v = squares - sum * sum / weight;
    return v > noise ? v / weight : 0;
  }
  double noise() const { return 1e-14 * squares; }
  double variance() const { return variance(noise()); }
};

struct M5Cut {
  std::size_t position = 0;  // entries below
  double left_over = 0;      // weight times root of the variance, over both sides: smaller is better
  Spread below;
};

// Which cuts are tried, and when one takes the place of another.
struct M5CutRules {
  bool fifth_root = true;
  double centre = 0;                                           // what is taken from targets before they are summed
  double least = 2;                                            // weight each side must have
  double most_left = std::numeric_limits<double>::infinity();  // the first cut must leave less over than this
  double step = 0;                                             // a later cut must leave less over than an earlier one by more than this
  std::function<bool(u32, u32)> alike;                         // whether the cells of two neighbouring rows count as equal; none: never
};

// Entries are code << 32 | row, in order; `all` is their spread. No weights: 1 each.
std::optional<M5Cut> best_cut(std::span<const u64> entries, const std::vector<double>& target, const std::vector<double>& weights,
                              const Spread& all, const M5CutRules& rules);

// The root by which M5' (fifth) or M5 (square) measure a variance.
double root_of(double variance, bool fifth_root);

}  // namespace tw
