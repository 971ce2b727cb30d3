// The best cut of a column at a node by estimated entropy. Rows are summed up in blocks; most blocks are passed over, because no cut inside
// them can reach the best.
#pragma once

#include <vector>

#include "search/searcher.hpp"

namespace tw {

struct EstimatedCut {
  bool any = false;
  bool doubtful = false;  // two cuts are too close to tell which an exact search would take
  double gained = 0;      // fall of the weighted entropy of the known rows
  i64 present = 0;        // weight of the known rows ...
  i64 below = 0;          // ... and of those below the cut
  u64 tried = 0;          // cuts that were allowed; exact
};

// Work space, kept between columns.
struct CutSearchSpace {
  std::vector<i64> moved;     // by block and class: weight
  std::vector<double> terms;  // by block and class: x log2 x of both sides where the block begins
  std::vector<double> sums;   // by block: of weights, likewise
  std::vector<u32> cuts;      // by block: places between different values
  std::vector<i64> left, right;
};

// `keys`: the known rows in order of value, as in NodeRows. `classes`: how many are declared.
EstimatedCut estimated_cut(const std::vector<u64>& keys, const EncodedColumn& column, const NodeTargets& targets,
                           const SearchSettings& settings, u32 classes, CutSearchSpace& space);

}  // namespace tw
