// Finds the surrogates of a node's split for the plain engine, and says which way they send a training row.
#pragma once

#include <cmath>
#include <vector>

#include "grow/settings.hpp"
#include "search/surrogate_search.hpp"

namespace tw {

// Row count used in rpart's test "at least two rows per side": a row of weight two or more counts as two, as two rows would.
class RowCount {
 public:
  explicit RowCount(const Table& table) {
    const double two = std::ceil(table.weights.in_quanta(2) - 1e-6);
    if (!table.weights.quanta.empty() && two <= static_cast<double>(table.weights.total)) two_ = static_cast<i64>(two);
  }
  i64 operator()(i64 weight) const { return weight >= two_ ? 2 : 1; }

 private:
  i64 two_ = std::numeric_limits<i64>::max();
};

// Surrogates of the chosen split, best first, with the fall of impurity each would bring. More than one scratch: columns in parallel.
std::vector<Surrogate> find_surrogates(const Table& table, const NodeRows& node, const NodeTargets& targets, const Split& split,
                                       const GrowSettings& settings, const Searcher& searcher, const std::vector<Scratch*>& scratch);

}  // namespace tw
