// The criterion of targets of several numbers per row.
#include "criteria/vectors/vector_variance.hpp"

#include "grow/criterion_entry.hpp"

namespace tw {

namespace {

std::unique_ptr<Searcher> make(const Table& table, const SearchSettings& settings) {
  return std::make_unique<SetSearch<VectorVariance>>(table, settings);
}

}  // namespace

const CriterionEntry& vector_criterion() {
  static const CriterionEntry part{kVectors, "", false, true, &make};
  return part;
}

}  // namespace tw
