// What searches for linear machines and networks share.
#include "oblique/machines.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

#include "base/hash.hpp"

namespace tw {

NodeMatrix some_of(const NodeMatrix& rows, std::span<const std::size_t> features) {
  NodeMatrix out;
  out.n = rows.n;
  out.d = features.size();
  out.n_classes = rows.n_classes;
  out.weights = rows.weights;
  out.labels = rows.labels;
  out.targets = rows.targets;
  out.total = rows.total;
  out.cells.reserve(out.n * out.d);
  for (const std::size_t f : features) out.cells.insert(out.cells.end(), rows.of(f).begin(), rows.of(f).end());
  return out;
}

std::size_t least_dispersed(const Machine& machine, const NodeMatrix& rows) {
  const NodeScale scale = scale_of(rows);
  const auto k = static_cast<double>(machine.classes());
  std::size_t least = 0;
  double smallest = 0;
  for (std::size_t f = 0; f < machine.d; ++f) {
    double sum = 0;
    double squares = 0;
    for (std::size_t c = 0; c < machine.classes(); ++c) {
      const double w = machine.of(c)[f] / scale.inverse[f];
      sum += w;
      squares += w * w;
    }
    const double dispersion = squares - sum * sum / k;
    if (f == 0 || dispersion < smallest) {
      smallest = dispersion;
      least = f;
    }
  }
  return least;
}

Plane plane_of(const Machine& machine, std::span<const std::size_t> features, std::size_t d) {
  const auto spread = [&](std::size_t k) {
    std::vector<double> out(d, 0.0);
    for (std::size_t f = 0; f < features.size(); ++f) out[features[f]] = machine.of(k)[f];
    return out;
  };
  Plane out;
  if (machine.classes() == 2) {
    out.weights = spread(1);
    const std::vector<double> first = spread(0);
    for (std::size_t f = 0; f < d; ++f) out.weights[f] -= first[f];
    out.threshold = machine.constant[0] - machine.constant[1];
    return out;
  }
  for (std::size_t k = 0; k < machine.classes(); ++k) out.parts.push_back({static_cast<u32>(k), spread(k), machine.constant[k]});
  return out;
}

std::vector<u32> drawn_order(const NodeMatrix& rows, u64 draw) {
  std::vector<u64> key(rows.n, mix(draw));
  for (std::size_t f = 0; f < rows.d; ++f) {
    const auto cells = rows.of(f);
    for (std::size_t i = 0; i < rows.n; ++i) key[i] = mix(key[i] ^ std::bit_cast<u64>(cells[i] + 0.0));
  }
  for (std::size_t i = 0; i < rows.n; ++i) {
    key[i] = mix(key[i] ^ std::bit_cast<u64>(rows.weights[i]));
    if (rows.n_classes > 0) key[i] = mix(key[i] ^ rows.labels[i]);
  }
  std::vector<u32> out(rows.n);
  std::iota(out.begin(), out.end(), 0U);
  std::stable_sort(out.begin(), out.end(), [&](u32 a, u32 b) { return key[a] < key[b]; });
  return out;
}

NodeScale scale_of(const NodeMatrix& rows) {
  constexpr double kFineness = 1024;
  NodeScale out{std::vector<double>(rows.d, 0.0), std::vector<double>(rows.d, 1.0)};
  for (std::size_t f = 0; f < rows.d; ++f) {
    const auto cells = rows.of(f);
    double mean = 0;
    for (std::size_t i = 0; i < rows.n; ++i) mean += rows.weights[i] * cells[i];
    mean /= rows.total;
    double variance = 0;
    for (std::size_t i = 0; i < rows.n; ++i) variance += rows.weights[i] * (cells[i] - mean) * (cells[i] - mean);
    const double deviation = std::sqrt(variance / rows.total);
    int power = 0;
    if (deviation > 1e-12 * (1 + std::abs(mean)))
      if (std::frexp(deviation, &power) < 0x1.6a09e667f3bcdp-1) --power;  // the nearer of two powers of two
    out.inverse[f] = std::ldexp(1.0, -power);
    out.centre[f] = std::round(mean * out.inverse[f] * kFineness) / kFineness / out.inverse[f];
  }
  return out;
}

}  // namespace tw
