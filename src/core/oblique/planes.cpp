// Planes through the rows of a node as candidates for its split.
#include "oblique/planes.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "grow/plain/training_row.hpp"
#include "oblique/grouping.hpp"

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

NodeMatrix grouped(NodeMatrix rows, double explained, JobControl& job) {
  if (rows.n_classes == 0) {
    rows.labels.resize(rows.n);
    for (std::size_t i = 0; i < rows.n; ++i) rows.labels[i] = rows.targets[i] > 0;
  } else if (rows.n_classes > 2) {
    const Told told = best_grouping(rows, explained, job);
    for (u32& label : rows.labels) label = told.group[label];
  }
  rows.n_classes = 2;
  return rows;
}

Planes::Planes(const Table& table, const GrowSettings& settings, const Searcher& searcher, JobControl& job, const ObliqueSettings& oblique,
               Make make)
    : table_(table),
      settings_(settings),
      oblique_(oblique),
      searcher_(searcher),
      job_(job),
      features_(table, oblique_.node),
      search_(make(oblique_, features_)) {}

void Planes::propose(const NodeView& node, std::span<Scratch* const> spaces, Proposals& out) const {
  if (auto found = best(node, *spaces[0])) out.candidates.push_back(std::move(*found));
}

std::optional<Candidate> Planes::best(const NodeView& node, Scratch& space) const {
  if (features_.size() < 2) return std::nullopt;
  job_.check();
  const NodeMatrix rows = features_.read(node.rows, node.targets, settings_.search.reweighted);
  const Measure measure = measure_of(settings_.search.criterion, rows);
  std::optional<Candidate> best;
  for (Plane& given : search_->find(rows, measure, node.path, job_)) {
    job_.check();
    Plane plane = needed(std::move(given), rows);
    if (oblique_.max_terms > 0 && plane.weights.size() == rows.d) eliminate(plane.weights, rows, measure, oblique_.max_terms, 0);
    auto found = candidate_of(plane, rows, node, space);
    if (found && (!best || found->rank > best->rank)) best = std::move(found);
  }
  return best;
}

// With short coefficients, unless they tell the rows apart less well.
std::optional<Candidate> Planes::candidate_of(const Plane& plane, const NodeMatrix& rows, const NodeView& node, Scratch& space) const {
  if (!plane.parts.empty()) return scored(plane, node, space);
  // A single number is a matter of those who look at columns.
  const auto sum = [&](bool brief) -> std::optional<Features::Sum> {
    Features::Sum out = features_.terms(plane.weights, brief);
    if (out.terms.empty() || (out.terms.size() == 1 && out.terms[0].by == DerivedTerm::kAlone)) return std::nullopt;
    return out;
  };
  std::optional<Candidate> whole, brief;
  if (!plane.threshold || oblique_.max_terms > 0) {
    const auto with = [&](std::optional<Features::Sum> of) -> std::optional<Candidate> {
      if (!of) return std::nullopt;
      const std::vector<double> numbers = numbers_of(of->terms, rows, node);
      return best_cut(std::move(of->terms), {}, numbers, node, space);
    };
    whole = with(sum(false));
    brief = with(sum(true));
  } else {
    const auto sides = [&](std::optional<Features::Sum> of) -> std::optional<Sides> {
      if (!of) return std::nullopt;
      return sides_of(std::move(of->terms), (*plane.threshold - of->constant) / of->per, rows, node);
    };
    auto full = sides(sum(false));
    auto few = sides(sum(true));
    if (few && full && few->of == full->of) return cut_at(std::move(*few), node, space);
    if (full) whole = cut_at(std::move(*full), node, space);
    if (few) brief = cut_at(std::move(*few), node, space);
  }
  return brief && (!whole || brief->rank >= whole->rank) ? brief : whole;
}

namespace {

bool all_finite(const std::vector<double>& numbers) {
  return std::all_of(numbers.begin(), numbers.end(), [](double x) { return std::isfinite(x); });
}

}  // namespace

// As derived_of adds up; from what was read of the node, where that is kept.
std::vector<double> Planes::numbers_of(const std::vector<DerivedTerm>& terms, const NodeMatrix& rows, const NodeView& node) const {
  if (rows.raw.empty()) return derived_numbers(table_, node.rows.rows, terms, {});
  struct Read {
    const double* first;
    const double* second;  // of products
    double coefficient;
  };
  std::vector<Read> reads;
  for (const DerivedTerm& term : terms) {
    const auto of = [&](u32 column, i32 level) { return rows.raw.data() + features_.place(column, level) * rows.n; };
    const bool alone = term.by == DerivedTerm::kAlone;
    reads.push_back({of(term.column, term.level), alone ? nullptr : of(static_cast<u32>(term.by), DerivedTerm::kNumber), term.coefficient});
  }
  std::vector<double> numbers(rows.n, 0.0);
  for (std::size_t begin = 0; begin < numbers.size(); begin += kBlock) {
    const std::size_t end = std::min(begin + kBlock, numbers.size());
    for (const Read& read : reads) {
      if (read.second == nullptr)
        for (std::size_t i = begin; i < end; ++i) numbers[i] += read.first[i] * read.coefficient;
      else
        for (std::size_t i = begin; i < end; ++i) numbers[i] += read.first[i] * read.coefficient * read.second[i];
    }
  }
  return numbers;
}

