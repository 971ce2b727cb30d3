// Estimates the entropies of all columns of a node of the plain engine, so that only the column that is going to be chosen has to be
// searched exactly.
#pragma once

#include "grow/shortcuts/column_estimate.hpp"
#include "grow/shortcuts/entropy_cut_search.hpp"

namespace tw {

class EntropyEstimator {
 public:
  static bool applies(const Table& table, const GrowSettings& settings);

  EntropyEstimator(const Table& table, const GrowSettings& settings, const Searcher& searcher)
      : table_(table), settings_(settings), searcher_(searcher) {}

  // `scratch` has been prepared for the node and these columns.
  Predicted look(const NodeRows& node, const NodeTargets& targets, const std::vector<Column>& columns, Scratch& scratch) const;

  // The split of a column that was predicted, without what only its exact gain can tell and without its levels, which a division by counted
  // levels does not ask for; nothing where more has to be known at once.
  std::optional<Candidate> sketch(const Predicted& predicted, const NodeRows& node, const NodeTargets& targets,
                                  const Scratch& scratch) const;

 private:
  ColumnEstimate nominal(const NodeTargets& targets, Column index, Scratch& scratch) const;
  ColumnEstimate numeric(const NodeRows& node, const NodeTargets& targets, Column index, Scratch& scratch) const;

  const Table& table_;
  const GrowSettings& settings_;
  const Searcher& searcher_;
};

}  // namespace tw
