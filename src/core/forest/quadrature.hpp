// Points and weights by which the integral from 0 to 1 of a polynomial is a finite sum (Gauss and Legendre).
#pragma once

#include <vector>

#include "base/types.hpp"

namespace tw {

struct Quadrature {
  std::vector<double> at;      // inside (0, 1), ascending
  std::vector<double> weight;  // above 0, their sum is 1
};

// Exact for polynomials of degree below 2 n.
Quadrature quadrature(u32 n);

}  // namespace tw
