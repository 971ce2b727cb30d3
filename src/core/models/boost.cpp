// Steps of LogitBoost: working responses, the best simple regression per class, and the scores they add to.
#include "models/boost.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

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
    : table_(table),
      rows_(rows.begin(), rows.end()),
      n_(rows.size()),
      all_terms_(table.width),
      n_classes_(table.n_classes),
      shrink_(n_classes_ > 1 ? (static_cast<double>(n_classes_) - 1) / n_classes_ : 0),
      committee_(std::move(start)) {
  scores_.resize(n_ * n_classes_);
  for (std::size_t i = 0; i < n_; ++i) {
    committee_.score(table.row(rows[i]), all_terms_, scores_.data() + i * n_classes_);
    class_of_.push_back(table.class_of[rows[i]]);
    weights_.push_back(table.weight(rows[i]));
    weight_ += weights_.back();
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
  gradient_.resize(n_classes_ * n_);
  curvature_.resize(n_classes_ * n_);
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
  constexpr double kNothing = -40;  // 1 minus e to this power is 1 in floats
  constexpr double kFar = -600;     // whatever the number of rows, the weights of a class have not vanished above this, ...
  constexpr double kFew = 1e-250;   // ... nor where they sum up to more than this
  shares_.resize(n_ * n_classes_);
  most_.resize(n_);
  sum_.assign(n_, 0);
  for (std::size_t i = 0; i < n_; ++i) most_[i] = *std::max_element(scores_.data() + i * n_classes_, scores_.data() + (i + 1) * n_classes_);
  flat_.assign(n_classes_, 0);
  gone_.assign(n_classes_, 0);
  std::vector<u8> far(n_classes_, 0);
  for (u32 k = 0; k < n_classes_; ++k) {
    double* share = shares_.data() + k * n_;
    double highest = -std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < n_; ++i) {
      share[i] = scores_[i * n_classes_ + k] - most_[i];
      highest = std::max(highest, share[i]);
    }
    flat_[k] = !occurs_[k] && highest <= kNothing;
    far[k] = highest <= kFar;
    if (flat_[k]) continue;
    boost_loops().exponentials(share, n_);
    for (std::size_t i = 0; i < n_; ++i) sum_[i] += share[i];
  }
  total_g_.assign(n_classes_, 0);
  total_h_.assign(n_classes_, 0);
  total_off_.assign(n_classes_, 0);
  for (u32 k = 0; k < n_classes_; ++k) {
    if (flat_[k]) {
      gone_[k] = far[k] && vanishes(k);
      continue;
    }
    const double* share = shares_.data() + k * n_;
    for (std::size_t i = 0; i < n_; ++i) {
      const double p = share[i] / sum_[i];
      const bool is = class_of_[i] == k;
      const double off = is ? 1 - p : p;
      const double h = weights_[i] * off * std::max(is ? p : 1 - p, 1 / kMostResponse);
      const double g = weights_[i] * (is ? off : -off);
      gradient_[k * n_ + i] = g;
      curvature_[k * n_ + i] = h;
      total_g_[k] += g;
      total_h_[k] += h;
      total_off_[k] += weights_[i] * off;
    }
    if (total_h_[k] > kFew * weight_) continue;
    flat_[k] = 1;  // rows of the class have no weight any more
    gone_[k] = vanishes(k);
  }
}

// LMT divides the weights of a class by their mean. If that is below the reciprocal of the largest number no term is of use to it, and
// boosting ends. Rows of the class, if there are any, have weight 0 by now.
bool Booster::vanishes(u32 k) const {
  constexpr double kLifted = 700;
  constexpr double kLeast = 1.0142320547350045e304 / std::numeric_limits<double>::max();  // the reciprocal, times e to the power of 700
  double sum = 0;
  for (std::size_t i = 0; i < n_; ++i)
    if (class_of_[i] != k) sum += weights_[i] * (exp_of(scores_[i * n_classes_ + k] - most_[i] + kLifted) / sum_[i]);
  return !(sum >= kLeast * weight_);
}

// The sums of some terms around the weighted means, from the rows themselves.
void Booster::centre_terms(u32 k, std::span<const std::size_t> terms) {
  const double response = total_g_[k] / total_h_[k];
  for (const std::size_t t : terms) spread_[t] = cross_[t] = 0;
  for (std::size_t i = 0; i < n_; ++i) {
    const double h = curvature_[k * n_ + i];
    if (h == 0) continue;
    const double g = gradient_[k * n_ + i] - h * response;
    for (const std::size_t t : terms) {
      const double away = cells_[i * width_ + t] - mean_[t];
      spread_[t] += h * away * away;
      cross_[t] += g * away;
    }
  }
}

