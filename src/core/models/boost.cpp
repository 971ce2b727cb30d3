// Steps of LogitBoost: working responses, the best simple regression per class, and the scores they add to.
#include "models/boost.hpp"

#include <algorithm>
#include <cmath>

#include "base/numbers.hpp"
#include "models/boost_sums.hpp"
#include "models/scores.hpp"

namespace tw {

void Committee::score(const double* row, std::size_t width, double* scores) const {
  for (std::size_t k = 0; k < intercept.size(); ++k) {
    double sum = intercept[k];
    const double* slopes = slope.data() + k * width;
    for (std::size_t t = 0; t < width; ++t) sum += slopes[t] * row[t];
    scores[k] = sum;
  }
}

Booster::Booster(const BoostTable& table, std::span<const u32> rows, Committee start)
    : n_(rows.size()),
      all_terms_(table.width),
      n_classes_(table.n_classes),
      shrink_(n_classes_ > 1 ? (static_cast<double>(n_classes_) - 1) / n_classes_ : 0),
      committee_(std::move(start)) {
  scores_.resize(n_ * n_classes_);
  for (std::size_t i = 0; i < n_; ++i) {
    committee_.score(table.row(rows[i]), all_terms_, scores_.data() + i * n_classes_);
    class_of_.push_back(table.class_of[rows[i]]);
    weights_.push_back(table.weight(rows[i]));
  }
  std::vector<u8> differs(all_terms_, 0);
  std::vector<double> sum(all_terms_, 0);
  for (const u32 row : rows)
    for (std::size_t t = 0; t < all_terms_; ++t) {
      sum[t] += table.row(row)[t];
      differs[t] |= table.row(row)[t] != table.row(rows[0])[t];
    }
  // Sums of squares around the mean of these rows lose no digits that matter.
  for (std::size_t t = 0; t < all_terms_; ++t) {
    if (!differs[t]) continue;
    term_.push_back(static_cast<u32>(t));
    centre_.push_back(sum[t] / static_cast<double>(n_));
  }
  width_ = term_.size();
  cells_.reserve(n_ * width_);
  for (const u32 row : rows)
    for (std::size_t t = 0; t < width_; ++t) cells_.push_back(table.row(row)[term_[t]] - centre_[t]);
  gradient_.resize(slots() * n_);
  curvature_.resize(slots() * n_);
  last_.resize(n_classes_);
  occurs_.assign(n_classes_, 0);
  for (const u32 k : class_of_) occurs_[k] = 1;
}

double Booster::wrong(std::span<const u32> classes) const {
  double sum = 0;
  for (std::size_t i = 0; i < n_; ++i)
    if (predicted_class(scores_.data() + i * n_classes_, classes) != class_of_[i]) sum += weights_[i];
  return sum;
}

// The working response z = (y - p) / (p (1 - p)), at most 3 either way, with weight (y - p) / z. So g, weight times response, is y - p (the
// gradient of the log-likelihood), and h is the weight (its curvature, p (1 - p), where z is not cut off).
void Booster::respond() {
  constexpr double kMost = 3;
  constexpr double kNothing = -40;  // 1 minus e to this power is 1 in floats
  shares_.resize(n_ * n_classes_);
  most_.resize(n_);
  sum_.assign(n_, 0);
  for (std::size_t i = 0; i < n_; ++i) most_[i] = *std::max_element(scores_.data() + i * n_classes_, scores_.data() + (i + 1) * n_classes_);
  flat_.assign(n_classes_, 0);
  for (u32 k = 0; k < n_classes_; ++k) {
    double* share = shares_.data() + k * n_;
    double highest = kNothing;
    for (std::size_t i = 0; i < n_; ++i) {
      share[i] = scores_[i * n_classes_ + k] - most_[i];
      highest = std::max(highest, share[i]);
    }
    flat_[k] = !occurs_[k] && highest == kNothing;
    if (flat_[k]) continue;
    boost_loops().exponentials(share, n_);
    for (std::size_t i = 0; i < n_; ++i) sum_[i] += share[i];
  }
  total_g_.assign(slots(), 0);
  total_h_.assign(slots(), 0);
  total_off_.assign(slots(), 0);
  for (u32 k = 0; k < slots(); ++k) {
    if (flat_[k]) continue;
    const double* share = shares_.data() + k * n_;
    for (std::size_t i = 0; i < n_; ++i) {
      const double p = share[i] / sum_[i];
      const bool is = class_of_[i] == k;
      const double off = is ? 1 - p : p;
      const double h = weights_[i] * off * std::max(is ? p : 1 - p, 1 / kMost);
      const double g = weights_[i] * (is ? off : -off);
      gradient_[k * n_ + i] = g;
      curvature_[k * n_ + i] = h;
      total_g_[k] += g;
      total_h_[k] += h;
      total_off_[k] += weights_[i] * off;
    }
  }
}

// The sums of a term around the weighted means, from the rows themselves.
void Booster::centre_term(u32 slot, std::size_t t) {
  const double response = total_g_[slot] / total_h_[slot];
  spread_[t] = 0;
  cross_[t] = 0;
  for (std::size_t i = 0; i < n_; ++i) {
    const double away = cells_[i * width_ + t] - mean_[t];
    const double h = curvature_[slot * n_ + i];
    spread_[t] += h * away * away;
    cross_[t] += (gradient_[slot * n_ + i] - h * response) * away;
  }
}

// Sums around the weighted means from those around the means of the rows. Where few rows have all the weight, digits cancel: as long as
// four are left that is enough to choose by.
void Booster::centre_sums(u32 slot) {
  constexpr double kLost = 1e-12;
  const double h = total_h_[slot];
  const std::size_t first = slot * width_;
  std::vector<std::size_t> lost;
  spread_.resize(width_);
  cross_.resize(width_);
  mean_.resize(width_);
  for (std::size_t t = 0; t < width_; ++t) {
    mean_[t] = sum_hx_[first + t] / h;
    spread_[t] = sum_hxx_[first + t] - sum_hx_[first + t] * mean_[t];
    cross_[t] = sum_gx_[first + t] - mean_[t] * total_g_[slot];
    if (!(spread_[t] > kLost * sum_hxx_[first + t])) lost.push_back(t);
  }
  if (8 * lost.size() < width_) {  // row by row is faster than so many columns one by one
    for (const std::size_t t : lost) centre_term(slot, t);
    return;
  }
  spread_.assign(width_, 0);
  cross_.assign(width_, 0);
  boost_loops().centred({cells_.data(), n_, width_, gradient_.data() + slot * n_, curvature_.data() + slot * n_, total_g_[slot] / h,
                         mean_.data(), spread_.data(), cross_.data()});
}

bool Booster::choose(u32 slot, Simple& chosen) {
  const double h = total_h_[slot];
  if (width_ == 0) return false;
  if (flat_[slot]) {  // the response of all rows is -1, whatever the term
    chosen = {0, term_[0], 0, -1};
    return true;
  }
  if (!(h > 0)) return false;
  centre_sums(slot);
  // The squares of the response sum up to at least total_off_: a correlation below 1e-12 is rounding.
  const double noise = 1e-24 * total_off_[slot];
  bool found = false;
  double best = 0;
  for (std::size_t t = 0; t < width_; ++t) {
    if (!(spread_[t] > 0)) continue;
    double gain = cross_[t] * cross_[t] / spread_[t];
    if (gain <= noise) gain = 0;
    // Differences in the last digits are rounding: the first term is kept.
    if (found && !(gain > best * (1 + 1e-10))) continue;
    found = true;
    best = gain;
    chosen.at = t;
  }
  if (!found) return false;
  if (spread_[chosen.at] < 1e-6 * sum_hxx_[slot * width_ + chosen.at]) centre_term(slot, chosen.at);
  chosen.term = term_[chosen.at];
  chosen.slope = best > 0 ? cross_[chosen.at] / spread_[chosen.at] : 0;
  chosen.intercept = total_g_[slot] / h - chosen.slope * (mean_[chosen.at] + centre_[chosen.at]);
  return std::isfinite(chosen.slope) && std::isfinite(chosen.intercept);
}

bool Booster::step() {
  if (n_classes_ < 2) return false;
  respond();
  for (auto* sums : {&sum_gx_, &sum_hx_, &sum_hxx_}) sums->assign(slots() * width_, 0);
  std::vector<u32> summed;
  for (u32 k = 0; k < slots(); ++k)
    if (!flat_[k]) summed.push_back(k);
  boost_loops().products(
      {cells_.data(), n_, width_, summed, gradient_.data(), curvature_.data(), sum_gx_.data(), sum_hx_.data(), sum_hxx_.data()});
  std::vector<Simple> found(n_classes_);
  for (u32 k = 0; k < slots(); ++k)
    if (!choose(k, found[k])) return false;
  // Of two classes the second mirrors the first.
  if (n_classes_ == 2) found[1] = {found[0].at, found[0].term, -found[0].slope, -found[0].intercept};
  last_ = std::move(found);
  for (u32 k = 0; k < n_classes_; ++k) {
    committee_.intercept[k] += shrink_ * last_[k].intercept;
    committee_.slope[k * all_terms_ + last_[k].term] += shrink_ * last_[k].slope;
    const double at_centre = last_[k].intercept + last_[k].slope * centre_[last_[k].at];
    for (std::size_t i = 0; i < n_; ++i)
      scores_[i * n_classes_ + k] += shrink_ * (at_centre + last_[k].slope * cells_[i * width_ + last_[k].at]);
  }
  return true;
}

void Booster::add_last(const double* row, double* scores) const {
  for (u32 k = 0; k < n_classes_; ++k) scores[k] += shrink_ * (last_[k].intercept + last_[k].slope * row[last_[k].term]);
}

}  // namespace tw
