// The one entrance: the best tree of a table within limits, or the best that was found in the time there was, and what is proven of it.
#pragma once

#include "base/job_control.hpp"
#include "optimal/settings.hpp"
#include "table/table.hpp"

namespace tw {

OptimalOutcome optimal_tree(const Table& table, const OptimalSettings& settings, JobControl& job);

}  // namespace tw
