// What a row of each class counts under priors, class weights and losses.
#pragma once

#include "grow/settings.hpp"

namespace tw {

// Whether rows of some class count other than one each.
bool weighs_classes(const GrowSettings& settings);

// The weight of every class of a table, in quanta.
std::vector<double> weights_by_class(const Table& table);

// Fills in the class factors of the search. They are scaled so that the whole table, of these weights, weighs what its rows weigh.
void set_class_factors(const std::vector<double>& weight, GrowSettings& settings);

}  // namespace tw
