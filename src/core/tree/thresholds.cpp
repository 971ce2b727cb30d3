#include "tree/thresholds.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tw {

Tree at_training_values(Tree tree, const std::vector<View>& cells, u64 n_rows) {
  struct Place {
    double at;
    std::size_t cut;
  };
  // Halfway as both programs compute it: a value exactly there counts.
  const auto place = [&](std::size_t c) {
    const double halfway = (tree.cut_below[c] + tree.cut_above[c]) / 2;
    return Place{std::isfinite(halfway) && halfway < tree.cut_above[c] ? halfway : tree.cut_at[c], c};
  };
  std::vector<std::vector<Place>> places(tree.columns.size());
  for (std::size_t i = 0; i < tree.size(); ++i)
    if (static_cast<Family>(tree.family[i]) == Family::threshold && !tree.strict[i])
      places[static_cast<std::size_t>(tree.column[i])].push_back(place(tree.cut_begin[i]));
  for (std::size_t j = 0; j < places.size(); ++j) {
    auto& here = places[j];
    if (here.empty()) continue;
    std::sort(here.begin(), here.end(), [](const Place& a, const Place& b) { return a.at < b.at; });
    // The largest value in each gap between thresholds; a threshold takes the largest of all gaps below it.
    std::vector<double> largest(here.size(), -std::numeric_limits<double>::infinity());
    for (u64 row = 0; row < n_rows; ++row) {
      const double x = cells[j].number(row) + 0.0;
      if (std::isnan(x) || x > here.back().at) continue;
      const auto gap = std::lower_bound(here.begin(), here.end(), x, [](const Place& a, double value) { return a.at < value; });
      double& most = largest[static_cast<std::size_t>(gap - here.begin())];
      most = std::max(most, x);
    }
    for (std::size_t p = 1; p < here.size(); ++p) largest[p] = std::max(largest[p], largest[p - 1]);
    for (std::size_t p = 0; p < here.size(); ++p)
      if (std::isfinite(largest[p])) tree.cut_at[here[p].cut] = largest[p];
  }
  return tree;
}

}  // namespace tw
