// Least squares with terms dropped while that pays (Quinlan 1992; Wang and Witten 1997).
#pragma once

#include <vector>

#include "models/terms.hpp"

namespace tw {

struct Fitted {
  double intercept = 0;
  std::vector<Term> terms;
  std::vector<double> coefficients;
  double error = 0;  // sum of squared residuals, or of absolute ones: see Dropping
};

// `akaike`: while Akaike's criterion falls, the term of the smallest standardised coefficient is dropped, after terms whose coefficients
// show that they are collinear (M5'). `estimate`: while (n + v) / (n - v) times the mean absolute residual does not rise (M5).
enum class Dropping : u8 { akaike, estimate };

// Rows as models read them, with targets and weights (none: 1 each).
struct ModelRows {
  const std::vector<double>& cells;
  std::size_t width;
  const std::vector<double>& target;
  const std::vector<double>& weights;

  const double* row(std::size_t at) const { return cells.data() + at * width; }
  double weight(std::size_t at) const { return weights.empty() ? 1 : weights[at]; }
};

// Fits the target of the rows from `begin` to `end`; without terms the mean.
Fitted regress(const ModelRows& rows, std::size_t begin, std::size_t end, const std::vector<Term>& terms, Dropping dropping);

// Sums over rows, taken in another order, differ in their last digits; conditioning makes that up to about 1e-12 of what is summed. Errors,
// deviations and coefficients that differ by no more than this fraction of their scale (the deviation, standardised terms) are equal: the
// rule for ties decides, not the order of rows.
constexpr double kAlike = 1e-10;

// The factor by which the error of a model of n rows and v parameters is taken to be larger on other rows (times: 2 in M5', 1 in M5).
double adjusted(double n, double v, double times);

}  // namespace tw
