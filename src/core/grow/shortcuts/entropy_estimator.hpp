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
      : table_(table), settings_(settings), searcher_(searcher) {
    for (const EncodedColumn& column : table.columns) clear_.emplace_back(column, settings.search);
  }

  // `scratch` has been prepared for the node and these columns.
  Predicted look(const NodeRows& node, const NodeTargets& targets, const std::vector<Column>& columns, Scratch& scratch) const;

  // The same by somebody who has cuts of numeric columns at hand: `cut_of` a column.
  template <class CutOf>
  Predicted look(const NodeRows& node, const NodeTargets& targets, const std::vector<Column>& columns, Scratch& scratch,
                 const CutOf& cut_of) const {
    std::vector<ColumnEstimate> estimates(columns.size());
    for (std::size_t i = 0; i < columns.size(); ++i) {
      const Column index = columns[i];
      if (table_.columns[index].kind == Kind::numeric && !targets.class_weight_words.empty())
        estimates[i] = numeric(targets, cut_of(index));
      else if (scratch.counted(index))
        estimates[i] = nominal(targets, index, scratch);
      else
        estimates[i].doubtful = true;
      if (estimates[i].doubtful) estimates[i] = estimate_of(searcher_.best(node, targets, index, scratch));
    }
    return predict_column(settings_, columns, estimates);
  }

  const ClearCodes& clear(Column column) const { return clear_[column]; }

  // The split of a column that was predicted, without what only its exact gain can tell and without its levels, which a division by counted
  // levels does not ask for; nothing where more has to be known at once.
  std::optional<Candidate> sketch(const Predicted& predicted, const NodeRows& node, const NodeTargets& targets,
                                  const Scratch& scratch) const;

 private:
  ColumnEstimate nominal(const NodeTargets& targets, Column index, Scratch& scratch) const;
  ColumnEstimate numeric(const NodeTargets& targets, const EstimatedCut& cut) const;
  EstimatedCut cut_of(const NodeRows& node, const NodeTargets& targets, Column index, Scratch& scratch) const;

  const Table& table_;
  const GrowSettings& settings_;
  const Searcher& searcher_;
  std::vector<ClearCodes> clear_;  // by column
};

}  // namespace tw
