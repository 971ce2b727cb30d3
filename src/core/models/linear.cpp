// Linear models of a tree: validation, smoothing towards the root, and predictions, also blended around thresholds.
#include "models/linear.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <span>

#include "base/errors.hpp"
#include "base/parallel.hpp"
#include "models/scores.hpp"

namespace tw {

void validate(const LinearModels& models, const Tree& tree) {
  validate(models.terms);
  const auto refuse = [](const char* why) { throw Invalid(std::string("the linear models are damaged: ") + why); };
  if (models.terms.columns() != tree.columns.size()) refuse("they have other columns than the tree");
  for (std::size_t j = 0; j < tree.columns.size(); ++j)
    if (models.terms.kind[j] != static_cast<u8>(tree.columns[j].kind) ||
        (models.terms.nominal(j) && models.terms.n_levels(j) != tree.columns[j].n_levels))
      refuse("they have other columns than the tree");
  for (std::size_t i = 0; i < tree.size(); ++i) {
    if (tree.leaf(i)) continue;
    const auto family = static_cast<Family>(tree.family[i]);
    const bool fits = tree.columns[static_cast<std::size_t>(tree.column[i])].kind == Kind::numeric
                          ? family == Family::threshold && tree.cuts(i).size() == 1 && tree.strict[i] == 0
                          : family != Family::presence;
    if (!fits || tree.terms(i).size() > 0) refuse("a split is not one that they are answered by");
  }
  if (models.size() != tree.size() * models_per_node(tree) || models.term_begin.size() != models.size() + 1)
    refuse("there are not as many as the tree has nodes and classes");
  if (models.term_begin[0] != 0 || models.term_begin.back() != models.coefficient.size() ||
      models.term_column.size() != models.coefficient.size() || models.term_place.size() != models.coefficient.size())
    refuse("their terms differ in length");
  for (std::size_t i = 0; i < models.size(); ++i) {
    if (models.term_begin[i] > models.term_begin[i + 1]) refuse("their terms do not ascend");
    if (!std::isfinite(models.intercept[i])) refuse("an intercept is not finite");
  }
  for (std::size_t i = 0; i < models.coefficient.size(); ++i) {
    const u32 column = models.term_column[i];
    if (!std::isfinite(models.coefficient[i])) refuse("a coefficient is not finite");
    if (column >= models.terms.columns()) refuse("a term names no column");
    const i64 levels = models.terms.n_levels(column);
    const i64 place = models.term_place[i];
    if (models.terms.nominal(column) ? (place == -1 || place >= levels - 1 || -2 - place >= levels) : place != -1)
      refuse("a term names no place of its column");
  }
}

namespace {

using Sum = std::map<std::pair<u32, i32>, double>;

void add_model(const LinearModels& models, std::size_t node, double share, Sum& sum, double& intercept) {
  intercept += share * models.intercept[node];
  for (u32 i = models.term_begin[node]; i < models.term_begin[node + 1]; ++i)
    sum[{models.term_column[i], models.term_place[i]}] += share * models.coefficient[i];
}

}  // namespace

LinearModels smoothed(const LinearModels& models, const Tree& tree, double k) {
  LinearModels out;
  out.terms = models.terms;
  out.term_begin.push_back(0);
  for (std::size_t node = 0; node < tree.size(); ++node) {
    Sum sum;
    double intercept = 0;
    // The share of the leaf's own model, and of every one above it.
    double rest = 1;
    std::vector<std::pair<std::size_t, double>> shares;
    if (tree.leaf(node)) {
      std::vector<std::size_t> path;
      for (i64 at = static_cast<i64>(node); at >= 0; at = tree.parent[static_cast<std::size_t>(at)])
        path.push_back(static_cast<std::size_t>(at));
      for (std::size_t up = path.size() - 1; up > 0; --up) {
        const double n = tree.weight[path[up - 1]];
        shares.emplace_back(path[up], rest * k / (n + k));
        rest *= n / (n + k);
      }
    }
    shares.emplace_back(node, rest);
    for (auto at = shares.rbegin(); at != shares.rend(); ++at) add_model(models, at->first, at->second, sum, intercept);
    out.intercept.push_back(intercept);
    for (const auto& [term, coefficient] : sum) {
      out.term_column.push_back(term.first);
      out.term_place.push_back(term.second);
      out.coefficient.push_back(coefficient);
    }
    out.term_begin.push_back(static_cast<u32>(out.coefficient.size()));
  }
  return out;
}

namespace {

// The share of a row that goes to one branch of a split, and which branch takes the rest.
struct Route {
  double share = 0;
  u32 branch = 0;
  u32 other = 0;
};

Route route_of(const LinearModels& models, const Tree& tree, std::size_t node, const double* row, double band) {
  const auto column = static_cast<std::size_t>(tree.column[node]);
  if (band > 0 && !models.terms.nominal(column)) {
    const double at = tree.cut_at[tree.cuts(node).begin];
    const double half = band * models.terms.spread[column];
    const double low = at - half;
    const double high = at + half;
    // Exports compute the same: 1 at the lower end, and a slope.
    const double slope = -1 / (high - low);
    if (std::isfinite(slope) && slope < 0 && row[column] > low && row[column] < high) return {slope * (row[column] - low) + 1, 0, 1};
  }
  return {1, branch_of(models.terms, tree, node, row), 0};
}

// The prediction of a model of numbers: where the sum overflows, the end of the range of floats, so that it can be mixed and compared.
double bounded_answer(const LinearModels& models, std::size_t node, const double* row) {
  const double sum = models.answer(node, row);
  if (std::isfinite(sum)) return sum;
  constexpr int kHalf = 520;  // products of numbers that are smaller by this many powers of two, and their sums, are finite
  double small = std::ldexp(models.intercept[node], -2 * kHalf);
  for (u32 i = models.term_begin[node]; i < models.term_begin[node + 1]; ++i) {
    const double value = Term{models.term_column[i], models.term_place[i]}.of(row);
    small += std::ldexp(models.coefficient[i], -kHalf) * std::ldexp(value, -kHalf);
  }
  constexpr double kEnd = std::numeric_limits<double>::max();
  return std::clamp(std::ldexp(small, 2 * kHalf), -kEnd, kEnd);
}

// Adds the predictions of the leaves of a row, by their shares, to `sums`.
void answer_of(const LinearModels& models, const Tree& tree, const double* row, double band, std::vector<std::pair<u32, double>>& open,
               double* sums) {
  const std::size_t per_node = models_per_node(tree);
  open.assign(1, {0, 1.0});
  while (!open.empty()) {
    const auto [node, share] = open.back();
    open.pop_back();
    if (tree.leaf(node)) {
      if (tree.n_classes == 0) sums[0] += share * bounded_answer(models, node, row);
      for (std::size_t k = 0; k < tree.n_classes; ++k) sums[k] += share * models.answer(node * per_node + k, row);
      continue;
    }
    const Route route = route_of(models, tree, node, row, band);
    // The last branch is answered first, as for soft thresholds: sums depend on the order.
    if (route.share > 0) open.emplace_back(tree.first_child[node] + route.branch, share * route.share);
    if (route.share < 1) open.emplace_back(tree.first_child[node] + route.other, share * (1 - route.share));
  }
}

}  // namespace

std::vector<double> answers(const LinearModels& models, const Tree& tree, const std::vector<View>& cells, std::size_t n_rows,
                            const Answering& how, const JobControl& job) {
  const std::size_t per_node = models_per_node(tree);
  std::vector<double> out(n_rows * per_node, 0);
  constexpr std::size_t kBlock = 512;
  for_each((n_rows + kBlock - 1) / kBlock, how.threads, [&](std::size_t block, unsigned) {
    job.check();
    const std::size_t begin = block * kBlock;
    const std::size_t n = std::min(kBlock, n_rows - begin);
    std::vector<View> here = cells;
    for (View& view : here) view.data += static_cast<std::ptrdiff_t>(begin) * view.stride;
    const std::vector<double> rows = read_rows(models.terms, here, n);
    std::vector<std::pair<u32, double>> open;
    for (std::size_t i = 0; i < n; ++i) {
      double* sums = out.data() + (begin + i) * per_node;
      answer_of(models, tree, rows.data() + i * cells.size(), how.band, open, sums);
      if (tree.n_classes > 0) to_shares(sums, per_node);
    }
  });
  return out;
}

}  // namespace tw
