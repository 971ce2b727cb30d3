// The inner loops of boosting, once per instruction set: the same additions in the same order, more of them at once.
#pragma once

#include <span>

#include "base/types.hpp"

namespace tw {

// Rows of terms; per class and row two factors, g and h; per class and term the sums of g x, h x and h x x, which are added to.
struct ProductSums {
  const double* cells;
  std::size_t n_rows;
  std::size_t width;
  std::span<const u32> classes;  // those that are summed up
  const double* g;
  const double* h;
  double* gx;
  double* hx;
  double* hxx;
};

// Per term the sums of h (x - mean)^2 and (g - h response) (x - mean), which are added to.
struct CentredSums {
  const double* cells;
  std::size_t n_rows;
  std::size_t width;
  const double* g;
  const double* h;
  double response;
  const double* mean;
  double* spread;
  double* cross;
};

struct BoostLoops {
  void (*products)(const ProductSums& sums);
  void (*centred)(const CentredSums& sums);
  void (*exponentials)(double* values, std::size_t n);  // in place, of numbers up to 0
};

const BoostLoops& boost_loops();
BoostLoops boost_loops_avx2();

}  // namespace tw
