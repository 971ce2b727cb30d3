// Trees of spheres and ellipsoids: a centre is looked for among the means of classes, and of spheres among rows too; the radius is the best
// of all by the sorted distances (exercise 5 of Alpaydin's chapter on trees).
#include "oblique/centres.hpp"

#include <algorithm>
#include <numeric>

#include "oblique/drawn.hpp"
#include "oblique/moments.hpp"
#include "oblique/planes.hpp"

namespace tw {

namespace {

constexpr std::size_t kMostRows = 200;  // that are tried as centres

// The classes; or of numbers those above the mean, and the others.
std::vector<Moments> groups_of(const NodeMatrix& rows, const JobControl& job) {
  if (rows.n_classes > 0) return moments_by_class(rows, job);
  NodeMatrix two = rows;
  two.n_classes = 2;
  two.labels.resize(rows.n);
  for (std::size_t i = 0; i < rows.n; ++i) two.labels[i] = rows.targets[i] > 0;
  return moments_by_class(two, job);
}

// What a squared distance from a centre is, but for a constant: x' A x - 2 c' A x; no `inverse`: the sum of squares.
std::vector<double> weights_of(const Features& features, const std::vector<std::size_t>& numbers, const std::vector<double>& centre,
                               const Symmetric* inverse) {
  std::vector<double> out(features.size(), 0.0);
  std::vector<std::size_t> place(features.columns(), 0);
  for (std::size_t a = 0; a < numbers.size(); ++a) place[numbers[a]] = a;
  for (std::size_t f = features.columns(); f < features.size(); ++f) {
    const Feature& one = features[f];
    if (one.second == Feature::kSquares) {
      out[f] = 1;
    } else if (inverse != nullptr) {
      const auto second = static_cast<std::size_t>(one.second);
      out[f] = (one.first == second ? 1 : 2) * (*inverse)(place[one.first], place[second]);
    }
  }
  for (std::size_t a = 0; a < numbers.size(); ++a) {
    if (inverse == nullptr) out[numbers[a]] = -2 * centre[numbers[a]];
    for (std::size_t b = 0; inverse != nullptr && b < numbers.size(); ++b) out[numbers[a]] -= 2 * (*inverse)(a, b) * centre[numbers[b]];
  }
  return out;
}

std::vector<std::size_t> numbers_of(const Features& features) {
  std::vector<std::size_t> out;
  for (std::size_t s = 0; s < features.columns(); ++s)
    if (features.number(s)) out.push_back(s);
  return out;
}

}  // namespace

std::vector<std::vector<double>> distances(const NodeMatrix& rows, const Features& features, const JobControl& job) {
  const std::vector<std::size_t> numbers = numbers_of(features);
  const bool sphere = features.size() > features.columns() && features[features.size() - 1].second == Feature::kSquares;
  std::vector<std::vector<double>> out;
  for (const Moments& one : groups_of(rows, job)) {
    if (!(one.weight > 0)) continue;
    if (sphere) {
      out.push_back(weights_of(features, numbers, one.mean, nullptr));
      continue;
    }
    Symmetric covariance(numbers.size());
    for (std::size_t a = 0; a < numbers.size(); ++a)
      for (std::size_t b = 0; b < numbers.size(); ++b) covariance(a, b) = one.scatter(numbers[a], numbers[b]) / one.weight;
    const auto factor = factor_of(covariance, job);
    if (!factor) continue;
    Symmetric inverse(numbers.size());
    for (std::size_t a = 0; a < numbers.size(); ++a) {
      std::vector<double> unit(numbers.size(), 0.0);
      unit[a] = 1;
      const std::vector<double> column = solve(*factor, unit);
      for (std::size_t b = 0; b < numbers.size(); ++b) inverse(b, a) = column[b];
    }
    out.push_back(weights_of(features, numbers, one.mean, &inverse));
  }
  return out;
}

namespace {

class Centres final : public PlaneSearch {
 public:
  Centres(const ObliqueSettings& settings, const Features& features) : settings_(settings), features_(features) {}

  std::vector<Plane> find(const NodeMatrix& rows, Measure measure, u64 draw, JobControl& job) const override {
    Sweep sweep(rows, measure);
    Plane best;
    double most = 0;
    const auto look_at = [&](std::vector<double> weights) {
      job.check();
      const auto found = sweep.best_shift(values_of(weights, rows));
      if (!found || (!best.weights.empty() && !higher(found->score, most))) return;
      most = found->score;
      best.weights = std::move(weights);
    };
    for (std::vector<double>& weights : distances(rows, features_, job)) look_at(std::move(weights));
    if (settings_.node == NodeForm::sphere) {
      const std::vector<std::size_t> numbers = numbers_of(features_);
      std::vector<double> centre(features_.columns(), 0.0);
      Drawn drawn(mix(draw, 0xce7));
      const std::size_t tries = std::min(rows.n, kMostRows);
      for (std::size_t t = 0; t < tries; ++t) {
        const std::size_t i = tries == rows.n ? t : static_cast<std::size_t>(drawn.unit() * static_cast<double>(rows.n));
        for (const std::size_t s : numbers) centre[s] = rows.of(s)[i];
        look_at(weights_of(features_, numbers, centre, nullptr));
      }
    }
    if (best.weights.empty()) return {};
    return {std::move(best)};
  }

 private:
  const ObliqueSettings& settings_;
  const Features& features_;
};

const Enrol<ProposerEntry> enrol({"centres", "spheres and ellipsoids around means and rows", &make_planes<Centres>});

}  // namespace

}  // namespace tw
