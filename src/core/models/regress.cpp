// A regression kept as correlations, their inverse and standardised coefficients, so that dropping a term is an update.
#include "models/regress.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace tw {

double adjusted(double n, double v, double times) { return n <= v ? 10 : (n + times * v) / (n - v); }

namespace {

constexpr double kRidge = 1e-8;
constexpr double kSingular = 1e-9;  // a pivot below this: terms that are linearly dependent
constexpr double kCollinear = 1.5;  // no standardised coefficient of unrelated terms is larger

// The regression of a node in standardised terms: the inverse of the correlations and the coefficients, updated as terms are dropped.
class Regression {
 public:
  Regression(const ModelRows& rows, std::size_t begin, std::size_t end, const std::vector<Term>& terms)
      : rows_(rows), begin_(begin), end_(end), terms_(terms) {
    gather();
    correlate();
    invert();
  }

  std::size_t size() const { return kept_.size(); }
  double weight() const { return weight_; }

  // No sum of absolute deviations from the mean is larger.
  double deviation() const { return std::sqrt(target_squares_ * weight_); }
  // Squared errors below this are rounding.
  double rounding() const { return 1e-24 * target_squares_; }

  // Index of the term with the smallest or the largest standardised coefficient, the first of equals.
  std::size_t smallest() const {
    std::size_t at = 0;
    for (std::size_t i = 1; i < size(); ++i)
      if (std::fabs(b_[i]) < std::fabs(b_[at]) - kAlike) at = i;
    return at;
  }
  std::size_t largest() const {
    std::size_t at = 0;
    for (std::size_t i = 1; i < size(); ++i)
      if (std::fabs(b_[i]) > std::fabs(b_[at]) + kAlike) at = i;
    return at;
  }
  double standardised(std::size_t i) const { return std::fabs(b_[i]); }

  // How much the squared error rises if a term is dropped.
  double rise(std::size_t i) const { return b_[i] * b_[i] / inverse_[i * size() + i] * target_squares_; }

  void drop(std::size_t dropped) {
    const std::size_t q = size();
    const double pivot = inverse_[dropped * q + dropped];
    std::vector<double> smaller;
    smaller.reserve((q - 1) * (q - 1));
    for (std::size_t i = 0; i < q; ++i) {
      if (i == dropped) continue;
      const double factor = inverse_[i * q + dropped] / pivot;
      for (std::size_t j = 0; j < q; ++j)
        if (j != dropped) smaller.push_back(inverse_[i * q + j] - factor * inverse_[dropped * q + j]);
      b_[i] -= factor * b_[dropped];
    }
    inverse_ = std::move(smaller);
    b_.erase(b_.begin() + static_cast<std::ptrdiff_t>(dropped));
    kept_.erase(kept_.begin() + static_cast<std::ptrdiff_t>(dropped));
  }

  Fitted model() const {
    Fitted out;
    out.intercept = target_mean_;
    for (std::size_t i = 0; i < size(); ++i) {
      const double coefficient = b_[i] * std::sqrt(target_squares_ / squares_[kept_[i]]);
      out.terms.push_back(terms_[kept_[i]]);
      out.coefficients.push_back(coefficient);
      out.intercept -= coefficient * mean_[kept_[i]];
    }
    return out;
  }

  double error(const Fitted& model, bool absolute) const {
    double sum = 0;
    for (std::size_t at = begin_; at < end_; ++at) {
      const double* row = rows_.row(at);
      double predicted = model.intercept;
      for (std::size_t i = 0; i < model.terms.size(); ++i) predicted += model.coefficients[i] * model.terms[i].of(row);
      const double away = rows_.target[at] - predicted;
      sum += rows_.weight(at) * (absolute ? std::fabs(away) : away * away);
    }
    return sum;
  }

 private:
  // Means, and sums of products around them: two passes, so that nothing cancels.
  void gather() {
    const std::size_t q = terms_.size();
    mean_.assign(q, 0);
    weight_ = 0;
    for (std::size_t at = begin_; at < end_; ++at) {
      const double w = rows_.weight(at);
      const double* row = rows_.row(at);
      weight_ += w;
      target_mean_ += w * rows_.target[at];
      for (std::size_t i = 0; i < q; ++i) mean_[i] += w * terms_[i].of(row);
    }
    target_mean_ /= weight_;
    for (double& mean : mean_) mean /= weight_;
    products_.assign(q * q, 0);
    with_target_.assign(q, 0);
    // Four rows at a time, so that the sums are read and written a quarter as often.
    constexpr std::size_t kTogether = 4;
    std::vector<double> away(kTogether * q, 0);
    std::vector<double> weighted(kTogether * q, 0);
    for (std::size_t begin = begin_; begin < end_; begin += kTogether) {
      const std::size_t n = std::min(kTogether, end_ - begin);
      if (n < kTogether) {
        std::fill(away.begin(), away.end(), 0);
        std::fill(weighted.begin(), weighted.end(), 0);
      }
      for (std::size_t t = 0; t < n; ++t) {
        const std::size_t at = begin + t;
        const double w = rows_.weight(at);
        const double* row = rows_.row(at);
        const double y = rows_.target[at] - target_mean_;
        target_squares_ += w * y * y;
        double* here = away.data() + t * q;
        double* heavy = weighted.data() + t * q;
        for (std::size_t i = 0; i < q; ++i) {
          here[i] = terms_[i].of(row) - mean_[i];
          heavy[i] = w * here[i];
          with_target_[i] += heavy[i] * y;
        }
      }
      const double* a = away.data();
      for (std::size_t i = 0; i < q; ++i) {
        const double w0 = weighted[i];
        const double w1 = weighted[q + i];
        const double w2 = weighted[2 * q + i];
        const double w3 = weighted[3 * q + i];
        double* into = products_.data() + i * q;
        for (std::size_t j = 0; j <= i; ++j) into[j] += w0 * a[j] + w1 * a[q + j] + w2 * a[2 * q + j] + w3 * a[3 * q + j];
      }
    }
  }

