// The roots of Legendre polynomials by Newton's method.
#include "forest/quadrature.hpp"

#include <cmath>
#include <numbers>

namespace tw {

Quadrature quadrature(u32 n) {
  Quadrature out;
  out.at.resize(n);
  out.weight.resize(n);
  // Roots lie symmetrically around 0; the first half is found, from the largest on.
  for (u32 i = 0; i < (n + 1) / 2; ++i) {
    double x = std::cos(std::numbers::pi * (i + 0.75) / (n + 0.5));
    double slope = 1;
    // The guess is good to three digits, and every step doubles them.
    for (int step = 0; step < 6; ++step) {
      double before = 0;
      double value = 1;
      for (u32 k = 1; k <= n; ++k) {
        const double next = ((2 * k - 1.0) * x * value - (k - 1.0) * before) / k;
        before = value;
        value = next;
      }
      slope = n * (x * value - before) / (x * x - 1);
      x -= value / slope;
    }
    const double weight = 1 / ((1 - x * x) * slope * slope);
    out.at[i] = (1 - x) / 2;
    out.at[n - 1 - i] = (1 + x) / 2;
    out.weight[i] = out.weight[n - 1 - i] = weight;
  }
  return out;
}

}  // namespace tw
