// The one line at the end of a criterion's file: makes both engines for it.
#pragma once

#include "grow/criterion_entry.hpp"
#include "grow/sorted.hpp"
#include "search/search.hpp"

namespace tw {

template <Criterion C>
std::unique_ptr<Searcher> make_search(const Table& table, const SearchSettings& settings) {
  return std::make_unique<Search<C>>(table, settings);
}

template <Criterion C>
Tree grow_sorted(Table& table, const GrowSettings& settings, JobControl& job) {
  return SortedGrower<C>(table, settings, job).run();
}

template <Criterion C>
CriterionEntry part(std::string name, std::string summary) {
  return {std::move(name), std::move(summary), C::kClasses, C::kTwoBranches, &make_search<C>,
          &grow_sorted<C>, C::kLooksAtPriors,  C::kConcave, C::kRankIsScore};
}

}  // namespace tw
