// Loops over the rows that NumPy would make a pass of each operation.
#include "forest/reweigh.hpp"

#include "models/exact_sum.hpp"

namespace tw {

double exact_sum_where(std::span<const double> values, const bool* where) {
  ExactSum sum;
  for (std::size_t i = 0; i < values.size(); ++i)
    if (where[i]) sum.add(values[i]);
  return sum.value();
}

std::vector<double> reweighed(std::span<const double> weights, const bool* where, double factor, double total) {
  std::vector<double> out(weights.size());
  ExactSum sum;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    out[i] = where[i] ? weights[i] * factor : weights[i];
    sum.add(out[i]);
  }
  const double scale = total / sum.value();
  for (double& weight : out) weight *= scale;
  return out;
}

}  // namespace tw
