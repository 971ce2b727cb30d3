// When the binned engine applies, and by which unit it then grows a tree.
#pragma once

#include <string>

#include "base/job_control.hpp"
#include "grow/settings.hpp"
#include "tree/tree.hpp"

namespace tw {

// The engine made for one criterion: criteria/binned says for which there is one.
struct BinnedCriterion {
  std::string name;
  Tree (*grow)(Table&, const GrowSettings&, JobControl&) = nullptr;
};

}  // namespace tw
