// Offers the best cut of sums over several columns: whoever asks for them says at every node which sums are to be tried.
#include <cmath>
#include <string>

#include "base/errors.hpp"
#include "grow/plain/training_row.hpp"
#include "grow/settings.hpp"
#include "search/proposer.hpp"

namespace tw {

namespace {

class Sums final : public Proposer {
 public:
  Sums(const Table& table, const GrowSettings& settings, const Searcher& searcher, JobControl& job)
      : table_(table), settings_(settings), searcher_(searcher), job_(job) {
    if (!settings.sums) throw Invalid("the proposer 'sums' needs somebody who says which sums are to be tried");
    if (fills(settings.search.missing)) throw Invalid("a sum of several columns has no cell that could be filled: choose another missing=");
  }

  void propose(const NodeView& node, std::span<Scratch* const> spaces, Proposals& out) const override {
    for (std::vector<DerivedTerm>& terms : settings_.sums(node.rows.rows, node.rows.weights)) {
      job_.check();
      check(terms);
      if (auto found = best(std::move(terms), node, *spaces[0])) out.candidates.push_back(std::move(*found));
    }
  }

  std::optional<Candidate> refit(const Candidate& candidate, const NodeView& node, Scratch& space) const override {
    return best(candidate.split.terms, node, space);
  }

 private:
  void check(const std::vector<DerivedTerm>& terms) const {
    if (terms.empty()) throw Invalid("a sum has no terms");
    for (const DerivedTerm& term : terms) {
      if (term.column >= table_.columns.size()) throw Invalid("a term of a sum names no column: " + std::to_string(term.column));
      const EncodedColumn& column = table_.columns[term.column];
      const bool number = term.level == DerivedTerm::kNumber;
      if (number != (column.kind == Kind::numeric) || (!number && (term.level < 0 || static_cast<u32>(term.level) >= column.n_codes)))
        throw Invalid("a term of a sum does not fit its column");
      if (!std::isfinite(term.coefficient) || std::isinf(term.missing) || std::isnan(term.missing) != std::isnan(terms[0].missing))
        throw Invalid("a term of a sum has a figure that is not finite, or says alone what a missing cell counts as");
    }
  }

  std::optional<Candidate> best(std::vector<DerivedTerm> terms, const NodeView& node, Scratch& space) const {
    std::vector<double> numbers;
    numbers.reserve(node.rows.rows.size());
    for (const Row row : node.rows.rows) {
      numbers.push_back(derived_of(terms, {}, TrainingRow{table_, row}));
      if (std::isinf(numbers.back())) return std::nullopt;
    }
    auto found = searcher_.best_cut(node.rows, node.targets, numbers, terms[0].column, space);
    if (!found || found->split.family != Family::threshold) return std::nullopt;  // presence is a matter of cells, not of sums
    found->split.terms = std::move(terms);
    return found;
  }

  const Table& table_;
  const GrowSettings& settings_;
  const Searcher& searcher_;
  JobControl& job_;
};

std::unique_ptr<Proposer> make(const Table& table, const GrowSettings& settings, const Searcher& searcher, JobControl& job) {
  return std::make_unique<Sums>(table, settings, searcher, job);
}

const Enrol<ProposerEntry> enrol({"sums", "the best cut of sums over several columns", &make});

}  // namespace

}  // namespace tw
