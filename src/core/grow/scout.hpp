// Tells from estimated entropies which column an exact search of all columns would choose, so that only that one has to be searched
// exactly. Estimates have bounds of their error: where those leave a doubt, the scout says so and everything is searched.
#pragma once

#include "grow/settings.hpp"
#include "grow/sweep.hpp"

namespace tw {

struct Foreseen {
  bool certain = false;
  std::optional<Column> column;  // none: no column will be chosen
};

class Scout {
 public:
  static bool applies(const Table& table, const GrowSettings& settings);

  Scout(const Table& table, const GrowSettings& settings, const Searcher& searcher)
      : table_(table), settings_(settings), searcher_(searcher) {}

  // `scratch` has been prepared for the node and these columns.
  Foreseen look(const NodeRows& node, const NodeTargets& targets, const std::vector<Column>& columns, Scratch& scratch,
                SweepSpace& sweep) const;

 private:
  // What is known of the best split of a column: all numbers within `doubt` of the exact ones.
  struct Outlook {
    bool any = false;  // there is a candidate
    bool doubtful = false;
    bool wide = false;
    double worth = 0;  // gain less penalty
    double gain = 0;
    double split_info = 0;
    double rank = 0;
    double doubt = 0;       // of worth
    double rank_doubt = 0;  // of rank
  };

  Outlook nominal(const NodeTargets& targets, Column index, Scratch& scratch) const;
  Outlook numeric(const NodeRows& node, const NodeTargets& targets, Column index, Scratch& scratch, SweepSpace& sweep) const;
  Outlook exact(const NodeRows& node, const NodeTargets& targets, Column index, Scratch& scratch) const;
  void finish(Outlook& outlook, const NodeTargets& targets, double gained, i64 known, double bits, u64 tried) const;
  Foreseen decide(const std::vector<Column>& columns, const std::vector<Outlook>& outlooks) const;

  const Table& table_;
  const GrowSettings& settings_;
  const Searcher& searcher_;
};

}  // namespace tw
