// FACT (Loh and Vanichsetakul 1988): linear discriminants with a common covariance among the principal components of a node, a branch for
// every class. Where no component tells the means of the classes apart, the squared deviations from the mean are looked at instead.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "oblique/machines.hpp"
#include "oblique/moments.hpp"

namespace tw {

namespace {

constexpr double kLeastF = 4;              // F0: what the largest ratio of an analysis of variance must reach
constexpr double kLeastEigenvalue = 0.05;  // of the largest: components of less say nothing

struct Found {
  Machine machine;
  double largest_f = 0;
};

// Scores of classes whose distributions are normal with one covariance, among the components that vary enough; nothing where they do not.
std::optional<Found> discriminants(const NodeMatrix& rows, JobControl& job) {
  const std::size_t d = rows.d;
  const std::size_t k = rows.n_classes;
  const std::vector<Moments> of_class = moments_by_class(rows, job);
  Moments all(d);
  Symmetric within(d);
  for (const Moments& one : of_class) {
    all.add(one);
    for (std::size_t c = 0; c < within.cells.size(); ++c) within.cells[c] += one.scatter.cells[c];
  }
  // Components of the correlations, so that no unit counts.
  std::vector<double> deviation(d, 0.0);
  for (std::size_t i = 0; i < d; ++i) deviation[i] = std::sqrt(std::max(all.scatter(i, i) / all.weight, 0.0));
  Symmetric correlation(d);
  for (std::size_t i = 0; i < d; ++i)
    for (std::size_t j = 0; j < d; ++j)
      if (deviation[i] > 0 && deviation[j] > 0) correlation(i, j) = all.scatter(i, j) / all.weight / (deviation[i] * deviation[j]);
  const Axes axes = axes_of(correlation, job);
  std::size_t kept = 0;
  while (kept < d && axes.values[kept] > kLeastEigenvalue * axes.values[0]) ++kept;
  if (kept == 0) return std::nullopt;
  // Means of the classes and the common covariance, seen along the components.
  const auto axis = [&](std::size_t p, std::size_t i) { return deviation[i] > 0 ? axes.axes(p, i) / deviation[i] : 0; };
  std::vector<double> mean(k * kept, 0.0);
  for (std::size_t c = 0; c < k; ++c)
    for (std::size_t p = 0; p < kept; ++p)
      for (std::size_t i = 0; i < d; ++i) mean[c * kept + p] += axis(p, i) * (of_class[c].mean[i] - all.mean[i]);
  const double degrees = std::max(all.weight - static_cast<double>(k), 1.0);
  Symmetric common(kept);
  std::vector<double> turned(d);
  for (std::size_t p = 0; p < kept; ++p) {
    job.check();
    for (std::size_t i = 0; i < d; ++i) {
      turned[i] = 0;
      for (std::size_t j = 0; j < d; ++j) turned[i] += within(i, j) * axis(p, j);
    }
    for (std::size_t q = 0; q < kept; ++q)
      for (std::size_t i = 0; i < d; ++i) common(p, q) += axis(q, i) * turned[i] / degrees;
  }
  Found out;
  for (std::size_t p = 0; p < kept; ++p) {
    double between = 0;
    for (std::size_t c = 0; c < k; ++c) between += of_class[c].weight * mean[c * kept + p] * mean[c * kept + p];
    between /= static_cast<double>(k) - 1;
    if (between > 0) out.largest_f = std::max(out.largest_f, common(p, p) > 0 ? between / common(p, p) : 2 * kLeastF);
  }
  std::optional<Symmetric> factor;
  for (; kept > 0 && !factor; --kept) {
    Symmetric part(kept);
    for (std::size_t p = 0; p < kept; ++p)
      for (std::size_t q = 0; q < kept; ++q) part(p, q) = common(p, q);
    factor = factor_of(part, job);
    if (factor) break;
  }
  if (!factor) return std::nullopt;
  const std::size_t width = mean.size() / k;
  out.machine = {d, std::vector<double>(k * d, 0.0), std::vector<double>(k, 0.0)};
  for (std::size_t c = 0; c < k; ++c) {
    const std::span<const double> own(mean.data() + c * width, kept);
    const std::vector<double> x = solve(*factor, own);
    double constant = std::log(of_class[c].weight / all.weight);
    for (std::size_t p = 0; p < kept; ++p) constant -= 0.5 * x[p] * own[p];
    for (std::size_t i = 0; i < d; ++i) {
      double w = 0;
      for (std::size_t p = 0; p < kept; ++p) w += x[p] * axis(p, i);
      out.machine.weights[c * d + i] = w;
      constant -= w * all.mean[i];
    }
    out.machine.constant[c] = constant;
  }
  return out;
}

class Fact final : public PlaneSearch {
 public:
  Fact(const ObliqueSettings& settings, const Features& features) : settings_(settings), features_(features) {}

