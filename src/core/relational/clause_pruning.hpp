// Literals a clause can do without: determinate ones of which nothing is used, then any, from the end, without which it covers no more
// negative tuples.
#pragma once

#include <vector>

#include "relational/clause_search.hpp"

namespace tw::relational {

class ClausePruning {
 public:
  ClausePruning(const World& world, const FoilSettings& settings, Indexes& indexes, const JobControl& job)
      : world_(world), settings_(settings), indexes_(indexes), job_(job) {}

  // The clause without them, its variables numbered anew. `calls`: recursive literals of the clauses before.
  std::vector<Step> pruned(std::vector<Step> steps, const Bindings& all, const std::vector<Descent>& calls) const;

  // Which tuples a clause covers.
  std::vector<u8> covered(const std::vector<Step>& steps, const Bindings& all) const;

 private:
  // The bindings that satisfy all literals.
  Bindings carried(const std::vector<Step>& steps, Bindings bindings) const;
  // Whether it covers at most so many of the negative tuples and its recursion still ends; its descents are found anew.
  bool fits(std::vector<Step>& steps, const Bindings& all, u64 most_errors, const std::vector<Descent>& calls) const;

  const World& world_;
  const FoilSettings& settings_;
  Indexes& indexes_;
  const JobControl& job_;
};

}  // namespace tw::relational
