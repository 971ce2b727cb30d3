// The best cut of a column at a node by estimated entropy. Rows are summed up in blocks; most blocks are passed over, because no cut inside
// them can reach the best.
#pragma once

#include <vector>

#include "search/searcher.hpp"

namespace tw {

struct EstimatedCut {
  bool any = false;
  bool doubtful = false;  // two cuts are too close to tell which an exact search would take
  double gained = 0;      // fall of the weighted entropy of the present rows
  i64 present = 0;        // weight of the present rows ...
  i64 below = 0;          // ... and of those below the cut
  u64 tried = 0;          // cuts that were allowed; exact
};

// The codes of a numeric column that are far enough from one another for a cut (`Cuts`).
class ClearCodes {
 public:
  ClearCodes(const EncodedColumn& column, const SearchSettings& settings);
  // Of two codes, the first no higher than the second.
  bool apart(u64 a, u64 b) const { return first_.empty() ? a != b : b >= first_[a]; }

 private:
  std::vector<Code> first_;  // by code: the lowest one that is far enough above it; empty: the next one is
};

// `keys`: the present rows in order of value, as in NodeRows. `classes`: how many are declared.
EstimatedCut estimated_cut(const std::vector<u64>& keys, const ClearCodes& clear, const NodeTargets& targets,
                           const SearchSettings& settings, u32 classes, CutSearchSpace& space);

}  // namespace tw