  // Linear nodes have squares at hand, for classes whose means are the same.
  static NodeForm form_of(NodeForm asked) { return asked == NodeForm::linear ? NodeForm::squares : asked; }

  std::vector<Plane> find(const NodeMatrix& rows, Measure, u64, JobControl& job) const override {
    if (rows.n_classes < 2) return {};
    const bool linear = settings_.node == NodeForm::squares;
    std::vector<std::size_t> features(rows.d);
    std::iota(features.begin(), features.end(), std::size_t{0});
    std::vector<std::size_t> kept = features;
    const auto found = best(rows, kept, job);
    if (found && (!linear || found->largest_f >= kLeastF)) return {plane_of(found->machine, kept, rows.d)};
    if (linear)
      if (auto polar = squared(rows, job)) return {std::move(*polar)};
    if (!found) return {};
    return {plane_of(found->machine, kept, rows.d)};
  }

 private:
  // Without the features that matter least, where there may be so many and no more; `features` are those that stay.
  std::optional<Found> best(const NodeMatrix& rows, std::vector<std::size_t>& features, JobControl& job) const {
    for (;;) {
      const NodeMatrix some = some_of(rows, features);
      auto found = discriminants(some, job);
      if (!found || settings_.max_terms == 0 || features.size() <= settings_.max_terms) return found;
      features.erase(features.begin() + static_cast<std::ptrdiff_t>(least_dispersed(found->machine, some)));
    }
  }

  // (x - mean)² instead of x.
  std::optional<Plane> squared(const NodeMatrix& rows, JobControl& job) const {
    std::vector<std::size_t> numbers;
    for (std::size_t f = 0; f < features_.columns(); ++f)
      if (features_.number(f)) numbers.push_back(f);
    if (numbers.empty()) return std::nullopt;
    NodeMatrix off = some_of(rows, numbers);
    const NodeScale scale = scale_of(off);
    for (std::size_t f = 0; f < off.d; ++f)
      for (std::size_t i = 0; i < off.n; ++i) {
        double& x = off.cells[f * off.n + i];
        x = (x - scale.centre[f]) * (x - scale.centre[f]);
      }
    std::vector<std::size_t> kept(numbers.size());
    std::iota(kept.begin(), kept.end(), std::size_t{0});
    const auto found = best(off, kept, job);
    if (!found || found->largest_f < kLeastF) return std::nullopt;
    const std::size_t k = found->machine.classes();
    Machine whole{features_.size(), std::vector<double>(k * features_.size(), 0.0), found->machine.constant};
    for (std::size_t c = 0; c < k; ++c)
      for (std::size_t f = 0; f < kept.size(); ++f) {
        const double w = found->machine.of(c)[f];
        const std::size_t at = kept[f];
        whole.weights[c * features_.size() + features_.columns() + at] += w;  // squares stand behind the columns, of numbers in their order
        whole.weights[c * features_.size() + numbers[at]] -= 2 * w * scale.centre[at];
        whole.constant[c] += w * scale.centre[at] * scale.centre[at];
      }
    std::vector<std::size_t> every(features_.size());
    std::iota(every.begin(), every.end(), std::size_t{0});
    return plane_of(whole, every, features_.size());
  }

  const ObliqueSettings& settings_;
  const Features& features_;
};

const Enrol<ProposerEntry> enrol({"fact", "linear discriminants with a branch for every class", &make_planes<Fact>});

}  // namespace

}  // namespace tw
