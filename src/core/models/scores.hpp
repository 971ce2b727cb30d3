// Scores of classes: which class they predict, and the shares they stand for. The one rule for training, predicting and exports.
#pragma once

#include <algorithm>
#include <span>

#include "base/types.hpp"

namespace tw {

// The score of a class without training rows: below any other, whatever the row, so that its share is 0.
constexpr double kNever = -1e308;

// Scores are sums over hundreds of regressions, each the quotient of sums over rows; taken in another order these differ by up to about
// 1e-10 of a score of one digit. Scores that are no more than this below the largest are tied, and of these the first class is predicted.
// All others have shares that differ. It is the width within which class weights are equal, too (docs/architecture.md).
constexpr double kAsLarge = 0x1p-27;

// A score as it is compared: for extreme cells sums overflow.
inline double bounded(double score) {
  constexpr double kMost = 1e300;
  if (score == kNever) return score;
  return score != score ? 0 : std::clamp(score, -kMost, kMost);
}

inline bool as_large(double score, double most) { return score - most >= -kAsLarge; }

// Which of these classes, in ascending order, the scores of all classes predict.
inline u32 predicted_class(const double* scores, std::span<const u32> classes) {
  double most = kNever;
  for (const u32 k : classes) most = std::max(most, bounded(scores[k]));
  for (const u32 k : classes)
    if (as_large(bounded(scores[k]), most)) return k;
  return 0;
}

// Replaces scores by the shares that they stand for.
void to_shares(double* scores, std::size_t n);

}  // namespace tw
