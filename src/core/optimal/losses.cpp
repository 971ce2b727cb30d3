// Weights, class factors and losses as whole numbers; targets as steps of a grid.
#include "optimal/losses.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace tw {

namespace {

constexpr u32 kMostAnswers = 256;
constexpr int kCostBits = 52;  // of the cost of all rows
constexpr int kSumBits = 61;
constexpr int kLossBits = 61;   // of the dearest answer
constexpr int kClassBits = 59;  // of what all rows cost under the dearest answers

// The power of two that brings `largest` just below 2^bits.
int exponent_for(double largest, int bits) {
  int exponent = 0;
  std::frexp(largest, &exponent);
  return bits - exponent;
}

void renumber_classes(const Table& table, RowLosses& out) {
  std::vector<i64> place(table.target.n_classes, -1);
  for (const u32 k : table.target.class_of) place[k] = 0;
  for (u32 k = 0; k < table.target.n_classes; ++k)
    if (place[k] == 0) {
      place[k] = static_cast<i64>(out.classes.size());
      out.classes.push_back(k);
    }
  out.class_of.reserve(table.n_rows);
  for (const u32 k : table.target.class_of) out.class_of.push_back(static_cast<u32>(place[k]));
  out.n_classes = static_cast<u32>(out.classes.size());
}

// Costs of answers that occur; an answer that does not is never the cheaper one (see learn/costs.py).
void class_losses(const Table& table, const SearchSettings& settings, double cost_per_leaf, RowLosses& out) {
  renumber_classes(table, out);
  const u32 n = out.n_answers = out.n_classes;
  if (n > kMostAnswers)
    throw Invalid("the target has " + std::to_string(n) + " classes, an optimal tree is searched for at most " +
                  std::to_string(kMostAnswers) + ": merge classes, or grow a tree by TreeClassifier");
  std::vector<double> cost(std::size_t{n} * n);
  for (u32 k = 0; k < n; ++k)
    for (u32 j = 0; j < n; ++j)
      cost[std::size_t{k} * n + j] = settings.loss_of(out.classes[k], out.classes[j], table.target.n_classes) *
                                     (settings.priors.empty() ? 1 : settings.priors[out.classes[k]]);
  const double dearest = *std::max_element(cost.begin(), cost.end());
  const bool alike = settings.loss.empty() && settings.priors.empty() && table.weights.quanta.empty();
  out.unit = alike && n <= kMostUnitAnswers && table.n_rows < (1U << 30);
  const double row = table.weights.plain(table.weights.unit);
  if (out.unit) {
    for (const double c : cost) out.cost.push_back(c > 0 ? 1 : 0);
    const double leaf = cost_per_leaf / row;
    if (leaf != std::floor(leaf)) out.fine = Cost{1} << (54 - std::bit_width(table.n_rows));
    out.scale = row / static_cast<double>(out.fine);
    return;
  }
  const int bits = dearest > 0 ? exponent_for(dearest, kLossBits) : 0;
  i64 most = 0;
  for (const double c : cost) out.cost.push_back(std::llrint(std::ldexp(c, bits)));
  for (const i64 c : out.cost) most = std::max(most, c);
  out.weight.reserve(table.n_rows);
  for (Row at = 0; at < table.n_rows; ++at) out.weight.push_back(table.weights[at]);
  // The fewest bits are dropped that let the cost of all rows keep within its bits: mostly zeros.
  const auto all = static_cast<u128>(table.weights.total) * static_cast<u64>(most);
  while (all >> (out.dropped + kClassBits) != 0) ++out.dropped;
  out.scale = table.weights.plain(std::ldexp(1.0, out.dropped - bits));
  out.worth.reserve(table.n_rows);
  bool rounded = false;
  for (std::size_t j = 0; j < cost.size(); ++j) rounded = rounded || std::ldexp(static_cast<double>(out.cost[j]), -bits) != cost[j];
  for (Row at = 0; at < table.n_rows; ++at) {
    const i64* costs = out.cost.data() + std::size_t{out.class_of[at]} * n;
    out.worth.push_back(out.priced(out.weight[at], *std::max_element(costs, costs + n)));
    const auto last = (u64{1} << out.dropped) - 1;
    for (u32 j = 0; j < n; ++j) rounded = rounded || (static_cast<u64>(out.weight[at]) * static_cast<u64>(costs[j]) & last) != 0;
  }
  if (rounded) out.rounding = static_cast<Cost>(table.n_rows) + 4;
}

void squared_losses(const Table& table, RowLosses& out) {
  const std::vector<double>& y = table.target.value;
  const auto n = static_cast<std::size_t>(table.n_rows);
  const auto [low, high] = std::minmax_element(y.begin(), y.end());
  // Numbers are scaled first, so that neither they nor their squares leave the range of doubles.
  const int shift = *high > *low ? exponent_for(*high / 2 - *low / 2, 0) : 0;
  const double centre = *low / 2 + *high / 2;
  const auto scaled = [&](std::size_t i) { return std::ldexp(y[i] / 2 - centre / 2, shift + 1); };  // within (-1, 1)
  const double total = static_cast<double>(table.weights.total);
  double mean = 0;
  for (std::size_t i = 0; i < n; ++i) mean += scaled(i) * static_cast<double>(table.weights[static_cast<Row>(i)]) / total;
  double sums = 0;
  double squares = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const double w = static_cast<double>(table.weights[static_cast<Row>(i)]);
    sums += w * std::abs(scaled(i) - mean);
    squares += w * (scaled(i) - mean) * (scaled(i) - mean);
  }
  const int sum_bits = sums > 0 ? exponent_for(sums, kSumBits) : 0;
  const int cost_bits = squares > 0 ? exponent_for(squares, kCostBits) : 0;
  // No tree costs more than the root, nor does a row add more than that: with more rows the unit is coarser, and rounded up.
  const double root = 2 * std::ldexp(1.0, kCostBits);
  out.worth_bits = std::max(0, static_cast<int>(std::bit_width(n)) + kCostBits + 2 - 62);
  const double least = std::ldexp(*low / 2 - centre / 2, shift + 1) - mean;
  const double most = std::ldexp(*high / 2 - centre / 2, shift + 1) - mean;
  for (std::size_t i = 0; i < n; ++i) {
    const i64 w = table.weights[static_cast<Row>(i)];
    const double d = scaled(i) - mean;
    out.weight.push_back(w);
    out.sum.push_back(std::llrint(std::ldexp(static_cast<double>(w) * d, sum_bits)));
    out.square.push_back(static_cast<i64>(std::floor(std::ldexp(static_cast<double>(w) * d * d, cost_bits))) - 1);
    const double far = std::max(d - least, most - d);
    const double added = std::min(std::ldexp(static_cast<double>(w) * far * far, cost_bits) + 1, root);
    out.worth.push_back(static_cast<i64>(std::ceil(std::ldexp(added, -out.worth_bits))) + 1);
  }
  out.steps = std::ldexp(1.0, cost_bits - 2 * sum_bits);
  out.scale = table.weights.plain(std::ldexp(1.0, -cost_bits - 2 * shift));
  // The sum of a set of rows is off by half a step a row, which is felt times its mean.
  const double felt = static_cast<double>(n) * std::max(most, -least) * std::ldexp(1.0, cost_bits - sum_bits);
  // Costs are rounded down, row by row, which takes nothing from what is called proven.
  out.rounding = 64 + static_cast<Cost>(std::min(std::ceil(felt), std::ldexp(1.0, kCostBits)));
  out.slack = 4 * static_cast<Cost>(n) + out.rounding;
}

}  // namespace

RowLosses row_losses(const Table& table, const SearchSettings& settings, double cost_per_leaf) {
  RowLosses out;
  if (table.target.nominal())
    class_losses(table, settings, cost_per_leaf, out);
  else
    squared_losses(table, out);
  return out;
}

}  // namespace tw
