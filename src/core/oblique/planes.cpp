// Planes through the rows of a node as candidates for its split.
#include "oblique/planes.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "grow/plain/training_row.hpp"

namespace tw {

const ObliqueSettings& oblique_settings(const GrowSettings& settings) {
  if (!settings.oblique) throw Invalid("tests over several columns need settings of their own");
  return *settings.oblique;
}

std::vector<double> values_of(std::span<const double> weights, const NodeMatrix& rows) {
  std::vector<double> out(rows.n, 0.0);
  for (std::size_t f = 0; f < rows.d; ++f) {
    if (weights[f] == 0) continue;
    const std::span<const double> cells = rows.of(f);
    for (std::size_t i = 0; i < rows.n; ++i) out[i] += weights[f] * cells[i];
  }
  return out;
}

void eliminate(std::vector<double>& weights, const NodeMatrix& rows, Measure measure, std::size_t most, double least) {
  Sweep sweep(rows, measure);
  std::vector<double> values = values_of(weights, rows);
  std::vector<double> without(rows.n);
  const auto score_of = [&](std::span<const double> of) {
    const auto found = sweep.best_shift(of);
    return found ? found->score : 0;
  };
  for (;;) {
    const auto used = static_cast<std::size_t>(std::count_if(weights.begin(), weights.end(), [](double w) { return w != 0; }));
    if (used <= 1 || (used <= most && !(least > 0))) return;
    const double whole = score_of(values);
    double smallest = std::numeric_limits<double>::infinity();
    double largest = 0;
    std::size_t drop = 0;
    for (std::size_t f = 0; f < rows.d; ++f) {
      if (weights[f] == 0) continue;
      const std::span<const double> cells = rows.of(f);
      for (std::size_t i = 0; i < rows.n; ++i) without[i] = values[i] - weights[f] * cells[i];
      const double loss = whole - score_of(without);
      largest = std::max(largest, loss);
      if (loss < smallest) {
        smallest = loss;
        drop = f;
      }
    }
    if (used <= most && !(smallest < least * largest)) return;
    weights[drop] = 0;
    values = values_of(weights, rows);
  }
}

Planes::Planes(const Table& table, const GrowSettings& settings, const Searcher& searcher, JobControl& job, Make make)
    : table_(table),
      settings_(settings),
      oblique_(oblique_settings(settings)),
      searcher_(searcher),
      job_(job),
      features_(table, oblique_.node),
      search_(make(oblique_, features_)) {}

void Planes::propose(const NodeView& node, std::span<Scratch* const> spaces, Proposals& out) const {
  if (features_.size() < 2) return;
  job_.check();
  const NodeMatrix rows = features_.read(node.rows, node.targets, settings_.search.reweighted);
  const Measure measure = measure_of(settings_.search.criterion, rows);
  std::optional<Candidate> best;
  for (Plane& plane : search_->find(rows, measure, node.path, job_)) {
    job_.check();
    if (oblique_.max_terms > 0) eliminate(plane.weights, rows, measure, oblique_.max_terms, 0);
    auto found = candidate_of(plane, node, *spaces[0]);
    if (found && (!best || found->rank > best->rank)) best = std::move(found);
  }
  if (best) out.candidates.push_back(std::move(*best));
}

// With short coefficients, unless they tell the rows apart less well.
std::optional<Candidate> Planes::candidate_of(const Plane& plane, const NodeView& node, Scratch& space) const {
  const auto with = [&](bool brief) -> std::optional<Candidate> {
    Features::Sum sum = features_.terms(plane.weights, brief);
    // A single number is a matter of those who look at columns.
    if (sum.terms.empty() || (sum.terms.size() == 1 && sum.terms[0].by == DerivedTerm::kAlone)) return std::nullopt;
    if (!plane.threshold || oblique_.max_terms > 0) return best_cut(std::move(sum.terms), node, space);
    return cut_at(std::move(sum.terms), (*plane.threshold - sum.constant) / sum.per, node, space);
  };
  auto whole = with(false);
  auto brief = with(true);
  return brief && (!whole || brief->rank >= whole->rank) ? brief : whole;
}

namespace {

std::vector<double> numbers_of(const Table& table, const NodeRows& node, const std::vector<DerivedTerm>& terms) {
  std::vector<double> numbers;
  numbers.reserve(node.rows.size());
  for (const Row row : node.rows) numbers.push_back(derived_of(terms, {}, TrainingRow{table, row}));
  return numbers;
}

bool all_finite(const std::vector<double>& numbers) {
  return std::all_of(numbers.begin(), numbers.end(), [](double x) { return std::isfinite(x); });
}

}  // namespace

std::optional<Candidate> Planes::best_cut(std::vector<DerivedTerm> terms, const NodeView& node, Scratch& space) const {
  const std::vector<double> numbers = numbers_of(table_, node.rows, terms);
  if (!all_finite(numbers)) return std::nullopt;
  auto found = searcher_.best_cut(node.rows, node.targets, numbers, terms[0].column, space);
  if (!found || found->split.family != Family::threshold) return std::nullopt;
  found->split.terms = std::move(terms);
  return found;
}

// What lies on either side is two values to the searcher, between which there is one cut.
std::optional<Candidate> Planes::cut_at(std::vector<DerivedTerm> terms, double threshold, const NodeView& node, Scratch& space) const {
  std::vector<double> numbers = numbers_of(table_, node.rows, terms);
  if (!all_finite(numbers) || !std::isfinite(threshold)) return std::nullopt;
  const double none = std::numeric_limits<double>::infinity();
  Cut cut{threshold, -none, none, 0};
  for (double& x : numbers) {
    const bool below = settings_.search.strict ? x < threshold : x <= threshold;
    if (below)
      cut.below = std::max(cut.below, x);
    else
      cut.above = std::min(cut.above, x);
    x = below ? 0 : 1;
  }
  if (std::isinf(cut.below) || std::isinf(cut.above)) return std::nullopt;
  auto found = searcher_.best_cut(node.rows, node.targets, numbers, terms[0].column, space);
  if (!found || found->split.family != Family::threshold) return std::nullopt;
  cut.last_below = found->split.cuts[0].last_below;
  found->split.cuts[0] = cut;
  found->split.terms = std::move(terms);
  return found;
}

std::optional<Candidate> Planes::refit(const Candidate& candidate, const NodeView& node, Scratch& space) const {
  return best_cut(candidate.split.terms, node, space);
}

}  // namespace tw
