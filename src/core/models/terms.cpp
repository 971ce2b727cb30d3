// Fills, spreads and orders of levels learned from a table, rows read by them, and their validation.
#include "models/terms.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/errors.hpp"

namespace tw {

namespace {

void learn_numeric(const View& cells, const std::vector<double>& weights, std::size_t n, Terms& terms) {
  // Sums are of cells divided by a power of two as large as the largest of them: none overflows.
  double largest = 0;
  for (std::size_t row = 0; row < n; ++row) {
    const double cell = std::fabs(cells.number(row));
    if (cell > largest) largest = cell;
  }
  int exponent = 0;
  std::frexp(largest, &exponent);
  double weight = 0;
  double mean = 0;
  // A first mean and one correction: nothing is lost by cancellation.
  for (int pass = 0; pass < 2; ++pass) {
    double sum = 0;
    weight = 0;
    for (std::size_t row = 0; row < n; ++row) {
      const double cell = cells.number(row);
      if (cell != cell) continue;
      const double w = weights.empty() ? 1 : weights[row];
      weight += w;
      sum += w * (std::ldexp(cell, -exponent) - mean);
    }
    if (weight > 0) mean += sum / weight;
  }
  double squares = 0;
  for (std::size_t row = 0; row < n; ++row) {
    const double away = std::ldexp(cells.number(row), -exponent) - mean;
    if (away == away) squares += (weights.empty() ? 1 : weights[row]) * away * away;
  }
  terms.fill.push_back(std::ldexp(mean, exponent));
  terms.spread.push_back(weight > 0 ? std::ldexp(std::sqrt(squares / weight), exponent) : 0);
  terms.rank_begin.push_back(static_cast<u32>(terms.rank.size()));
}

void learn_nominal(const View& cells, u32 n_levels, const std::vector<double>& target, const std::vector<double>& weights, Terms& terms) {
  std::vector<double> weight(n_levels, 0);
  std::vector<double> filled(n_levels, 0);
  std::vector<double> sum(n_levels, 0);
  double missing = 0;
  double missing_sum = 0;
  double all = 0;
  double middle = 0;
  for (std::size_t row = 0; row < target.size(); ++row) {
    all += weights.empty() ? 1 : weights[row];
    middle += (weights.empty() ? 1 : weights[row]) * target[row];
  }
  middle /= all;
  double farthest = 0;
  for (std::size_t row = 0; row < target.size(); ++row) {
    const double cell = cells.number(row);
    const double w = weights.empty() ? 1 : weights[row];
    const double away = target[row] - middle;
    farthest = std::max(farthest, std::fabs(away));
    if (cell >= 0 && cell < n_levels) {
      weight[static_cast<u32>(cell)] += w;
      sum[static_cast<u32>(cell)] += w * away;
    } else {
      missing += w;
      missing_sum += w * away;
    }
  }
  const auto most = static_cast<std::size_t>(std::max_element(weight.begin(), weight.end()) - weight.begin());
  terms.fill.push_back(static_cast<double>(n_levels == 0 ? 0 : most));
  terms.spread.push_back(0);
  if (n_levels > 0) {
    // Missing cells count under the level they are filled with.
    weight[most] += missing;
    sum[most] += missing_sum;
  }
  std::vector<double> mean(n_levels);
  for (u32 level = 0; level < n_levels; ++level) mean[level] = weight[level] > 0 ? sum[level] / weight[level] : 0;
  std::vector<u32> order(n_levels);
  std::iota(order.begin(), order.end(), 0U);
  std::stable_sort(order.begin(), order.end(), [&](u32 a, u32 b) { return mean[a] < mean[b]; });
  // Means that differ by rounding are equal: such levels keep their declared order.
  for (auto first = order.begin(); first != order.end();) {
    const auto last = std::find_if(first, order.end(), [&](u32 level) { return mean[level] > mean[*first] + 1e-12 * farthest; });
    std::sort(first, last);
    first = last;
  }
  terms.rank.resize(terms.rank.size() + n_levels);
  for (u32 place = 0; place < n_levels; ++place) terms.rank[terms.rank.size() - n_levels + order[place]] = place;
  terms.rank_begin.push_back(static_cast<u32>(terms.rank.size()));
}

}  // namespace

Terms learn_terms(const std::vector<View>& cells, const std::vector<Kind>& kinds, const std::vector<u32>& levels,
                  const std::vector<double>& target, const std::vector<double>& weights) {
  Terms terms;
  terms.rank_begin.push_back(0);
  for (std::size_t j = 0; j < cells.size(); ++j) {
    terms.kind.push_back(static_cast<u8>(kinds[j]));
    if (kinds[j] == Kind::nominal)
      learn_nominal(cells[j], levels[j], target, weights, terms);
    else
      learn_numeric(cells[j], weights, target.size(), terms);
  }
  return terms;
}

Terms learn_fills(const std::vector<View>& cells, const std::vector<Kind>& kinds, const std::vector<u32>& levels, std::size_t n_rows,
                  const std::vector<double>& weights) {
  // All targets being equal, no order is better than the one declared.
  return learn_terms(cells, kinds, levels, std::vector<double>(n_rows, 0), weights);
}

std::vector<double> read_rows(const Terms& terms, const std::vector<View>& cells, std::size_t n_rows) {
  const std::size_t width = cells.size();
  std::vector<double> rows(n_rows * width);
  // Blocks of rows, so that neither side is read with large strides for long.
  constexpr std::size_t kBlock = 1024;
  for (std::size_t begin = 0; begin < n_rows; begin += kBlock)
    for (std::size_t j = 0; j < width; ++j)
      for (std::size_t row = begin; row < std::min(n_rows, begin + kBlock); ++row) rows[row * width + j] = terms.read(cells[j], j, row);
  return rows;
}

void validate(const Terms& terms) {
  const std::size_t n = terms.columns();
  if (terms.fill.size() != n || terms.spread.size() != n || terms.rank_begin.size() != n + 1 || terms.rank_begin[0] != 0 ||
      terms.rank_begin[n] != terms.rank.size())
    throw Invalid("the linear models are damaged: their columns differ in length");
  // All of them first: only then are the levels of every column inside.
  for (std::size_t j = 0; j < n; ++j)
    if (terms.rank_begin[j] > terms.rank_begin[j + 1])
      throw Invalid("the linear models are damaged: the levels of a column are not where they should be");
  for (std::size_t j = 0; j < n; ++j) {
    if (terms.kind[j] > 1) throw Invalid("the linear models are damaged: a column is neither numeric nor nominal");
    if (!terms.nominal(j) && terms.n_levels(j) > 0)
      throw Invalid("the linear models are damaged: the levels of a column are not where they should be");
    if (!std::isfinite(terms.fill[j]) || !(terms.spread[j] >= 0) || std::isinf(terms.spread[j]))
      throw Invalid("the linear models are damaged: a fill or a spread is not a finite number");
    if (!terms.nominal(j)) continue;
    if (terms.n_levels(j) > 0 && !(terms.fill[j] >= 0 && terms.fill[j] < terms.n_levels(j)))
      throw Invalid("the linear models are damaged: a column is filled with a level it does not have");
    std::vector<u8> taken(terms.n_levels(j), 0);
    for (u32 level = terms.rank_begin[j]; level < terms.rank_begin[j + 1]; ++level)
      if (terms.rank[level] >= taken.size() || taken[terms.rank[level]]++)
        throw Invalid("the linear models are damaged: the levels of a column are not in an order");
  }
}

}  // namespace tw
