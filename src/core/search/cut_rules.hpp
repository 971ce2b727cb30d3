// Which cuts of an ordered column may be taken: the rules of `Cuts`, for whoever goes through them.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/hash.hpp"
#include "search/searcher.hpp"

namespace tw {

// The least weight of either side of a cut, where this much weight is known at the node; `classes`: how many are declared.
inline i64 least_side(const SearchSettings& settings, const NodeTargets& targets, i64 present, u32 classes) {
  const i64 least = std::max<i64>(settings.min_leaf, 1);
  if (settings.cuts == Cuts::all || classes == 0) return least;
  const double scale = static_cast<double>(targets.weight) / targets.facts.weight;  // quanta per unit of weight
  const double side = std::min(0.1 * static_cast<double>(present) / classes, 25 * scale) - 1e-6 * scale;
  return std::max(least, static_cast<i64>(std::ceil(side)));
}

// Whether two neighbouring values, given by code, are too close to be told apart.
inline bool too_close(const SearchSettings& settings, const EncodedColumn& column, u64 a, u64 b) {
  return settings.cuts != Cuts::all && b - a < column.crowd &&
         !(column.value(static_cast<Code>(a)) + kLeastGap < column.value(static_cast<Code>(b)));
}

// A number that is drawn for a column of a node.
inline u64 drawn_for(const NodeTargets& targets, Column column) { return mix(targets.path ^ 0x8f1bbcdcbfa53e0bULL, column); }

// Where a cut between two values lies that is drawn evenly: some value is on either side of it.
inline double drawn_threshold(double lowest, double highest, u64 drawn, bool strict) {
  const double share = static_cast<double>(drawn >> 11) * 0x1p-53;
  const double at = lowest * (1 - share) + highest * share;  // their difference might be beyond all numbers
  if (strict) return at > lowest && at <= highest ? at : highest;
  return at >= lowest && at < highest ? at : lowest;
}

// By how much a later cut must score better. Release 8 takes the first of equals: what differs by the order of a sum only is equal.
inline double cut_margin(const SearchSettings& settings, const NodeTargets& targets) {
  const double gain = settings.cuts == Cuts::weka ? 1e-6 : settings.cuts == Cuts::quinlan ? 1e-12 : 0;
  return gain * static_cast<double>(targets.weight);
}

// What a cut must gain, its penalty taken off, to be one at all.
inline double least_gain(const SearchSettings& settings) {
  return settings.cuts == Cuts::weka ? 1e-6 : settings.cuts == Cuts::quinlan ? 0 : -std::numeric_limits<double>::infinity();
}

}  // namespace tw
