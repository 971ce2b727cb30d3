// From a table to a tree.
#pragma once

#include "base/job_control.hpp"
#include "grow/settings.hpp"
#include "tree/tree.hpp"

namespace tw {

// Grows a tree; the same one for any engine and any number of threads. Columns that others hold as well are not changed: whoever has no
// further use for a table moves it here and saves its memory.
Tree grow(Table table, GrowSettings settings, JobControl& job);

// Puts limits in the unit of the table's weights and the classes' factors beside them; columns that settings want in intervals are
// discretised.
void fit_settings(Table& table, GrowSettings& settings);
// The same of a table whose rows lie elsewhere: the weight of every class, in quanta.
void fit_settings(Table& table, const std::vector<double>& by_class, GrowSettings& settings);

}  // namespace tw
