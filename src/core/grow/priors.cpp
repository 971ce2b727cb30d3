// Factors of the classes from priors, class weights and losses.
#include "grow/priors.hpp"

namespace tw {

namespace {

std::vector<double> scaled(std::vector<double> factor, const std::vector<double>& weight) {
  double all = 0;
  double seen = 0;
  for (std::size_t k = 0; k < factor.size(); ++k) {
    all += weight[k];
    seen += weight[k] * factor[k];
  }
  for (double& f : factor) f *= all / seen;
  return factor;
}

}  // namespace

bool weighs_classes(const GrowSettings& settings) {
  return !settings.priors.empty() || !settings.class_weight.empty() || !settings.loss_sums.empty();
}

std::vector<double> weights_by_class(const Table& table) {
  std::vector<double> weight(table.target.n_classes, 0);
  for (Row row = 0; row < table.n_rows; ++row) weight[table.target.class_of[row]] += static_cast<double>(table.weights[row]);
  return weight;
}

void set_class_factors(const std::vector<double>& weight, GrowSettings& settings) {
  const std::size_t n = weight.size();
  if (n == 0 || !weighs_classes(settings)) return;
  std::vector<double> factor(n, 1);
  for (std::size_t k = 0; k < n; ++k) {
    if (!settings.priors.empty()) factor[k] = weight[k] > 0 ? settings.priors[k] / weight[k] : 0;
    if (!settings.class_weight.empty()) factor[k] = settings.class_weight[k];
  }
  factor = scaled(std::move(factor), weight);
  if (!settings.priors.empty() || !settings.class_weight.empty()) settings.search.priors = factor;
  if (!settings.loss_sums.empty())
    for (std::size_t k = 0; k < n; ++k) factor[k] *= settings.loss_sums[k];
  settings.search.reweighted = scaled(std::move(factor), weight);
}

}  // namespace tw
