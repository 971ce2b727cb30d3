// The loops of boost_sums.hpp: each of its files compiles them for its own instruction set.
#pragma once

#include <algorithm>

#include "base/exp.hpp"
#include "models/boost_sums.hpp"

namespace tw {

namespace {

struct Factors {
  double a, b, c, d;  // of four rows
};

// Four rows at a time, so that a sum is read and written a quarter as often.
inline void add_four(const double* __restrict a, const double* __restrict b, const double* __restrict c, const double* __restrict d,
                     Factors g, Factors h, std::size_t width, double* __restrict gx, double* __restrict hx, double* __restrict hxx) {
  for (std::size_t t = 0; t < width; ++t) {
    const double ha = h.a * a[t];
    const double hb = h.b * b[t];
    const double hc = h.c * c[t];
    const double hd = h.d * d[t];
    gx[t] += (g.a * a[t] + g.b * b[t]) + (g.c * c[t] + g.d * d[t]);
    hx[t] += (ha + hb) + (hc + hd);
    hxx[t] += (ha * a[t] + hb * b[t]) + (hc * c[t] + hd * d[t]);
  }
}

inline void add_products(const ProductSums& s) {
  const auto factors = [&](const double* of, std::size_t i) {
    const auto at = [&](std::size_t row) { return row < s.n_rows ? of[row] : 0; };
    return Factors{at(i), at(i + 1), at(i + 2), at(i + 3)};
  };
  // Past the end the last row is read again, times 0.
  const auto row = [&](std::size_t i) { return s.cells + std::min(i, s.n_rows - 1) * s.width; };
  for (std::size_t i = 0; i < s.n_rows; i += 4)
    for (const u32 k : s.classes)
      add_four(row(i), row(i + 1), row(i + 2), row(i + 3), factors(s.g + k * s.n_rows, i), factors(s.h + k * s.n_rows, i), s.width,
               s.gx + k * s.width, s.hx + k * s.width, s.hxx + k * s.width);
}

inline void add_centred_row(const double* __restrict x, const double* __restrict mean, double h, double g, std::size_t width,
                            double* __restrict spread, double* __restrict cross) {
  for (std::size_t t = 0; t < width; ++t) {
    const double away = x[t] - mean[t];
    spread[t] += h * away * away;
    cross[t] += g * away;
  }
}

inline void add_centred(const CentredSums& s) {
  for (std::size_t i = 0; i < s.n_rows; ++i)
    add_centred_row(s.cells + i * s.width, s.mean, s.h[i], s.g[i] - s.h[i] * s.response, s.width, s.spread, s.cross);
}

inline void take_exponentials(double* __restrict values, std::size_t n) {
  constexpr double kLeast = -708;
  for (std::size_t i = 0; i < n; ++i) {
    const double x = values[i];
    const double e = exp_inside(x < kLeast ? kLeast : x);
    values[i] = x < kLeast ? 0 : e;
  }
}

inline BoostLoops loops() { return {&add_products, &add_centred, &take_exponentials}; }

}  // namespace

}  // namespace tw
