// What a criterion's unit of the sorted engine enrols.
#pragma once

#include "base/registry.hpp"
#include "grow/sorted/applies.hpp"
#include "grow/sorted/engine.hpp"

namespace tw {

template <Criterion C>
Tree grow_sorted(Table& table, const GrowSettings& settings, JobControl& job) {
  return SortedGrower<C>(table, settings, job, table.weights.plain(table.weights.total)).run();
}

template <Criterion C>
void grow_sorted_below(Table& table, const GrowSettings& settings, JobControl& job, const SubtreeRoot& root, Builder& builder) {
  SortedGrower<C>(table, settings, job, root.all).run_below(root, builder);
}

}  // namespace tw