// Scores that are the largest nowhere say nothing; of two the difference is told.
Plane Planes::needed(Plane plane, const NodeMatrix& rows) {
  const std::size_t n = plane.parts.size();
  if (n < 2 || plane.parts.back().score + 1 != n) return plane;
  if (plane.parts[0].weights.size() != rows.d) return plane;  // over features that are not at hand
  std::vector<double> largest(rows.n, -std::numeric_limits<double>::infinity());
  std::vector<std::size_t> which(rows.n, 0);
  for (std::size_t p = 0; p < n; ++p) {
    const std::vector<double> values = values_of(plane.parts[p].weights, rows);
    for (std::size_t i = 0; i < rows.n; ++i)
      if (const double x = values[i] + plane.parts[p].constant; x > largest[i]) {
        largest[i] = x;
        which[i] = p;
      }
  }
  std::vector<u8> used(n, 0);
  for (const std::size_t p : which) used[p] = 1;
  std::vector<PlanePart> parts;
  for (std::size_t p = 0; p < n; ++p)
    if (used[p] != 0) parts.push_back(std::move(plane.parts[p]));
  for (std::size_t p = 0; p < parts.size(); ++p) parts[p].score = static_cast<u32>(p);
  if (parts.size() != 2) {
    plane.parts = std::move(parts);
    return plane;
  }
  Plane one{std::move(parts[1].weights), parts[0].constant - parts[1].constant};
  for (std::size_t f = 0; f < one.weights.size(); ++f) one.weights[f] -= parts[0].weights[f];
  return one;
}

// In the units of the table.
std::optional<Candidate> Planes::scored(const Plane& plane, const NodeView& node, Scratch& space) const {
  Features::Scores scores;
  for (const PlanePart& part : plane.parts) {
    Features::Sum sum = features_.terms(part.weights, false, true);
    const double constant = part.constant + sum.constant;
    if (!std::isfinite(constant)) return std::nullopt;
    scores.parts.push_back({part.score, static_cast<u32>(sum.terms.size()), static_cast<u8>(part.squashed), part.weight, constant});
    scores.terms.insert(scores.terms.end(), sum.terms.begin(), sum.terms.end());
  }
  if (scores.parts.empty() || scores.terms.empty()) return std::nullopt;
  if (scores.parts.back().score > 0) return largest(std::move(scores), node, space);
  const std::vector<double> numbers = derived_numbers(table_, node.rows.rows, scores.terms, scores.parts);
  return best_cut(std::move(scores.terms), std::move(scores.parts), numbers, node, space);
}

// A branch for every score that is the largest for some rows; the others say nothing here.
std::optional<Candidate> Planes::largest(Features::Scores scores, const NodeView& node, Scratch& space) const {
  const std::vector<double> numbers = derived_numbers(table_, node.rows.rows, scores.terms, scores.parts);
  if (!all_finite(numbers)) return std::nullopt;
  std::vector<u32> place(scores.parts.size(), 0);
  for (const double x : numbers) place[static_cast<std::size_t>(x)] = 1;
  u32 used = 0;
  std::vector<DerivedTerm> terms;
  std::vector<ScorePart> parts;
  std::size_t begin = 0;
  for (std::size_t p = 0; p < scores.parts.size(); ++p) {
    ScorePart part = scores.parts[p];
    const auto first = scores.terms.begin() + static_cast<std::ptrdiff_t>(begin);
    begin += part.terms;
    if (place[p] == 0) continue;
    terms.insert(terms.end(), first, first + static_cast<std::ptrdiff_t>(part.terms));
    part.score = place[p] = used++;
    parts.push_back(part);
  }
  if (used < 2 || terms.empty()) return std::nullopt;
  std::vector<u32> branch;
  branch.reserve(numbers.size());
  for (const double x : numbers) branch.push_back(place[static_cast<std::size_t>(x)]);
  auto found = searcher_.of_division(node.rows, node.targets, branch, used, space);
  if (!found) return std::nullopt;
  Split& split = found->split;
  split.family = Family::largest;
  split.column = terms[0].column;
  split.levels.clear();
  split.branch_of.clear();
  for (u32 b = 0; b + 1 < used; ++b) split.cuts.push_back({b + 0.5, static_cast<double>(b), static_cast<double>(b + 1), b});
  split.terms = std::move(terms);
  split.parts = std::move(parts);
  return found;
}

std::optional<Candidate> Planes::best_cut(std::vector<DerivedTerm> terms, std::vector<ScorePart> parts, const std::vector<double>& numbers,
                                          const NodeView& node, Scratch& space) const {
  if (!all_finite(numbers)) return std::nullopt;
  auto found = searcher_.best_cut(node.rows, node.targets, numbers, terms[0].column, space);
  if (!found || found->split.family != Family::threshold) return std::nullopt;
  found->split.terms = std::move(terms);
  found->split.parts = std::move(parts);
  return found;
}

std::optional<Planes::Sides> Planes::sides_of(std::vector<DerivedTerm> terms, double threshold, const NodeMatrix& rows,
                                              const NodeView& node) const {
  std::vector<double> numbers = numbers_of(terms, rows, node);
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
  return Sides{std::move(terms), std::move(numbers), cut};
}

// What lies on either side is two values to the searcher, between which there is one cut.
std::optional<Candidate> Planes::cut_at(Sides sides, const NodeView& node, Scratch& space) const {
  auto found = searcher_.best_cut(node.rows, node.targets, sides.of, sides.terms[0].column, space);
  if (!found || found->split.family != Family::threshold) return std::nullopt;
  sides.cut.last_below = found->split.cuts[0].last_below;
  found->split.cuts[0] = sides.cut;
  found->split.terms = std::move(sides.terms);
  return found;
}

std::optional<Candidate> Planes::refit(const Candidate& candidate, const NodeView& node, Scratch& space) const {
  const Split& split = candidate.split;
  if (split.family == Family::largest) return largest({split.terms, split.parts}, node, space);
  return best_cut(split.terms, split.parts, derived_numbers(table_, node.rows.rows, split.terms, split.parts), node, space);
}

}  // namespace tw
