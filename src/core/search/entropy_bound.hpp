// How well a cut inside a block of sorted rows can score by class entropy at most.
#pragma once

#include <algorithm>

#include "base/numbers.hpp"

namespace tw {

// Of `all` weight, `below` lies below the block and `moved` in it, by class `moved_by_class`. `from` and `to`: by class, x log2 x of both
// sides where the block begins and ends. The classes' part of the score is convex in each class, so that its highest value lies where the
// block begins or ends; the sides' part is concave, and so below its tangent in the middle of the block.
template <class Weight>
double entropy_bound(double all, double below, double moved, const double* from, const double* to, const Weight* moved_by_class,
                     std::size_t classes) {
  const EstimatedLog& log = estimated_log();
  const double half = moved / 2;
  const double l = below + half;
  const double r = all - l;
  const double log_l = log.log2(l);
  const double log_r = log.log2(r);
  const double slope = log_r - log_l;
  double sum = -l * log_l - r * log_r - slope * half;
  for (std::size_t k = 0; k < classes; ++k) sum += std::max(from[k], to[k] + slope * static_cast<double>(moved_by_class[k]));
  return sum;
}

}  // namespace tw
