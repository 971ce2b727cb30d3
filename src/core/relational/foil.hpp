// FOIL (Quinlan 1990; Quinlan and Cameron-Jones 1993): clauses that define a relation by others, one after the other until every positive
// tuple is covered or no clause is worth its code.
#pragma once

#include <vector>

#include "relational/clause_search.hpp"

namespace tw::relational {

// The tuples to learn from: by argument, positive ones first.
struct Examples {
  std::vector<std::vector<Code>> columns;
  std::size_t n_positive = 0;
};

struct LearnedClause {
  Clause clause;
  u64 positive = 0, negative = 0;  // tuples it covers, of all
  u64 new_positive = 0;            // those that no clause before it covers
  double bits = 0;
};

struct Learned {
  std::vector<LearnedClause> clauses;
  u64 positive = 0, negative = 0;  // covered by any
  Trace trace;
};

Learned learn_foil(World world, const Examples& examples, const FoilSettings& settings, JobControl& job);

}  // namespace tw::relational
