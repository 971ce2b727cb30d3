// Cholesky's factor and Jacobi's rotations.
#include "oblique/solve.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace tw {

std::optional<Symmetric> factor_of(const Symmetric& matrix, const JobControl& job) {
  constexpr double kLeastPivot = 1e-10;  // of the diagonal: what is left of a column beside those before it
  const std::size_t n = matrix.size;
  Symmetric out(n);
  for (std::size_t i = 0; i < n; ++i) {
    job.check();
    for (std::size_t j = 0; j <= i; ++j) {
      double sum = matrix(i, j);
      for (std::size_t k = 0; k < j; ++k) sum -= out(i, k) * out(j, k);
      if (i != j) {
        out(i, j) = sum / out(j, j);
      } else {
        if (!(sum > kLeastPivot * matrix(i, i)) || !std::isfinite(sum)) return std::nullopt;
        out(i, i) = std::sqrt(sum);
      }
    }
  }
  return out;
}

std::vector<double> solve(const Symmetric& factor, std::span<const double> b) {
  const std::size_t n = factor.size;
  std::vector<double> x(b.begin(), b.end());
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t k = 0; k < i; ++k) x[i] -= factor(i, k) * x[k];
    x[i] /= factor(i, i);
  }
  for (std::size_t i = n; i-- > 0;) {
    for (std::size_t k = i + 1; k < n; ++k) x[i] -= factor(k, i) * x[k];
    x[i] /= factor(i, i);
  }
  return x;
}

Axes axes_of(Symmetric a, const JobControl& job) {
  constexpr int kMostRounds = 60;
  const std::size_t n = a.size;
  Symmetric v(n);
  for (std::size_t i = 0; i < n; ++i) v(i, i) = 1;
  double whole = 0;
  for (const double x : a.cells) whole += x * x;
  for (int round = 0; round < kMostRounds; ++round) {
    double off = 0;
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < i; ++j) off += a(i, j) * a(i, j);
    if (!(off > 1e-24 * whole)) break;
    for (std::size_t p = 0; p + 1 < n; ++p) {
      job.check();
      for (std::size_t q = p + 1; q < n; ++q) {
        if (a(p, q) == 0) continue;
        const double theta = (a(q, q) - a(p, p)) / (2 * a(p, q));
        const double t = (theta >= 0 ? 1 : -1) / (std::abs(theta) + std::sqrt(theta * theta + 1));
        const double c = 1 / std::sqrt(t * t + 1);
        const double s = t * c;
        for (std::size_t k = 0; k < n; ++k) {
          const double x = a(k, p);
          const double y = a(k, q);
          a(k, p) = c * x - s * y;
          a(k, q) = s * x + c * y;
        }
        for (std::size_t k = 0; k < n; ++k) {
          const double x = a(p, k);
          const double y = a(q, k);
          a(p, k) = c * x - s * y;
          a(q, k) = s * x + c * y;
          const double z = v(p, k);
          const double w = v(q, k);
          v(p, k) = c * z - s * w;
          v(q, k) = s * z + c * w;
        }
      }
    }
  }
  std::vector<std::size_t> order(n);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t i, std::size_t j) { return a(i, i) > a(j, j); });
  Axes out{std::vector<double>(n), Symmetric(n)};
  for (std::size_t i = 0; i < n; ++i) {
    out.values[i] = a(order[i], order[i]);
    std::copy_n(v.cells.begin() + static_cast<std::ptrdiff_t>(order[i] * n), n,
                out.axes.cells.begin() + static_cast<std::ptrdiff_t>(i * n));
  }
  return out;
}

}  // namespace tw
