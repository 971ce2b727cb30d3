// Scores turned into shares that sum up to 1.
#include "models/scores.hpp"

#include "base/numbers.hpp"

namespace tw {

void to_shares(double* scores, std::size_t n) {
  double most = kNever;
  for (std::size_t k = 0; k < n; ++k) {
    scores[k] = bounded(scores[k]);
    most = std::max(most, scores[k]);
  }
  double sum = 0;
  for (std::size_t k = 0; k < n; ++k) sum += scores[k] = as_large(scores[k], most) ? 1 : exp_of(scores[k] - most);
  for (std::size_t k = 0; k < n; ++k) scores[k] /= sum;
}

}  // namespace tw
