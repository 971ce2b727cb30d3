#include "soft/descend.hpp"

#include <algorithm>
#include <cmath>
#include <deque>

namespace tw {

namespace {

constexpr std::size_t kMemory = 8;  // steps that curvature is estimated from
constexpr double kFall = 1e-4;      // the share of the promised fall that a step must bring
constexpr double kFlatter = 0.9;    // and the share of the slope that may remain
constexpr int kMostTrials = 20;     // of step lengths

double product(std::span<const double> a, std::span<const double> b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

struct Step {
  std::vector<double> moved;   // of parameters
  std::vector<double> turned;  // of derivatives
  double scale;                // 1 / their product
};

// The derivatives times the estimated inverse of the curvature, downhill.
std::vector<double> direction_of(const std::deque<Step>& steps, const std::vector<double>& gradient) {
  std::vector<double> out = gradient;
  std::vector<double> alpha(steps.size());
  for (std::size_t k = steps.size(); k-- > 0;) {
    alpha[k] = steps[k].scale * product(steps[k].moved, out);
    for (std::size_t i = 0; i < out.size(); ++i) out[i] -= alpha[k] * steps[k].turned[i];
  }
  if (!steps.empty()) {
    const double length = 1 / (steps.back().scale * product(steps.back().turned, steps.back().turned));
    for (double& each : out) each *= length;
  }
  for (std::size_t k = 0; k < steps.size(); ++k) {
    const double beta = steps[k].scale * product(steps[k].turned, out);
    for (std::size_t i = 0; i < out.size(); ++i) out[i] += (alpha[k] - beta) * steps[k].moved[i];
  }
  for (double& each : out) each = -each;
  return out;
}

}  // namespace

double descend(const SmoothFunction& function, std::vector<double>& values, const Descent& settings) {
  std::vector<double> gradient(values.size());
  std::vector<double> next(values.size());
  std::vector<double> there(values.size());
  double value = function(values, gradient);
  std::deque<Step> steps;
  for (u32 iteration = 0; iteration < settings.iterations; ++iteration) {
    double largest = 0;
    for (const double each : gradient) largest = std::max(largest, std::abs(each));
    if (!(largest > settings.tolerance)) break;
    std::vector<double> direction = direction_of(steps, gradient);
    double slope = product(direction, gradient);
    if (!(slope < 0)) {  // rounding has spoilt the estimate
      if (steps.empty()) break;
      steps.clear();
      continue;
    }
    // Too long a step is halved towards the longest that was too short, which is doubled while there is no other bound.
    double length = steps.empty() ? std::min(1.0, 1 / std::sqrt(product(gradient, gradient))) : 1;
    double low = 0;
    double high = 0;
    bool found = false;
    double reached = value;
    for (int trial = 0; trial < kMostTrials; ++trial) {
      for (std::size_t i = 0; i < values.size(); ++i) next[i] = values[i] + length * direction[i];
      reached = function(next, there);
      if (!(reached <= value + kFall * length * slope)) {
        high = length;
      } else {
        found = true;
        if (product(direction, there) >= kFlatter * slope) break;
        low = length;
      }
      length = high > 0 ? (low + high) / 2 : 2 * length;
    }
    if (!found || !(reached <= value)) {
      if (steps.empty()) break;
      steps.clear();
      continue;
    }
    Step step;
    step.moved.resize(values.size());
    step.turned.resize(values.size());
    for (std::size_t i = 0; i < values.size(); ++i) {
      step.moved[i] = next[i] - values[i];
      step.turned[i] = there[i] - gradient[i];
    }
    const double curvature = product(step.moved, step.turned);
    const double fallen = value - reached;
    values.swap(next);
    gradient.swap(there);
    value = reached;
    if (curvature > 1e-12 * product(step.turned, step.turned)) {
      step.scale = 1 / curvature;
      steps.push_back(std::move(step));
      if (steps.size() > kMemory) steps.pop_front();
    }
    if (settings.enough && settings.enough(values)) break;
    if (!(fallen > 1e-10 * (std::abs(value) + 1e-300))) break;
  }
  return value;
}

}  // namespace tw
