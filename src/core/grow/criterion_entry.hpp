// What a criterion's file enrols, and how it is found by the settings of a search.
#pragma once

#include <memory>
#include <string>

#include "base/registry.hpp"
#include "search/searcher.hpp"
#include "search/settings.hpp"
#include "table/table.hpp"

namespace tw {

using MakeSearcher = std::unique_ptr<Searcher> (*)(const Table&, const SearchSettings&);

struct CriterionEntry {
  std::string name;
  std::string summary;
  bool classes = true;        // for class targets; otherwise for numeric ones
  bool two_branches = false;  // defined for two branches only
  MakeSearcher make = nullptr;
  bool priors = false;               // looks at priors and losses itself
  bool concave = false;              // promises: no division of a set is worth less than the set
  bool rank_is_score = false;        // promises: at one node, columns compare by their scores as they do by their merits
  bool whole_rows = false;           // looks at the rows of a set one by one, so that none may be divided
  bool surrogates = true;            // measures what a surrogate gains
  std::string measure = "variance";  // of numbers: what its impurity is the mean of, or the largest
};

// The criterion of the same name on class weights that priors and losses have changed.
struct ReweightedEntry {
  std::string name;
  MakeSearcher make = nullptr;
};

// The one of the core's own, or the one that calls back where the settings hold a function.
const CriterionEntry& criterion_entry(const SearchSettings& settings);
const CriterionEntry& criterion_entry(const std::string& name);
const CriterionEntry& callback_criterion();
// The criterion of targets that are several numbers per row. It has no name of its own, so it is not in the registry.
const CriterionEntry& vector_criterion();
inline constexpr const char* kVectors = "vectors";  // what settings call it

// Searches columns by the criterion of the settings, on reweighted classes where the settings say so.
std::unique_ptr<Searcher> make_searcher(const Table& table, const SearchSettings& settings);

}  // namespace tw
