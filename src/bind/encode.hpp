// A table from Python as the engines read it.
#pragma once

#include "bind/table_input.hpp"
#include "grow/settings.hpp"

namespace tw::bind {

Table encode(const TableInput& input, const GrowSettings& settings, const JobControl& job);

}  // namespace tw::bind
