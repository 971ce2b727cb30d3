// What a criterion's file enrols: its name, and the two engines made for it.
#pragma once

#include <memory>
#include <string>

#include "base/job_control.hpp"
#include "base/registry.hpp"
#include "grow/settings.hpp"
#include "search/searcher.hpp"
#include "tree/tree.hpp"

namespace tw {

struct Engines {
  std::unique_ptr<Searcher> (*make)(const Table&, const SearchSettings&) = nullptr;
  Tree (*grow_sorted)(Table&, const GrowSettings&, JobControl&) = nullptr;
};

struct CriterionEntry {
  std::string name;
  std::string summary;
  bool classes = true;        // for class targets; otherwise for numeric ones
  bool two_branches = false;  // defined for two branches only
  std::unique_ptr<Searcher> (*make)(const Table&, const SearchSettings&) = nullptr;
  Tree (*grow_sorted)(Table&, const GrowSettings&, JobControl&) = nullptr;
  bool priors = false;  // looks at priors and losses itself
  // Promises that engines rely on, see search/criterion.hpp.
  bool concave = false;
  bool rank_is_score = false;
};

// What stands in for a criterion of the same name where class weights are altered.
struct ReweightedEntry {
  std::string name;
  Engines engines;
};

// The one of the core's own, or, where somebody else is to be asked, the one that asks.
const CriterionEntry& criterion_entry(const SearchSettings& settings);
const CriterionEntry& criterion_entry(const std::string& name);
const CriterionEntry& callback_criterion();
Engines engines_of(const SearchSettings& search);

// Whether the sorted engine can grow this tree.
bool sorted_applies(const Table& table, const GrowSettings& settings);

// From how many distinct values on numeric columns should be encoded as rows in order (0: never), as far as can be told before they are
// read.
u32 order_from(const GrowSettings& settings, bool nominal_columns, bool weighted);

}  // namespace tw
