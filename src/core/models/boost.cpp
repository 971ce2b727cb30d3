#include "models/boost.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/numbers.hpp"
#include "models/linear.hpp"

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
      width_(table.width),
      n_classes_(table.n_classes),
      shrink_(n_classes_ > 1 ? (static_cast<double>(n_classes_) - 1) / n_classes_ : 0),
      committee_(std::move(start)) {
  cells_.reserve(n_ * width_);
  for (const u32 row : rows) {
    cells_.insert(cells_.end(), table.row(row), table.row(row) + width_);
    class_of_.push_back(table.class_of[row]);
    weights_.push_back(table.weight(row));
  }
  scores_.resize(n_ * n_classes_);
  for (std::size_t i = 0; i < n_; ++i) committee_.score(cells_.data() + i * width_, width_, scores_.data() + i * n_classes_);
  // Sums of squares around the mean of these rows lose no digits that matter.
  centre_.assign(width_, 0);
  constant_.assign(width_, 1);
  for (std::size_t i = 0; i < n_; ++i)
    for (std::size_t t = 0; t < width_; ++t) {
      const double cell = cells_[i * width_ + t];
      centre_[t] += cell;
      if (cell != cells_[t]) constant_[t] = 0;
    }
  for (std::size_t t = 0; t < width_; ++t) centre_[t] = constant_[t] && n_ > 0 ? cells_[t] : centre_[t] / static_cast<double>(n_);
  for (std::size_t i = 0; i < n_; ++i)
    for (std::size_t t = 0; t < width_; ++t) cells_[i * width_ + t] -= centre_[t];
  pull_.resize(slots() * n_);
  heft_.resize(slots() * n_);
  last_.resize(n_classes_);
}

double Booster::wrong() const {
  double sum = 0;
  for (std::size_t i = 0; i < n_; ++i)
    if (class_said(scores_.data() + i * n_classes_, n_classes_) != class_of_[i]) sum += weights_[i];
  return sum;
}

// The working response z = (y - p) / (p (1 - p)), at most 3 either way, with weight (y - p) / z; so weight times response is y - p.
void Booster::respond() {
  constexpr double kMost = 3;
  std::vector<double> share(n_classes_);
  all_pull_.assign(slots(), 0);
  all_heft_.assign(slots(), 0);
  for (std::size_t i = 0; i < n_; ++i) {
    std::copy_n(scores_.data() + i * n_classes_, n_classes_, share.data());
    to_shares(share.data(), n_classes_);
    for (u32 k = 0; k < slots(); ++k) {
      const double p = share[k];
      const bool is = class_of_[i] == k;
      const double off = is ? 1 - p : p;
      const double heft = weights_[i] * off * std::max(is ? p : 1 - p, 1 / kMost);
      const double pull = weights_[i] * (is ? off : -off);
      pull_[k * n_ + i] = pull;
      heft_[k * n_ + i] = heft;
      all_pull_[k] += pull;
      all_heft_[k] += heft;
    }
  }
}

// For every class and term the sums over the rows from `first` to `last` of pull x, heft x and heft x x.
void Booster::sum_up(std::size_t first, std::size_t last) {
  constexpr std::size_t kAbreast = 4;
  for (std::size_t i = first; i < last; i += kAbreast) {
    std::array<const double*, kAbreast> x{};
    const std::size_t here = std::min(kAbreast, last - i);
    for (std::size_t r = 0; r < kAbreast; ++r) x[r] = cells_.data() + (i + std::min(r, here - 1)) * width_;
    for (u32 k = 0; k < slots(); ++k) {
      std::array<double, kAbreast> g{};
      std::array<double, kAbreast> h{};
      for (std::size_t r = 0; r < here; ++r) {
        g[r] = pull_[k * n_ + i + r];
        h[r] = heft_[k * n_ + i + r];
      }
      double* __restrict pull = sum_pull_.data() + k * width_;
      double* __restrict heft = sum_heft_.data() + k * width_;
      double* __restrict sq = sum_sq_.data() + k * width_;
      for (std::size_t t = 0; t < width_; ++t) {
        const double a = x[0][t];
        const double b = x[1][t];
        const double c = x[2][t];
        const double d = x[3][t];
        pull[t] += (g[0] * a + g[1] * b) + (g[2] * c + g[3] * d);
        const double ha = h[0] * a;
        const double hb = h[1] * b;
        const double hc = h[2] * c;
        const double hd = h[3] * d;
        heft[t] += (ha + hb) + (hc + hd);
        sq[t] += (ha * a + hb * b) + (hc * c + hd * d);
      }
    }
  }
}

