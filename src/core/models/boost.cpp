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
  pull_.resize(slots() * n_);
  heft_.resize(slots() * n_);
  last_.resize(n_classes_);
  occurs_.assign(n_classes_, 0);
  for (const u32 k : class_of_) occurs_[k] = 1;
}

double Booster::wrong(std::span<const u32> classes) const {
  double sum = 0;
  for (std::size_t i = 0; i < n_; ++i)
    if (class_said(scores_.data() + i * n_classes_, classes) != class_of_[i]) sum += weights_[i];
  return sum;
}

// The working response z = (y - p) / (p (1 - p)), at most 3 either way, with weight (y - p) / z; so weight times response is y - p.
void Booster::respond() {
  constexpr double kMost = 3;
  constexpr double kNothing = -40;  // a share of e to this power, taken from 1, leaves 1
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
  all_pull_.assign(slots(), 0);
  all_heft_.assign(slots(), 0);
  all_off_.assign(slots(), 0);
  for (u32 k = 0; k < slots(); ++k) {
    if (flat_[k]) continue;
    const double* share = shares_.data() + k * n_;
    for (std::size_t i = 0; i < n_; ++i) {
      const double p = share[i] / sum_[i];
      const bool is = class_of_[i] == k;
      const double off = is ? 1 - p : p;
      const double heft = weights_[i] * off * std::max(is ? p : 1 - p, 1 / kMost);
      const double pull = weights_[i] * (is ? off : -off);
      pull_[k * n_ + i] = pull;
      heft_[k * n_ + i] = heft;
      all_pull_[k] += pull;
      all_heft_[k] += heft;
      all_off_[k] += weights_[i] * off;
    }
  }
}

// The sums of a term around the weighted means, from the rows themselves.
void Booster::centre_term(u32 slot, std::size_t t) {
  const double response = all_pull_[slot] / all_heft_[slot];
  spread_[t] = 0;
  cross_[t] = 0;
  for (std::size_t i = 0; i < n_; ++i) {
    const double away = cells_[i * width_ + t] - mean_[t];
    const double heft = heft_[slot * n_ + i];
    spread_[t] += heft * away * away;
    cross_[t] += (pull_[slot * n_ + i] - heft * response) * away;
  }
}

// Sums around the weighted means from those around the means of the rows. Where few rows have all the weight these lose their digits: as
// long as four are left that is enough to choose by.
void Booster::centre_sums(u32 slot) {
  constexpr double kLost = 1e-12;
  const double heft = all_heft_[slot];
  const std::size_t first = slot * width_;
  std::vector<std::size_t> lost;
  spread_.resize(width_);
  cross_.resize(width_);
  mean_.resize(width_);
  for (std::size_t t = 0; t < width_; ++t) {
    mean_[t] = sum_heft_[first + t] / heft;
    spread_[t] = sum_sq_[first + t] - sum_heft_[first + t] * mean_[t];
    cross_[t] = sum_pull_[first + t] - mean_[t] * all_pull_[slot];
    if (!(spread_[t] > kLost * sum_sq_[first + t])) lost.push_back(t);
  }
  if (8 * lost.size() < width_) {  // row by row is faster than so many columns one by one
    for (const std::size_t t : lost) centre_term(slot, t);
    return;
  }
  spread_.assign(width_, 0);
  cross_.assign(width_, 0);
  boost_loops().centred({cells_.data(), n_, width_, pull_.data() + slot * n_, heft_.data() + slot * n_, all_pull_[slot] / heft,
                         mean_.data(), spread_.data(), cross_.data()});
}

bool Booster::choose(u32 slot, Simple& chosen) {
  const double heft = all_heft_[slot];
  if (width_ == 0) return false;
  if (flat_[slot]) {  // -1 is the response of all rows, whatever the term
    chosen = {0, term_[0], 0, -1};
    return true;
  }
  if (!(heft > 0)) return false;
  centre_sums(slot);
  // The squares of the response sum up to at least all_off_: a correlation below 1e-12 is what rounding leaves of none.
  const double noise = 1e-24 * all_off_[slot];
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
  if (spread_[chosen.at] < 1e-6 * sum_sq_[slot * width_ + chosen.at]) centre_term(slot, chosen.at);
  chosen.term = term_[chosen.at];
  chosen.slope = best > 0 ? cross_[chosen.at] / spread_[chosen.at] : 0;
  chosen.intercept = all_pull_[slot] / heft - chosen.slope * (mean_[chosen.at] + centre_[chosen.at]);
  return std::isfinite(chosen.slope) && std::isfinite(chosen.intercept);
}

bool Booster::step() {
  if (n_classes_ < 2) return false;
  respond();
  for (auto* sums : {&sum_pull_, &sum_heft_, &sum_sq_}) sums->assign(slots() * width_, 0);
  std::vector<u32> summed;
  for (u32 k = 0; k < slots(); ++k)
    if (!flat_[k]) summed.push_back(k);
  boost_loops().products(
      {cells_.data(), n_, width_, summed, pull_.data(), heft_.data(), sum_pull_.data(), sum_heft_.data(), sum_sq_.data()});
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