  // Terms that do not vary here are left out.
  void correlate() {
    const std::size_t q = terms_.size();
    squares_.resize(q);
    for (std::size_t i = 0; i < q; ++i) {
      squares_[i] = products_[i * q + i];
      const double scale = weight_ * mean_[i] * mean_[i];
      if (squares_[i] > 1e-24 * scale && squares_[i] > 0 && target_squares_ > 0) kept_.push_back(i);
    }
    const std::size_t k = kept_.size();
    inverse_.assign(k * k, 0);
    b_.resize(k);
    for (std::size_t i = 0; i < k; ++i) {
      for (std::size_t j = 0; j <= i; ++j) {
        const double r = products_[kept_[i] * q + kept_[j]] / std::sqrt(squares_[kept_[i]]) / std::sqrt(squares_[kept_[j]]);
        inverse_[i * k + j] = inverse_[j * k + i] = r;
      }
      b_[i] = with_target_[kept_[i]] / std::sqrt(squares_[kept_[i]]) / std::sqrt(target_squares_);
    }
  }

  // The Cholesky factor of the correlations plus a ridge; false if they are nearly singular without one.
  bool factorise(double ridge, std::vector<double>& factor) const {
    const std::size_t k = size();
    factor.assign(k * k, 0);
    for (std::size_t i = 0; i < k; ++i)
      for (std::size_t j = 0; j <= i; ++j) {
        double sum = inverse_[i * k + j] + (i == j ? ridge : 0);
        for (std::size_t t = 0; t < j; ++t) sum -= factor[i * k + t] * factor[j * k + t];
        if (i == j && ridge == 0 && sum < kSingular) return false;
        // Rounding may not pull pivots below what the ridge makes of them.
        factor[i * k + j] = i == j ? std::sqrt(std::max(sum, 1e-14)) : sum / factor[j * k + j];
      }
    return true;
  }

  // Replaces the correlations by their inverse (Cholesky) and the correlations with the target by the coefficients.
  void invert() {
    const std::size_t k = size();
    std::vector<double> factor;
    if (!factorise(0, factor)) factorise(kRidge / std::max(weight_ - 1, 1.0), factor);
    // The inverse of the factor, then of the product.
    std::vector<double> factor_inverse(k * k, 0);
    for (std::size_t c = 0; c < k; ++c)
      for (std::size_t i = c; i < k; ++i) {
        double sum = i == c ? 1 : 0;
        for (std::size_t t = c; t < i; ++t) sum -= factor[i * k + t] * factor_inverse[t * k + c];
        factor_inverse[i * k + c] = sum / factor[i * k + i];
      }
    for (std::size_t i = 0; i < k; ++i)
      for (std::size_t j = 0; j <= i; ++j) {
        double sum = 0;
        for (std::size_t t = i; t < k; ++t) sum += factor_inverse[t * k + i] * factor_inverse[t * k + j];
        inverse_[i * k + j] = inverse_[j * k + i] = sum;
      }
    std::vector<double> b(k, 0);
    for (std::size_t i = 0; i < k; ++i)
      for (std::size_t j = 0; j < k; ++j) b[i] += inverse_[i * k + j] * b_[j];
    b_ = std::move(b);
  }

  const ModelRows& rows_;
  std::size_t begin_;
  std::size_t end_;
  const std::vector<Term>& terms_;
  double weight_ = 0;
  double target_mean_ = 0;
  double target_squares_ = 0;
  std::vector<double> mean_, squares_, products_, with_target_;
  std::vector<std::size_t> kept_;
  std::vector<double> inverse_, b_;
};

Fitted drop_by_akaike(Regression& regression) {
  while (regression.size() > 0) {
    const std::size_t most = regression.largest();
    if (!(regression.standardised(most) > kCollinear + kAlike)) break;
    regression.drop(most);
  }
  double error = regression.error(regression.model(), false);
  const double full = error + regression.rounding();
  bool dropped = false;
  const double freedom = regression.weight() - static_cast<double>(regression.size() + 1);
  double best = freedom + 2 * static_cast<double>(regression.size() + 1);
  while (regression.size() > 0) {
    const std::size_t least = regression.smallest();
    const double without = error + regression.rise(least);
    const double akaike = (without + regression.rounding()) / full * freedom + 2 * static_cast<double>(regression.size());
    if (!(akaike < best * (1 - kAlike))) break;
    best = akaike;
    error = without;
    dropped = true;
    regression.drop(least);
  }
  Fitted out = regression.model();
  out.error = dropped ? regression.error(out, false) : error;
  return out;
}

Fitted drop_by_estimate(Regression& regression) {
  const auto estimate = [&](const Fitted& model) {
    return model.error * adjusted(regression.weight(), static_cast<double>(model.terms.size() + 1), 1);
  };
  Fitted best = regression.model();
  best.error = regression.error(best, true);
  while (regression.size() > 0) {
    regression.drop(regression.smallest());
    Fitted model = regression.model();
    model.error = regression.error(model, true);
    if (estimate(model) > estimate(best) + kAlike * regression.deviation()) break;
    best = std::move(model);
  }
  return best;
}

}  // namespace

Fitted regress(const ModelRows& rows, std::size_t begin, std::size_t end, const std::vector<Term>& terms, Dropping dropping) {
  Regression regression(rows, begin, end, terms);
  return dropping == Dropping::akaike ? drop_by_akaike(regression) : drop_by_estimate(regression);
}

}  // namespace tw
