// What a row of each class counts under priors, class weights and losses.
#pragma once

#include "grow/settings.hpp"

namespace tw {

// Fills in the class factors of the search. They are scaled so that the whole table weighs what its rows weigh.
void set_class_factors(const Table& table, GrowSettings& settings);

}  // namespace tw
