// Loops over the cells of one column at a node, which are filled up to whole blocks by the first of them once more: most nodes are one
// block, and loops that always run as often are foretold.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <limits>
#include <type_traits>
#include <utility>

#include "base/types.hpp"

namespace tw {

inline constexpr u32 kLanes = 16;  // cells of a block

// So many cells, filled up.
constexpr u32 filled(u32 n) { return (n + kLanes - 1) / kLanes * kLanes; }

// Four cells, and four whole numbers: vectors the compiler maps to whatever the instruction set has.
template <class T>
struct Abreast;
template <>
struct Abreast<float> {
  using Four [[gnu::vector_size(16)]] = float;
};
template <>
struct Abreast<double> {
  using Four [[gnu::vector_size(32)]] = double;
};
using FourCounts [[gnu::vector_size(16)]] = u32;

template <class T>
T least_of(const typename Abreast<T>::Four& four) {
  const T a = four[1] < four[0] ? four[1] : four[0];
  const T b = four[3] < four[2] ? four[3] : four[2];
  return b < a ? b : a;
}
template <class T>
T most_of(const typename Abreast<T>::Four& four) {
  const T a = four[1] > four[0] ? four[1] : four[0];
  const T b = four[3] > four[2] ? four[3] : four[2];
  return b > a ? b : a;
}

// The next number below one that is finite.
template <class T>
T next_below(T number) {
  using Bits = std::conditional_t<sizeof(T) == sizeof(i32), i32, i64>;
  if (number == 0) return -std::numeric_limits<T>::denorm_min();
  const auto bits = std::bit_cast<Bits>(number);
  return std::bit_cast<T>(static_cast<Bits>(number > 0 ? bits - 1 : bits + 1));
}

// The largest cell below a threshold, which is finite.
template <class T>
T limit_of(double threshold, bool strict) {
  const T limit = static_cast<T>(threshold);
  const auto value = static_cast<double>(limit);
  return (strict ? value >= threshold : value > threshold) ? next_below(limit) : limit;
}

// The least and the largest of some cells, which are filled up.
template <class T>
std::pair<double, double> range_of(const T* cells, u32 n) {
  using Four = typename Abreast<T>::Four;
  Four low[kLanes / 4];
  std::memcpy(low, cells, sizeof low);
  Four high[kLanes / 4];
  std::memcpy(high, cells, sizeof high);
  for (u32 at = kLanes; at < n; at += kLanes) {
    for (u32 i = 0; i < kLanes / 4; ++i) {
      Four four;
      std::memcpy(&four, cells + at + 4 * i, sizeof four);
      low[i] = four < low[i] ? four : low[i];
      high[i] = four > high[i] ? four : high[i];
    }
  }
  for (u32 half = kLanes / 8; half > 0; half /= 2) {
    for (u32 i = 0; i < half; ++i) {
      low[i] = low[i + half] < low[i] ? low[i + half] : low[i];
      high[i] = high[i + half] > high[i] ? high[i + half] : high[i];
    }
  }
  return {static_cast<double>(least_of<T>(low[0])), static_cast<double>(most_of<T>(high[0]))};
}

// Rows of two classes up to a limit, all of them and those of class 1, of cells and labels that are filled up.
struct TwoCounts {
  u32 all = 0;
  u32 ones = 0;
};
template <class T>
TwoCounts count_two(const T* cells, const u32* labels, u32 n, T limit) {
  FourCounts all{};
  FourCounts ones{};
  for (u32 at = 0; at < n; at += kLanes) {
    for (u32 i = at; i < at + kLanes; i += 4) {
      typename Abreast<T>::Four four;
      std::memcpy(&four, cells + i, sizeof four);
      FourCounts label;
      std::memcpy(&label, labels + i, sizeof label);
      const auto below = __builtin_convertvector(four <= limit, FourCounts);  // all bits of those that are
      all -= below;
      ones += below & label;
    }
  }
  return {all[0] + all[1] + all[2] + all[3], ones[0] + ones[1] + ones[2] + ones[3]};
}

// The largest cell up to a limit, and the least beyond it.
template <class T>
std::pair<double, double> neighbours_of(const T* cells, u32 n, T limit) {
  using Four = typename Abreast<T>::Four;
  constexpr T kInfinite = std::numeric_limits<T>::infinity();
  Four low = Four{} - kInfinite;
  Four high = Four{} + kInfinite;
  for (u32 at = 0; at < n; at += kLanes) {
    for (u32 i = at; i < at + kLanes; i += 4) {
      Four four;
      std::memcpy(&four, cells + i, sizeof four);
      low = (four <= limit) & (four > low) ? four : low;
      high = (four > limit) & (four < high) ? four : high;
    }
  }
  return {static_cast<double>(most_of<T>(low)), static_cast<double>(least_of<T>(high))};
}

}  // namespace tw
