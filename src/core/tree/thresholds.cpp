#include "tree/thresholds.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace tw {

namespace {

constexpr std::size_t kGrid = 1024;

}  // namespace

Tree at_training_values(Tree tree, const std::vector<View>& cells, u64 n_rows) {
  struct Place {
    double at;
    double* cut;
  };
  // Halfway as both programs compute it: a value exactly there counts.
  const auto place = [&](std::size_t c) {
    const double halfway = (tree.cut_below[c] + tree.cut_above[c]) / 2;
    return Place{std::isfinite(halfway) && halfway < tree.cut_above[c] ? halfway : tree.cut_at[c], &tree.cut_at[c]};
  };
  std::vector<std::vector<Place>> places(tree.columns.size());
  for (std::size_t i = 0; i < tree.size(); ++i)
    if (static_cast<Family>(tree.family[i]) == Family::threshold && !tree.strict[i])
      places[static_cast<std::size_t>(tree.column[i])].push_back(place(tree.cut_begin[i]));
  for (std::size_t i = 0; i < (tree.weighed.empty() ? 0 : tree.size()); ++i)
    for (std::size_t w = tree.candidates(i).begin; w < tree.candidates(i).end; ++w)
      if (Weighed& one = tree.weighed[w]; one.family == Family::threshold && !tree.strict[i])
        places[one.column].push_back({one.cut, &one.cut});
  for (std::size_t j = 0; j < places.size(); ++j) {
    auto& here = places[j];
    if (here.empty()) continue;
    std::sort(here.begin(), here.end(), [](const Place& a, const Place& b) { return a.at < b.at; });
    // The largest value in each gap between thresholds; a threshold takes the largest of all gaps below it.
    std::vector<double> largest(here.size(), -std::numeric_limits<double>::infinity());
    // A grid over the thresholds says where to begin looking for the first that is not below a value.
    const double low = here.front().at;
    const double scale = kGrid / (here.back().at - low);
    const auto cell = [&](double x) { return x <= low || !std::isfinite(scale) ? 0 : static_cast<std::size_t>((x - low) * scale); };
    std::array<u32, kGrid + 2> first{};
    for (std::size_t c = 1, p = 0; c < first.size(); ++c) {
      while (p < here.size() && cell(here[p].at) < c) ++p;
      first[c] = static_cast<u32>(p);
    }
    for (u64 row = 0; row < n_rows; ++row) {
      const double x = cells[j].number(row) + 0.0;
      if (std::isnan(x) || x > here.back().at) continue;
      std::size_t gap = first[cell(x)];
      while (here[gap].at < x) ++gap;
      largest[gap] = std::max(largest[gap], x);
    }
    for (std::size_t p = 1; p < here.size(); ++p) largest[p] = std::max(largest[p], largest[p - 1]);
    for (std::size_t p = 0; p < here.size(); ++p)
      if (std::isfinite(largest[p])) *here[p].cut = largest[p];
  }
  return tree;
}

}  // namespace tw
