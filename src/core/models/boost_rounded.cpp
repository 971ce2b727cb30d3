// A step of LogitBoost where a few rows have all the weight: regressions with the roundings of LMT.
#include <algorithm>
#include <cmath>

#include "models/boost.hpp"
#include "models/boost_sums.hpp"
#include "models/exact_sum.hpp"

namespace tw {

// The working response, as LMT computes it.
double Booster::response(u32 k, std::size_t i) const {
  const double p = shares_[k * n_ + i] / sum_[i];
  return class_of_[i] == k ? std::min(1 / p, kMostResponse) : std::max(-1 / (1 - p), -kMostResponse);
}

// Whether responses differ, but hardly any weight is on those that do.
bool Booster::few_rows_decide(u32 k) const {
  constexpr double kSame = 1e-9;
  constexpr double kHardly = 1e-16;
  const double mean = total_g_[k] / total_h_[k];
  double farthest = 0;
  double squares = 0;
  for (std::size_t i = 0; i < n_; ++i) {
    const double h = curvature_[k * n_ + i];
    if (!(h > 0)) continue;
    const double away = response(k, i) - mean;
    farthest = std::max(farthest, std::fabs(away));
    squares += h * away * away;
  }
  return farthest > kSame && squares <= kHardly * total_off_[k];
}

// Where nearly all the weight is on rows of one response, the others count only for terms whose mean is exactly the value of these rows. So
// it is the rounding of LMT's own mean, of cells as they are, that decides which terms can be chosen.
bool Booster::choose_rounded(u32 k, Simple& chosen) {
  constexpr double kCounts = 0x1p-110;  // what weighs less beside the heaviest row leaves every sum as it is
  ExactSum all;
  for (std::size_t i = 0; i < n_; ++i) all.add(curvature_[k * n_ + i]);
  const double to_mean_one = weight_ / all.value();
  std::vector<double> weight(n_);
  std::vector<double> away(n_, 0);
  std::size_t heaviest = 0;
  for (std::size_t i = 0; i < n_; ++i) {
    weight[i] = curvature_[k * n_ + i] * to_mean_one;
    if (weight[i] > weight[heaviest]) heaviest = i;
  }
  std::vector<std::size_t> heavy;
  ExactSum total;
  ExactSum responses;
  for (std::size_t i = 0; i < n_; ++i) {
    if (!(weight[i] > kCounts * weight[heaviest])) continue;
    heavy.push_back(i);
    total.add(weight[i]);
    responses.add(weight[i], response(k, i));
  }
  const double mean_response = responses.value() / total.value();
  double squares = 0;
  for (std::size_t i = 0; i < n_; ++i) {
    if (weight[i] == 0) continue;
    const double off = response(k, i) - mean_response;
    away[i] = weight[i] * off;
    squares += away[i] * off;
  }
  for (std::size_t t = 0; t < width_; ++t) {
    ExactSum sum;
    for (const std::size_t i : heavy) sum.add(weight[i], table_.plain(rows_[i], term_[t]));
    const double missed = table_.plain(rows_[heaviest], term_[t]) - sum.value() / total.value();
    mean_[t] = cells_[heaviest * width_ + t] - missed / table_.scale[term_[t]];
  }
  spread_.assign(width_, 0);
  cross_.assign(width_, 0);
  boost_loops().centred({cells_.data(), n_, width_, away.data(), weight.data(), 0, mean_.data(), spread_.data(), cross_.data()});
  bool found = false;
  double best = 0;
  for (std::size_t t = 0; t < width_; ++t) {
    const double slope = cross_[t] / spread_[t];
    const double gain = slope * cross_[t];
    if (!(spread_[t] > 0) || !std::isfinite(gain)) continue;
    // LMT compares what is left of the squares: a gain that does not change them is none.
    constexpr double kUnit = 0x1p-50;
    if (found && !(gain > best + kUnit * squares)) continue;
    found = true;
    best = gain;
    chosen = {t, term_[t], slope, mean_response - slope * (mean_[t] + centre_[t])};
  }
  return found && std::isfinite(chosen.slope) && std::isfinite(chosen.intercept);
}

}  // namespace tw
