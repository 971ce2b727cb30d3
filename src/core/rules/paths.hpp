// The first step of C4.5rules (Quinlan 1993, chapter 5): the paths of an unpruned tree as rules, without the conditions they do not need.
#pragma once

#include <vector>

#include "base/work.hpp"
#include "rules/sift.hpp"
#include "rules/weighed_rows.hpp"

namespace tw {

// A rule on its way into the list.
struct Draft {
  SiftedRule rule;
  Bits covers;
  std::vector<u32> words;  // of `covers` that are not empty
  double bits = 0;         // to write it down
};

// Rules that ask and say the same are one.
std::vector<Draft> generalised_paths(const Tree& tree, const std::vector<View>& cells, const Table& table, const WeighedRows& rows,
                                     const SiftSettings& settings, const Work& work);

}  // namespace tw
