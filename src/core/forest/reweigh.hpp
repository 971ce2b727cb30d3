// Weights of rows from one member of boosting to the next.
#pragma once

#include <span>
#include <vector>

namespace tw {

// The sum of some values, with twice the digits.
double exact_sum_where(std::span<const double> values, const bool* where);

// The weights, of some rows times a factor, scaled to a total.
std::vector<double> reweighed(std::span<const double> weights, const bool* where, double factor, double total);

}  // namespace tw
