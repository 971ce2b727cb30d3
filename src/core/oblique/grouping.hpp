// The classes of a node gathered into two groups that a discriminant tells apart best.
#pragma once

#include "base/job_control.hpp"
#include "oblique/moments.hpp"

namespace tw {

// A discriminant, and how well it tells the classes apart; below 0: there is none.
struct Told {
  Discriminant by;
  double score = -1;
  std::vector<u8> group = {};  // by class
};

// A class changes its group as long as the best of these exchanges lowers the entropy (Guo and Gelfand 1992).
Told best_grouping(const NodeMatrix& rows, double explained, JobControl& job);

}  // namespace tw