// Sums around the weighted means from those around the means of the rows. Where few rows have all the weight, digits cancel: what then is
// in doubt, and may be the best, is summed again.
void Booster::centre_sums(u32 k) {
  constexpr double kRounding = 0x1p-50;  // of a sum, relative to the size of what is summed
  constexpr double kLost = 1e-12;
  constexpr double kDoubt = 1e-11;
  const double h = total_h_[k];
  const std::size_t first = k * width_;
  spread_.resize(width_);
  cross_.resize(width_);
  mean_.resize(width_);
  gain_.resize(width_);
  doubt_.resize(width_);
  double surely = 0;
  for (std::size_t t = 0; t < width_; ++t) {
    const double squares = sum_hxx_[first + t];
    mean_[t] = sum_hx_[first + t] / h;
    spread_[t] = squares - sum_hx_[first + t] * mean_[t];
    cross_[t] = sum_gx_[first + t] - mean_[t] * total_g_[k];
    doubt_[t] = std::numeric_limits<double>::infinity();
    if (!(spread_[t] > kLost * squares)) continue;
    gain_[t] = cross_[t] / spread_[t] * cross_[t];
    // The squares of the response sum up to at most three times total_off_.
    const double product = std::sqrt(3 * total_off_[k] * squares);
    doubt_[t] = kRounding * (2 * std::fabs(cross_[t]) * product + gain_[t] * squares) / spread_[t];
    surely = std::max(surely, gain_[t] - doubt_[t]);
  }
  std::vector<std::size_t> lost;
  for (std::size_t t = 0; t < width_; ++t)
    if (doubt_[t] > kDoubt * surely && (std::isinf(doubt_[t]) || gain_[t] + doubt_[t] >= surely)) lost.push_back(t);
  if (8 * lost.size() < width_) {
    centre_terms(k, lost);
  } else {  // of so many it is faster to sum up all
    spread_.assign(width_, 0);
    cross_.assign(width_, 0);
    boost_loops().centred({cells_.data(), n_, width_, gradient_.data() + k * n_, curvature_.data() + k * n_, total_g_[k] / h, mean_.data(),
                           spread_.data(), cross_.data()});
    lost.resize(width_);
    std::iota(lost.begin(), lost.end(), std::size_t{0});
  }
  for (const std::size_t t : lost) {
    gain_[t] = spread_[t] > 0 ? cross_[t] / spread_[t] * cross_[t] : 0;
    doubt_[t] = 0;
  }
}

bool Booster::choose(u32 k, Simple& chosen) {
  const double h = total_h_[k];
  if (width_ == 0) return false;
  if (flat_[k]) {  // the response of all rows is -1, whatever the term
    chosen = {0, term_[0], 0, -1};
    return true;
  }
  if (!(h > 0)) return false;
  centre_sums(k);
  // The squares of the response sum up to at least total_off_: a correlation below 1e-12 is rounding, unless hardly any row has weight.
  const double noise = 1e-24 * total_off_[k];
  constexpr double kDoubtful = 1e-18;
  constexpr double kFewRows = 1e-6;  // so little spread is that of a few rows with all the weight: hardly anything is rounded
  bool found = false;
  double best = 0;
  for (std::size_t t = 0; t < width_; ++t) {
    if (!(spread_[t] > 0)) continue;
    const double gain = gain_[t] > noise ? gain_[t] : 0;
    // Differences in the last digits are rounding: the first term is kept.
    const bool few = spread_[t] < kFewRows * sum_hxx_[k * width_ + t];
    if (found && !(gain > best * (1 + (few ? 1e-14 : 1e-10)))) continue;
    found = true;
    best = gain;
    chosen.at = t;
  }
  if (best <= kDoubtful * total_off_[k] && few_rows_decide(k)) return choose_rounded(k, chosen);
  if (!found) return false;
  if (doubt_[chosen.at] > 0 && spread_[chosen.at] < kFewRows * sum_hxx_[k * width_ + chosen.at]) centre_terms(k, {&chosen.at, 1});
  chosen.term = term_[chosen.at];
  chosen.slope = best > 0 ? cross_[chosen.at] / spread_[chosen.at] : 0;
  chosen.intercept = total_g_[k] / h - chosen.slope * (mean_[chosen.at] + centre_[chosen.at]);
  return std::isfinite(chosen.slope) && std::isfinite(chosen.intercept);
}

bool Booster::step() {
  if (n_classes_ < 2) return false;
  respond();
  // Of two classes the second mirrors the first, but for the last digits of shares near 1: these are all that is left of the weights where
  // nearly every row is certain.
  constexpr double kCertain = 1e-6;
  const bool mirrored = n_classes_ == 2 && std::min(total_h_[0], total_h_[1]) > kCertain * weight_;
  const u32 fitted = mirrored ? 1 : n_classes_;
  for (auto* sums : {&sum_gx_, &sum_hx_, &sum_hxx_}) sums->assign(fitted * width_, 0);
  std::vector<u32> summed;
  for (u32 k = 0; k < fitted; ++k) {
    if (gone_[k]) return false;
    if (!flat_[k]) summed.push_back(k);
  }
  boost_loops().products(
      {cells_.data(), n_, width_, summed, gradient_.data(), curvature_.data(), sum_gx_.data(), sum_hx_.data(), sum_hxx_.data()});
  std::vector<Simple> found(n_classes_);
  for (u32 k = 0; k < fitted; ++k)
    if (!choose(k, found[k])) return false;
  if (mirrored) found[1] = {found[0].at, found[0].term, -found[0].slope, -found[0].intercept};
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
