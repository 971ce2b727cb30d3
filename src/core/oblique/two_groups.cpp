// Two-means of class means, and quadratic discriminants of one number.
#include "oblique/two_groups.hpp"

#include <algorithm>
#include <cmath>

namespace tw {

std::vector<u8> two_groups(const std::vector<double>& means, std::size_t width, std::span<const double> weights) {
  const std::size_t k = weights.size();
  std::vector<u8> group(k, 0);
  const auto apart = [&](const double* a, const double* b) {
    double sum = 0;
    for (std::size_t f = 0; f < width; ++f) sum += (a[f] - b[f]) * (a[f] - b[f]);
    return sum;
  };
  std::size_t first = 0;
  std::size_t second = 0;
  double most = 0;
  for (std::size_t a = 0; a < k; ++a)
    for (std::size_t b = a + 1; b < k; ++b)
      if (const double here = apart(&means[a * width], &means[b * width]); here > most * (1 + 1e-12)) {
        most = here;
        first = a;
        second = b;
      }
  if (!(most > 0)) {
    group[static_cast<std::size_t>(std::max_element(weights.begin(), weights.end()) - weights.begin())] = 1;
    return group;
  }
  std::vector<double> centre(means.begin() + static_cast<std::ptrdiff_t>(first * width),
                             means.begin() + static_cast<std::ptrdiff_t>((first + 1) * width));
  centre.insert(centre.end(), means.begin() + static_cast<std::ptrdiff_t>(second * width),
                means.begin() + static_cast<std::ptrdiff_t>((second + 1) * width));
  for (int round = 0; round < 100; ++round) {
    std::vector<u8> next(k);
    for (std::size_t c = 0; c < k; ++c) next[c] = apart(&means[c * width], &centre[width]) < apart(&means[c * width], centre.data());
    next[first] = 0;
    next[second] = 1;
    if (round > 0 && next == group) break;
    group = next;
    std::fill(centre.begin(), centre.end(), 0.0);
    double count[2] = {0, 0};
    for (std::size_t c = 0; c < k; ++c) {
      ++count[group[c]];
      for (std::size_t f = 0; f < width; ++f) centre[group[c] * width + f] += means[c * width + f];
    }
    for (std::size_t f = 0; f < 2 * width; ++f) centre[f] /= count[f / width];
  }
  return group;
}

double place_between(const Normal& one, const Normal& other) {
  const Normal& a = one.mean <= other.mean ? one : other;
  const Normal& b = one.mean <= other.mean ? other : one;
  const double middle = a.mean + (b.mean - a.mean) / 2;
  const double va = a.variance;
  const double vb = b.variance;
  if (!(va > 0) || !(vb > 0)) {
    // A group without spread: just beside it.
    if (va > 0 || !(vb > 0)) return vb > 0 || va > 0 ? b.mean - 1e-9 * (b.mean - a.mean) : middle;
    return a.mean + 1e-9 * (b.mean - a.mean);
  }
  // Equal densities: p x^2 + q x + r = 0 around the middle, where the numbers stay small.
  const double ma = a.mean - middle;
  const double mb = b.mean - middle;
  const double p = va - vb;
  const double q = 2 * (ma * vb - mb * va);
  const double r = mb * mb * va - ma * ma * vb + va * vb * (2 * std::log(a.weight / b.weight) + std::log(vb / va));
  double found = 0;
  if (std::abs(p) <= 1e-12 * (va + vb)) {
    if (q != 0) found = -r / q;
  } else {
    const double inside = q * q - 4 * p * r;
    if (!(inside >= 0)) return middle;
    const double root = std::sqrt(inside);
    const double low = (-q - root) / (2 * p);
    const double high = (-q + root) / (2 * p);
    found = low >= ma && low <= mb ? low : high;
  }
  return found >= ma && found <= mb ? middle + found : middle;
}

}  // namespace tw