// Where few rows have all the weight, sums of squares and products around the weighted means, in a second pass.
Booster::Around Booster::around_means(std::size_t term, u32 slot) const {
  const double mean = sum_heft_[slot * width_ + term] / all_heft_[slot];
  const double response = all_pull_[slot] / all_heft_[slot];
  Around out;
  for (std::size_t i = 0; i < n_; ++i) {
    const double away = cells_[i * width_ + term] - mean;
    const double heft = heft_[slot * n_ + i];
    out.spread += heft * away * away;
    out.cross += (pull_[slot * n_ + i] - heft * response) * away;
  }
  return out;
}

bool Booster::choose(u32 slot, Simple& chosen) const {
  const double pull = all_pull_[slot];
  const double heft = all_heft_[slot];
  if (!(heft > 0)) return false;
  bool found = false;
  double best = 0;
  for (std::size_t t = 0; t < width_; ++t) {
    if (constant_[t]) continue;
    const double mean = sum_heft_[slot * width_ + t] / heft;
    const double square = sum_sq_[slot * width_ + t];
    Around sums{square - sum_heft_[slot * width_ + t] * mean, sum_pull_[slot * width_ + t] - mean * pull};
    if (!(sums.spread > 1e-6 * square)) sums = around_means(t, slot);
    if (!(sums.spread > 0)) continue;
    const double gain = sums.cross * sums.cross / sums.spread;
    // Differences in the last digits are rounding: the first term is kept.
    if (found && !(gain > best * (1 + 1e-10))) continue;
    found = true;
    best = gain;
    chosen.term = t;
    chosen.slope = sums.cross / sums.spread;
    chosen.intercept = pull / heft - chosen.slope * (mean + centre_[t]);
  }
  return found && std::isfinite(chosen.slope) && std::isfinite(chosen.intercept);
}

bool Booster::step() {
  if (n_classes_ < 2) return false;
  respond();
  for (auto* sums : {&sum_pull_, &sum_heft_, &sum_sq_}) sums->assign(slots() * width_, 0);
  sum_up(0, n_);
  std::vector<Simple> found(n_classes_);
  for (u32 k = 0; k < slots(); ++k)
    if (!choose(k, found[k])) return false;
  // Of two classes the second mirrors the first.
  if (n_classes_ == 2) found[1] = {found[0].term, -found[0].slope, -found[0].intercept};
  last_ = std::move(found);
  for (u32 k = 0; k < n_classes_; ++k) {
    committee_.intercept[k] += shrink_ * last_[k].intercept;
    committee_.slope[k * width_ + last_[k].term] += shrink_ * last_[k].slope;
    const double at_centre = last_[k].intercept + last_[k].slope * centre_[last_[k].term];
    for (std::size_t i = 0; i < n_; ++i)
      scores_[i * n_classes_ + k] += shrink_ * (at_centre + last_[k].slope * cells_[i * width_ + last_[k].term]);
  }
  return true;
}

void Booster::add_last(const double* row, double* scores) const {
  for (u32 k = 0; k < n_classes_; ++k) scores[k] += shrink_ * (last_[k].intercept + last_[k].slope * row[last_[k].term]);
}

}  // namespace tw
