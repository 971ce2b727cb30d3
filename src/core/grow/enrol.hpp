// The one line at the end of a criterion's file. Files of criteria/ are compiled twice, into one unit per engine, so that a change of one
// engine leaves the units of the other alone: the build defines TREEWRIGHT_SORTED_UNITS for the second.
#pragma once

#ifdef TREEWRIGHT_SORTED_UNITS

#include "grow/sorted/entry.hpp"

namespace tw {

using EnrolCriterion = Enrol<SortedCriterion>;
using EnrolReweighted = Enrol<SortedCriterion>;

template <Criterion C>
SortedCriterion criterion(const std::string& name, const std::string&) {
  return {name, &grow_sorted<C>, false, &grow_sorted_below<C>};
}

template <Criterion C>
SortedCriterion reweighted(const std::string& name) {
  return {reweighted_name(name), &grow_sorted<C>, false, &grow_sorted_below<C>};
}

}  // namespace tw

#else

#include "grow/criterion_entry.hpp"
#include "search/search.hpp"

namespace tw {

using EnrolCriterion = Enrol<CriterionEntry>;
using EnrolReweighted = Enrol<ReweightedEntry>;

template <Criterion C>
std::unique_ptr<Searcher> make_search(const Table& table, const SearchSettings& settings) {
  return std::make_unique<Search<C> >(table, settings);
}

template <Criterion C>
CriterionEntry criterion(const std::string& name, const std::string& summary) {
  return {name, summary, C::kClasses, C::kTwoBranches, &make_search<C>, C::kLooksAtPriors, C::kConcave, C::kRankIsScore};
}

template <Criterion C>
ReweightedEntry reweighted(const std::string& name) {
  return {name, &make_search<C>};
}

}  // namespace tw

#endif
