// A table from Python as the engines read it.
#pragma once

#include "bind/table_input.hpp"
#include "grow/settings.hpp"

namespace tw::bind {

// `binned`: the columns in bins, where the table is to be in bins; they are looked at as long as the table is.
Table encode(const TableInput& input, const GrowSettings& settings, const JobControl& job, const BinnedCells* binned = nullptr);

// The columns in bins where the settings want them so; otherwise nothing.
std::shared_ptr<const BinnedCells> bins_for(const TableInput& input, const GrowSettings& settings, const JobControl& job);

}  // namespace tw::bind
