// Classes gathered into two groups by their means, and the place between two normal distributions: what QUEST splits by.
#pragma once

#include <span>
#include <vector>

#include "base/types.hpp"

namespace tw {

// By class: the group, 0 or 1, of 2-means over class means (each a run of `width` numbers), from the two that lie farthest apart. Where all
// means are the same the heaviest class stands alone.
std::vector<u8> two_groups(const std::vector<double>& means, std::size_t width, std::span<const double> weights);

// Weight, mean and variance of a group along a line.
struct Normal {
  double weight = 0;
  double mean = 0;
  double variance = 0;
};

// Where two normal distributions, weighted by what they hold, are as likely: the place between their means, or halfway where there is none
// (Loh and Shih 1997).
double place_between(const Normal& a, const Normal& b);

}  // namespace tw
