#include "soft/model.hpp"

#include <algorithm>
#include <numeric>

namespace tw {

double SoftRows::total() const { return std::accumulate(weights.begin(), weights.end(), 0.0); }

SoftRows SoftRows::part(std::span<const u32> places) const {
  SoftRows out;
  out.n = places.size();
  out.d = d;
  out.n_classes = n_classes;
  out.cells.resize(out.n * d);
  for (std::size_t j = 0; j < d; ++j)
    for (std::size_t i = 0; i < out.n; ++i) out.cells[j * out.n + i] = cells[j * n + places[i]];
  for (const u32 i : places) {
    out.weights.push_back(weights[i]);
    if (n_classes > 0)
      out.classes.push_back(classes[i]);
    else
      out.numbers.push_back(numbers[i]);
  }
  return out;
}

SoftTree SoftTree::single(std::size_t inputs, std::span<const double> answer) {
  return {inputs, answer.size(), {0}, {0}, {answer.begin(), answer.end()}};
}

SoftTree SoftTree::stump(std::size_t inputs, std::size_t outputs, std::vector<double> values) {
  return {inputs, outputs, {1, 0, 0}, {0, inputs + 1, inputs + 1 + outputs}, std::move(values)};
}

void SoftTree::split(std::size_t node, const SoftTree& stump) {
  first[node] = static_cast<u32>(size());
  at[node] = values.size();
  const std::span<const double> gate = stump.of(0);
  values.insert(values.end(), gate.begin(), gate.end());
  for (const std::size_t child : {std::size_t{1}, std::size_t{2}}) {
    first.push_back(0);
    at.push_back(values.size());
    const std::span<const double> answer = stump.of(child);
    values.insert(values.end(), answer.begin(), answer.end());
  }
}

}  // namespace tw
