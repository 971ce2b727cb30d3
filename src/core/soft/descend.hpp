// The least of a smooth function by its derivatives: BFGS with limited memory (Nocedal 1980), steps by the conditions of Wolfe.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "base/types.hpp"

namespace tw {

struct Descent {
  u32 iterations = 100;
  double tolerance = 1e-5;  // ends where no derivative is larger than this
  // Asked after every step with the parameters; true: this was the last one.
  std::function<bool(std::span<const double>)> enough;
};

using SmoothFunction = std::function<double(std::span<const double>, std::span<double>)>;

// Moves the parameters downhill; the value there.
double descend(const SmoothFunction& function, std::vector<double>& values, const Descent& settings);

}  // namespace tw
