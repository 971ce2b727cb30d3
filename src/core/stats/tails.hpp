// Logarithms of the probabilities that F and chi-square variables exceed a value: ordered and finite where the probabilities themselves
// would be 0. For comparing tests, not for what a model stores.
#pragma once

namespace tw {

// ln P(X >= f) of an F variable; 0 for f <= 0.
double log_f_tail(double f, double above, double below);

// ln P(X >= x) of a chi-square variable.
double log_chi_square_tail(double x, double degrees);

}  // namespace tw
