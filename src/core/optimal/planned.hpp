// From the plan of a search to a tree like any other.
#pragma once

#include "optimal/plan.hpp"
#include "optimal/views.hpp"

namespace tw {

Tree planned_tree(const Table& table, const SearchSettings& settings, const Views& views, const Plan& plan);

}  // namespace tw
