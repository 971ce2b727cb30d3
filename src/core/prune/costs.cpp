// Checks what rows count and what answers cost.
#include "prune/costs.hpp"

#include <cmath>
#include <utility>

#include "base/errors.hpp"

namespace tw {

namespace {

Measure measure_of(const std::string& name) {
  if (name == "variance") return Measure::squares;
  if (name == "absolute") return Measure::absolute;
  if (name == "deviance") return Measure::deviance;
  throw Invalid("errors are not measured by " + name);
}

}  // namespace

Costs::Costs(std::vector<double> factors, std::vector<double> losses, const std::string& name)
    : factor(std::move(factors)), loss(std::move(losses)), measure(measure_of(name)) {
  for (const std::vector<double>* values : {&factor, &loss})
    for (const double value : *values)
      if (!(value >= 0 && std::isfinite(value))) throw Invalid("losses and factors of classes must be finite numbers from 0 up");
}

void Costs::check(const Tree& tree) const {
  const std::size_t n = tree.n_classes;
  if ((!loss.empty() && loss.size() != n * n) || (!factor.empty() && factor.size() != n))
    throw Invalid("the losses do not fit the classes");
}

}  // namespace tw
