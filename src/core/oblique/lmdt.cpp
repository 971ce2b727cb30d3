// Linear machine decision trees (Brodley and Utgoff 1992, 1995): thermal training of a linear machine, from which the features are taken
// out one after the other whose weights differ least between the classes.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/hash.hpp"
#include "oblique/machines.hpp"

namespace tw {

namespace {

constexpr double kHot = 2;         // beta, the temperature, at the beginning
constexpr double kCold = 0.001;    // and at the end
constexpr double kShrink = 0.999;  // beta becomes a beta - b
constexpr double kFall = 0.0005;
constexpr double kDrop = 0.1;           // elimination ends where the machine is right for a tenth less of the rows than the best was
constexpr std::size_t kRows = 400'000;  // that are looked at in one training...
constexpr std::size_t kLeastPasses = 5;
constexpr std::size_t kMostPasses = 2000;  // ... in as many passes

struct Trained {
  Machine machine;
  double right = 0;  // weight of the rows that it takes to their class
};

// Rows lie one after the other here, each with a 1 behind its features.
class Thermal {
 public:
  Thermal(const NodeMatrix& rows, const NodeScale& scale, std::span<const std::size_t> features, const std::vector<u32>& order,
          JobControl& job)
      : rows_(rows), order_(order), job_(job), width_(features.size() + 1), k_(rows.n_classes), cells_(rows.n * width_, 1.0) {
    for (std::size_t f = 0; f < features.size(); ++f) {
      const auto from = rows.of(features[f]);
      const double centre = scale.centre[features[f]];
      const double inverse = scale.inverse[features[f]];
      for (std::size_t i = 0; i < rows.n; ++i) cells_[i * width_ + f] = (from[i] - centre) * inverse;
    }
    squares_.assign(rows.n, 0.0);
    for (std::size_t i = 0; i < rows.n; ++i)
      for (std::size_t f = 0; f < width_; ++f) squares_[i] += cells_[i * width_ + f] * cells_[i * width_ + f];
    mean_ = rows.total / static_cast<double>(rows.n);
  }

  // The machine over the scaled features, constants last; and what it gets right.
  std::vector<double> train(double& right) {
    std::vector<double> weights(k_ * width_, 0.0);
    std::vector<double> score(k_);
    double beta = kHot;
    bool grew = false;
    const std::size_t passes = std::clamp(kRows / std::max<std::size_t>(rows_.n, 1), kLeastPasses, kMostPasses);
    for (std::size_t pass = 0; pass < passes && beta > kCold; ++pass) {
      job_.check();
      bool corrected = false;
      for (const u32 i : order_) {
        const double* y = &cells_[i * width_];
        const std::size_t own = rows_.labels[i];
        const std::size_t said = largest(weights, y, score);
        if (said == own) continue;
        const double k = (score[said] - score[own]) / (2 * squares_[i]);
        if (!(k < beta)) continue;
        corrected = true;
        const double c = beta * beta / (beta + k) * (rows_.weights[i] / mean_);
        for (std::size_t f = 0; f < width_; ++f) {
          weights[own * width_ + f] += c * y[f];
          weights[said * width_ + f] -= c * y[f];
        }
        // The sum of the squares of all weights grows by 2 c y'y (c - 2 k).
        const bool grows = c > 2 * k;
        if (!grows && grew) beta = kShrink * beta - kFall;
        grew = grows;
        if (beta <= kCold) break;
      }
      if (!corrected) break;
    }
    right = 0;
    for (std::size_t i = 0; i < rows_.n; ++i)
      if (largest(weights, &cells_[i * width_], score) == rows_.labels[i]) right += rows_.weights[i];
    return weights;
  }

 private:
  std::size_t largest(const std::vector<double>& weights, const double* y, std::vector<double>& score) const {
    std::size_t best = 0;
    for (std::size_t c = 0; c < k_; ++c) {
      score[c] = 0;
      for (std::size_t f = 0; f < width_; ++f) score[c] += weights[c * width_ + f] * y[f];
      if (score[c] > score[best]) best = c;
    }
    return best;
  }

  const NodeMatrix& rows_;
  const std::vector<u32>& order_;
  JobControl& job_;
  const std::size_t width_, k_;
  std::vector<double> cells_, squares_;
  double mean_ = 1;
};

Trained trained(const NodeMatrix& rows, const NodeScale& scale, std::span<const std::size_t> features, const std::vector<u32>& order,
                JobControl& job) {
  Trained out;
  const std::vector<double> weights = Thermal(rows, scale, features, order, job).train(out.right);
  const std::size_t d = features.size();
  out.machine = {d, std::vector<double>(rows.n_classes * d), std::vector<double>(rows.n_classes)};
  for (std::size_t c = 0; c < rows.n_classes; ++c) {
    const double* from = &weights[c * (d + 1)];
    double constant = from[d];
    for (std::size_t f = 0; f < d; ++f) {
      const double w = from[f] * scale.inverse[features[f]];
      out.machine.weights[c * d + f] = w;
      constant -= w * scale.centre[features[f]];
    }
    out.machine.constant[c] = constant;
  }
  return out;
}

class Lmdt final : public PlaneSearch {
 public:
  Lmdt(const ObliqueSettings& settings, const Features&) : settings_(settings) {}

  std::vector<Plane> find(const NodeMatrix& rows, Measure, u64 draw, JobControl& job) const override {
    if (rows.n_classes < 2) return {};
    const std::vector<u32> order = drawn_order(rows, mix(draw, 0x1d7));
    const NodeScale scale = scale_of(rows);
    std::vector<std::size_t> features(rows.d);
    std::iota(features.begin(), features.end(), std::size_t{0});
    std::vector<std::size_t> kept;
    Trained best;
    double most = 0;
    for (;;) {
      const Trained now = trained(rows, scale, features, order, job);
      most = std::max(most, now.right);
      const bool few = settings_.max_terms == 0 || features.size() <= settings_.max_terms;
      // Of as many features as half of the rows any machine fits anything (its capacity); of equals the one of fewer features.
      const bool fits = features.size() == 1 || 2 * features.size() <= rows.n;
      if (few && fits && (kept.empty() || now.right >= best.right)) {
        best = now;
        kept = features;
      }
      if (features.size() == 1 || (!kept.empty() && now.right < (1 - kDrop) * most)) break;
      const NodeMatrix some = some_of(rows, features);
      features.erase(features.begin() + static_cast<std::ptrdiff_t>(least_dispersed(now.machine, some)));
    }
    if (kept.empty()) return {};
    return {plane_of(best.machine, kept, rows.d)};
  }

 private:
  const ObliqueSettings& settings_;
};

const Enrol<ProposerEntry> enrol({"lmdt", "linear machines by thermal training", &make_planes<Lmdt>});

}  // namespace

}  // namespace tw
