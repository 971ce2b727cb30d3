#include "soft/starts.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

#include "base/hash.hpp"

namespace tw {

namespace {

constexpr double kSlope = 2;     // of a gate at the beginning, per deviation of what it cuts
constexpr double kFarthest = 3;  // answers move at most so far by the step at the beginning

// The loss of every row by what the leaf says, to the second order.
struct Slopes {
  std::vector<double> first, second;  // by output
  std::size_t outputs = 0;
};

Slopes slopes_of(const SoftLeaf& leaf) {
  const SoftRows& rows = leaf.rows;
  Slopes out;
  out.outputs = leaf.answer.size();
  std::vector<double> answers = leaf.place.offset;
  for (std::size_t k = 0; k < out.outputs; ++k)
    for (std::size_t i = 0; i < rows.n; ++i) answers[k * rows.n + i] += leaf.place.scale[i] * leaf.answer[k];
  soft_slopes(rows, answers, out.first, out.second);
  for (std::size_t k = 0; k < out.outputs; ++k)
    for (std::size_t i = 0; i < rows.n; ++i) {
      out.first[k * rows.n + i] *= leaf.place.scale[i];
      out.second[k * rows.n + i] *= leaf.place.scale[i] * leaf.place.scale[i];
    }
  return out;
}

struct Cut {
  double at = 0;
  double merit = 0;
  std::vector<double> below, above;  // steps of the answers
};

// The best cut of a number that rows have.
std::optional<Cut> best_cut(const std::vector<double>& value, const Slopes& slopes, double penalty) {
  const std::size_t n = value.size();
  const std::size_t outputs = slopes.outputs;
  std::vector<u32> order(n);
  std::iota(order.begin(), order.end(), 0U);
  std::stable_sort(order.begin(), order.end(), [&](u32 a, u32 b) { return value[a] < value[b]; });
  std::vector<double> whole_first(outputs, 0), whole_second(outputs, 0), first(outputs, 0), second(outputs, 0);
  for (std::size_t k = 0; k < outputs; ++k)
    for (std::size_t i = 0; i < n; ++i) {
      whole_first[k] += slopes.first[k * n + i];
      whole_second[k] += slopes.second[k * n + i];
    }
  std::optional<Cut> best;
  std::size_t best_at = 0;
  for (std::size_t r = 0; r + 1 < n; ++r) {
    double merit = 0;
    for (std::size_t k = 0; k < outputs; ++k) {
      first[k] += slopes.first[k * n + order[r]];
      second[k] += slopes.second[k * n + order[r]];
      const double rest = whole_first[k] - first[k];
      merit += first[k] * first[k] / (second[k] + penalty) + rest * rest / (std::max(whole_second[k] - second[k], 0.0) + penalty);
    }
    if (!(value[order[r]] < value[order[r + 1]]) || (best && !(merit > best->merit))) continue;
    if (!best) best.emplace();
    best->merit = merit;
    best_at = r;
  }
  if (!best) return best;
  best->at = (value[order[best_at]] + value[order[best_at + 1]]) / 2;
  for (std::size_t k = 0; k < outputs; ++k) {
    double g = 0;
    double h = 0;
    for (std::size_t r = 0; r <= best_at; ++r) {
      g += slopes.first[k * n + order[r]];
      h += slopes.second[k * n + order[r]];
    }
    best->below.push_back(std::clamp(-g / (h + penalty), -kFarthest, kFarthest));
    best->above.push_back(std::clamp(-(whole_first[k] - g) / (std::max(whole_second[k] - h, 0.0) + penalty), -kFarthest, kFarthest));
  }
  return best;
}

// The stump that passes what lies below a cut to the left.
SoftTree stump_at(const SoftLeaf& leaf, const Cut& cut, std::vector<double> direction, double slope) {
  for (double& w : direction) w *= -slope;
  direction.push_back(slope * cut.at);
  for (const auto* steps : {&cut.below, &cut.above})
    for (std::size_t k = 0; k < leaf.answer.size(); ++k) direction.push_back(leaf.answer[k] + (*steps)[k]);
  return SoftTree::stump(leaf.rows.d, leaf.answer.size(), std::move(direction));
}

// The cut across a direction, which is made as long as gives sums a deviation of 1.
std::optional<SoftTree> stump_across(const SoftLeaf& leaf, const Slopes& slopes, std::vector<double> direction, double penalty) {
  const SoftRows& rows = leaf.rows;
  std::vector<double> value(rows.n, 0);
  for (std::size_t j = 0; j < rows.d; ++j)
    for (std::size_t i = 0; i < rows.n; ++i) value[i] += direction[j] * rows.cells[j * rows.n + i];
  double weight = 0, mean = 0, square = 0;
  for (std::size_t i = 0; i < rows.n; ++i) {
    const double w = rows.weights[i] * leaf.place.scale[i];
    weight += w;
    mean += w * value[i];
    square += w * value[i] * value[i];
  }
  const double deviation = std::sqrt(std::max(square / weight - (mean / weight) * (mean / weight), 0.0));
  if (!(deviation > 1e-9) || !std::isfinite(deviation)) return std::nullopt;
  for (double& w : direction) w /= deviation;
  for (double& v : value) v /= deviation;
  const std::optional<Cut> cut = best_cut(value, slopes, penalty);
  if (!cut) return std::nullopt;
  return stump_at(leaf, *cut, std::move(direction), kSlope);
}

// About a normal number: the sum of twelve uniform ones.
double normal(u64 path) {
  double sum = -6;
  for (u64 k = 0; k < 12; ++k) sum += static_cast<double>(mix(path, k) >> 11) * 0x1p-53;
  return sum;
}

}  // namespace

std::vector<SoftTree> soft_starts(const SoftLeaf& leaf, const SoftSettings& settings, u64 path) {
  const SoftRows& rows = leaf.rows;
  const Slopes slopes = slopes_of(leaf);
  const double penalty = std::max(settings.penalty, 1e-6);
  std::vector<SoftTree> out;
  std::optional<Cut> best;
  std::size_t best_column = 0;
  std::vector<double> gradient(rows.d, 0);
  std::vector<double> loudest(rows.d, 0);
  for (std::size_t j = 0; j < rows.d; ++j) {
    const std::span<const double> cells = rows.column(j);
    const std::optional<Cut> cut = best_cut({cells.begin(), cells.end()}, slopes, penalty);
    if (cut && (!best || cut->merit > best->merit)) {
      best = cut;
      best_column = j;
    }
  }
  if (best) {
    std::vector<double> direction(rows.d, 0);
    direction[best_column] = 1;
    out.push_back(stump_at(leaf, *best, std::move(direction), kSlope));
  }
  // By output; that one counts along which the loss changes most.
  double most = 0;
  for (std::size_t k = 0; k < slopes.outputs; ++k) {
    double length = 0;
    for (std::size_t j = 0; j < rows.d; ++j) {
      gradient[j] = 0;
      for (std::size_t i = 0; i < rows.n; ++i) gradient[j] += slopes.first[k * rows.n + i] * rows.cells[j * rows.n + i];
      length += gradient[j] * gradient[j];
    }
    if (length > most) {
      most = length;
      loudest = gradient;
    }
  }
  if (auto stump = stump_across(leaf, slopes, loudest, penalty)) out.push_back(std::move(*stump));
  for (u32 r = 0; r < settings.restarts; ++r) {
    std::vector<double> direction(rows.d);
    for (std::size_t j = 0; j < rows.d; ++j) direction[j] = normal(mix(mix(path, r), j));
    if (auto stump = stump_across(leaf, slopes, std::move(direction), penalty)) out.push_back(std::move(*stump));
  }
  return out;
}

}  // namespace tw
