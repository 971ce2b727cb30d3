// Sums of products of features, and Fisher's discriminant.
#include "oblique/moments.hpp"

#include <algorithm>
#include <cmath>

namespace tw {

void Moments::add(const Moments& other) {
  if (!(other.weight > 0)) return;
  const std::size_t d = mean.size();
  const double all = weight + other.weight;
  const double share = weight * other.weight / all;
  for (std::size_t i = 0; i < d; ++i)
    for (std::size_t j = 0; j < d; ++j)
      scatter(i, j) += other.scatter(i, j) + share * (other.mean[i] - mean[i]) * (other.mean[j] - mean[j]);
  for (std::size_t i = 0; i < d; ++i) mean[i] += (other.mean[i] - mean[i]) * (other.weight / all);
  weight = all;
}

std::vector<Moments> moments_by_class(const NodeMatrix& rows, const JobControl& job) {
  std::vector<Moments> out(rows.n_classes, Moments(rows.d));
  std::vector<std::vector<u32>> members(rows.n_classes);
  for (std::size_t i = 0; i < rows.n; ++i) members[rows.labels[i]].push_back(static_cast<u32>(i));
  constexpr std::size_t kRows = 256;
  std::vector<double> block(rows.d * kRows);
  std::vector<double> weighted(kRows);
  for (std::size_t k = 0; k < out.size(); ++k) {
    Moments& one = out[k];
    for (const u32 i : members[k]) one.weight += rows.weights[i];
    for (std::size_t f = 0; f < rows.d; ++f) {
      double sum = 0;
      for (const u32 i : members[k]) sum += rows.weights[i] * rows.of(f)[i];
      one.mean[f] = sum / one.weight;
    }
    for (std::size_t begin = 0; begin < members[k].size(); begin += kRows) {
      const std::size_t n = std::min(kRows, members[k].size() - begin);
      for (std::size_t f = 0; f < rows.d; ++f)
        for (std::size_t i = 0; i < n; ++i) block[f * kRows + i] = rows.of(f)[members[k][begin + i]] - one.mean[f];
      for (std::size_t f = 0; f < rows.d; ++f) {
        job.check();
        for (std::size_t i = 0; i < n; ++i) weighted[i] = rows.weights[members[k][begin + i]] * block[f * kRows + i];
        for (std::size_t g = 0; g <= f; ++g) {
          const double* other = block.data() + g * kRows;
          double part[4] = {0, 0, 0, 0};  // apart, so that they need not wait for each other
          std::size_t i = 0;
          for (; i + 4 <= n; i += 4)
            for (std::size_t lane = 0; lane < 4; ++lane) part[lane] += weighted[i + lane] * other[i + lane];
          for (; i < n; ++i) part[0] += weighted[i] * other[i];
          one.scatter(f, g) += (part[0] + part[1]) + (part[2] + part[3]);
        }
      }
    }
    for (std::size_t f = 0; f < rows.d; ++f)
      for (std::size_t g = f + 1; g < rows.d; ++g) one.scatter(f, g) = one.scatter(g, f);
  }
  return out;
}

namespace {

std::vector<double> among_components(const Moments& first, const Moments& second, const Symmetric& within, std::span<const double> apart,
                                     double explained, const JobControl& job) {
  Moments all = first;
  all.add(second);
  const Axes axes = axes_of(all.scatter, job);
  double whole = 0;
  for (const double value : axes.values) whole += std::max(value, 0.0);
  const std::size_t d = apart.size();
  std::size_t kept = 0;
  double sum = 0;
  while (kept < d && axes.values[kept] > 1e-10 * whole && sum < explained * whole) sum += axes.values[kept++];
  std::vector<double> direction(d, 0.0);
  while (kept > 0) {
    Symmetric inside(kept);
    std::vector<double> seen(kept, 0.0);
    for (std::size_t p = 0; p < kept; ++p) {
      job.check();
      std::vector<double> turned(d, 0.0);
      for (std::size_t i = 0; i < d; ++i) {
        seen[p] += axes.axes(p, i) * apart[i];
        for (std::size_t j = 0; j < d; ++j) turned[i] += within(i, j) * axes.axes(p, j);
      }
      for (std::size_t q = 0; q < kept; ++q)
        for (std::size_t i = 0; i < d; ++i) inside(p, q) += axes.axes(q, i) * turned[i];
    }
    if (const auto factor = factor_of(inside, job)) {
      const std::vector<double> x = solve(*factor, seen);
      for (std::size_t p = 0; p < kept; ++p)
        for (std::size_t i = 0; i < d; ++i) direction[i] += x[p] * axes.axes(p, i);
      return direction;
    }
    --kept;
  }
  return {apart.begin(), apart.end()};
}

}  // namespace

Discriminant discriminant_of(const Moments& first, const Moments& second, double explained, const JobControl& job) {
  const std::size_t d = first.mean.size();
  const double weight = first.weight + second.weight;
  Symmetric within(d);
  for (std::size_t c = 0; c < within.cells.size(); ++c) within.cells[c] = (first.scatter.cells[c] + second.scatter.cells[c]) / weight;
  std::vector<double> apart(d);
  for (std::size_t i = 0; i < d; ++i) apart[i] = second.mean[i] - first.mean[i];
  const auto factor = factor_of(within, job);
  Discriminant out;
  out.weights = factor ? solve(*factor, apart) : among_components(first, second, within, apart, explained, job);
  for (std::size_t i = 0; i < d; ++i) out.threshold += out.weights[i] * (first.mean[i] + second.mean[i]) / 2;
  // Without a covariance the direction has no scale that chances could be compared on.
  if (factor) out.threshold -= std::log(second.weight / first.weight);
  return out;
}

}  // namespace tw
