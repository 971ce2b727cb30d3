// Estimates the entropies of all columns of a node of the plain engine, so that only the column that is going to be chosen has to be
// searched exactly.
#pragma once

#include "grow/outlook.hpp"
#include "grow/sweep.hpp"

namespace tw {

class Scout {
 public:
  static bool applies(const Table& table, const GrowSettings& settings);

  Scout(const Table& table, const GrowSettings& settings, const Searcher& searcher)
      : table_(table), settings_(settings), searcher_(searcher) {}

  // `scratch` has been prepared for the node and these columns.
  Foreseen look(const NodeRows& node, const NodeTargets& targets, const std::vector<Column>& columns, Scratch& scratch,
                SweepSpace& sweep) const;

  // The split of a column that was foreseen, without what only its exact gain can tell and without its levels, which a division by counted
  // levels does not ask for; nothing where more has to be known at once.
  std::optional<Candidate> sketch(const Foreseen& foreseen, const NodeRows& node, const NodeTargets& targets, const Scratch& scratch) const;

 private:
  Outlook nominal(const NodeTargets& targets, Column index, Scratch& scratch) const;
  Outlook numeric(const NodeRows& node, const NodeTargets& targets, Column index, Scratch& scratch, SweepSpace& sweep) const;

  const Table& table_;
  const GrowSettings& settings_;
  const Searcher& searcher_;
};

}  // namespace tw
