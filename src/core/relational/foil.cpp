#include "relational/foil.hpp"

#include <algorithm>

#include "relational/clause_pruning.hpp"

namespace tw::relational {

namespace {

Bindings start_of(const World& world, const Examples& examples) {
  Bindings out;
  out.types = world.relations[world.target].types;
  out.columns = examples.columns;
  out.n_positive = examples.n_positive;
  out.origin.resize(examples.columns[0].size());
  for (std::size_t i = 0; i < out.origin.size(); ++i) out.origin[i] = static_cast<u32>(i);
  return out;
}

// The bindings without positive tuples that are covered.
Bindings uncovered(const Bindings& all, const std::vector<u8>& covered) {
  Bindings out;
  out.types = all.types;
  out.columns.resize(all.columns.size());
  for (std::size_t row = 0; row < all.size(); ++row) {
    if (row < all.n_positive && covered[row]) continue;
    for (std::size_t v = 0; v < all.columns.size(); ++v) out.columns[v].push_back(all.columns[v][row]);
    out.origin.push_back(all.origin[row]);
    out.n_positive += row < all.n_positive ? 1U : 0U;
  }
  return out;
}

// Clauses that are not needed, from the last one back: each of their tuples is covered by another.
std::vector<u8> needed(const std::vector<std::vector<u8>>& covers, std::size_t n_positive) {
  std::vector<u8> kept(covers.size(), 1);
  std::vector<u32> times(n_positive, 0);
  for (const auto& one : covers)
    for (std::size_t row = 0; row < n_positive; ++row) times[row] += one[row];
  for (std::size_t c = covers.size(); c-- > 0;) {
    bool alone = false;
    for (std::size_t row = 0; row < n_positive && !alone; ++row) alone = covers[c][row] && times[row] == 1;
    if (alone) continue;
    kept[c] = 0;
    for (std::size_t row = 0; row < n_positive; ++row) times[row] -= covers[c][row];
  }
  return kept;
}

}  // namespace

Learned learn_foil(World world, const Examples& examples, const FoilSettings& settings, JobControl& job) {
  rank_constants(world, job);
  Indexes indexes(world);
  Learned out;
  const Bindings all = start_of(world, examples);
  ClauseSearch search(world, settings, indexes, job, out.trace);
  ClausePruning pruning(world, settings, indexes, job);
  std::vector<u8> covered(all.size(), 0);
  std::vector<Descent> calls;
  std::vector<std::vector<u8>> covers;
  Bindings start = all;
  job.total = all.n_positive;
  while (start.n_positive > 0 && start.n_positive < start.size() && !search.exhausted()) {
    Grown grown = search.grow(start, calls, static_cast<u32>(out.clauses.size()));
    if (grown.steps.empty()) break;
    const std::vector<Step> steps = pruning.pruned(std::move(grown.steps), all, calls);
    std::vector<u8> own = pruning.covered(steps, all);
    LearnedClause learned;
    for (std::size_t row = 0; row < all.size(); ++row) {
      if (!own[row]) continue;
      if (row < all.n_positive) {
        ++learned.positive;
        learned.new_positive += covered[row] ? 0U : 1U;
      } else {
        ++learned.negative;
      }
    }
    // Judged by what is still to be covered, as the author does.
    if (learned.new_positive == 0 ||
        static_cast<double>(learned.new_positive) < settings.min_accuracy * static_cast<double>(learned.new_positive + learned.negative))
      break;
    for (std::size_t row = 0; row < all.size(); ++row) covered[row] |= own[row];
    for (Variable v = 0; v < all.columns.size(); ++v) learned.clause.head.push_back(v);
    for (const Step& step : steps) {
      learned.clause.body.push_back(step.literal);
      learned.bits += step.bits;
      if (!step.descent.empty()) calls.push_back(step.descent);
    }
    covers.push_back(std::move(own));
    out.clauses.push_back(std::move(learned));
    start = uncovered(all, covered);
    job.done = all.n_positive - start.n_positive;
  }
  const std::vector<u8> kept = needed(covers, all.n_positive);
  std::vector<LearnedClause> clauses;
  std::fill(covered.begin(), covered.end(), u8{0});
  for (std::size_t c = 0; c < covers.size(); ++c) {
    if (!kept[c]) continue;
    clauses.push_back(std::move(out.clauses[c]));
    clauses.back().new_positive = 0;
    for (std::size_t row = 0; row < all.size(); ++row) {
      if (!covers[c][row] || covered[row]) continue;
      covered[row] = 1;
      ++(row < all.n_positive ? out.positive : out.negative);
      clauses.back().new_positive += row < all.n_positive ? 1U : 0U;
    }
  }
  out.clauses = std::move(clauses);
  return out;
}

}  // namespace tw::relational
