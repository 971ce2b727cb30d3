// Symmetric matrices, row by row: systems of equations and principal axes. Whatever takes cubic time can be ended on request.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "base/job_control.hpp"
#include "base/types.hpp"

namespace tw {

struct Symmetric {
  std::size_t size = 0;
  std::vector<double> cells;

  explicit Symmetric(std::size_t n) : size(n), cells(n * n, 0.0) {}
  double& operator()(std::size_t i, std::size_t j) { return cells[i * size + j]; }
  double operator()(std::size_t i, std::size_t j) const { return cells[i * size + j]; }
};

// The lower factor of a positive definite matrix (Cholesky); nothing where it is singular, or nearly.
std::optional<Symmetric> factor_of(const Symmetric& matrix, const JobControl& job);

// x of L Lᵀ x = b.
std::vector<double> solve(const Symmetric& factor, std::span<const double> b);

// Axes of a symmetric matrix by Jacobi's rotations, the largest value first: row i of `axes` belongs to `values[i]`.
struct Axes {
  std::vector<double> values;
  Symmetric axes;
};
Axes axes_of(Symmetric matrix, const JobControl& job);

}  // namespace tw
