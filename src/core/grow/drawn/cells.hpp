// Loops over the cells of one column at a node, which are filled up to whole blocks by the first of them once more: most nodes are one
// block, and loops that always run as often are foretold.
#pragma once

#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "base/types.hpp"

namespace tw {

inline constexpr u32 kLanes = 16;  // cells of a block

// So many cells, filled up.
constexpr u32 filled(u32 n) { return (n + kLanes - 1) / kLanes * kLanes; }

// The largest cell below a threshold.
template <class T>
T limit_of(double threshold, bool strict) {
  T limit = static_cast<T>(threshold);
  const auto beyond = [&](double value) { return strict ? value >= threshold : value > threshold; };
  if (beyond(static_cast<double>(limit))) limit = std::nextafter(limit, -std::numeric_limits<T>::infinity());
  return limit;
}

// The least and the largest of some cells, which are filled up.
template <class T>
std::pair<double, double> range_of(const T* cells, u32 n) {
  std::array<T, kLanes> low;
  std::array<T, kLanes> high;
  std::copy_n(cells, kLanes, low.begin());
  std::copy_n(cells, kLanes, high.begin());
  for (u32 at = kLanes; at < n; at += kLanes) {
    for (u32 lane = 0; lane < kLanes; ++lane) {
      low[lane] = cells[at + lane] < low[lane] ? cells[at + lane] : low[lane];
      high[lane] = cells[at + lane] > high[lane] ? cells[at + lane] : high[lane];
    }
  }
  for (u32 half = kLanes / 2; half > 0; half /= 2) {
    for (u32 lane = 0; lane < half; ++lane) {
      low[lane] = low[lane + half] < low[lane] ? low[lane + half] : low[lane];
      high[lane] = high[lane + half] > high[lane] ? high[lane + half] : high[lane];
    }
  }
  return {static_cast<double>(low[0]), static_cast<double>(high[0])};
}

// The largest cell up to a limit, and the least beyond it.
template <class T>
std::pair<double, double> neighbours_of(const T* cells, u32 n, T limit) {
  constexpr T kInfinite = std::numeric_limits<T>::infinity();
  std::array<T, kLanes> low;
  std::array<T, kLanes> high;
  low.fill(-kInfinite);
  high.fill(kInfinite);
  for (u32 at = 0; at < n; at += kLanes) {
    for (u32 lane = 0; lane < kLanes; ++lane) {
      const T cell = cells[at + lane];
      const T below = cell <= limit ? cell : -kInfinite;
      const T above = cell <= limit ? kInfinite : cell;
      low[lane] = below > low[lane] ? below : low[lane];
      high[lane] = above < high[lane] ? above : high[lane];
    }
  }
  T below = low[0];
  T above = high[0];
  for (u32 lane = 1; lane < kLanes; ++lane) {
    below = low[lane] > below ? low[lane] : below;
    above = high[lane] < above ? high[lane] : above;
  }
  return {static_cast<double>(below), static_cast<double>(above)};
}

}  // namespace tw
