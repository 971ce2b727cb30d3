// Finds the criterion that settings name.
#include "grow/criterion_entry.hpp"

#include "base/errors.hpp"

namespace tw {

const CriterionEntry& criterion_entry(const SearchSettings& settings) {
  return settings.callback ? callback_criterion() : criterion_entry(settings.criterion);
}

const CriterionEntry& criterion_entry(const std::string& name) {
  if (name == kVectors) return vector_criterion();
  const CriterionEntry* entry = Registry<CriterionEntry>::find(name);
  if (entry == nullptr) throw Invalid("criterion '" + name + "' is unknown");
  return *entry;
}

std::unique_ptr<Searcher> make_searcher(const Table& table, const SearchSettings& settings) {
  const CriterionEntry& entry = criterion_entry(settings);
  if (settings.reweighted.empty() || entry.priors) return entry.make(table, settings);
  const ReweightedEntry* reweighted = settings.callback ? nullptr : Registry<ReweightedEntry>::find(settings.criterion);
  if (reweighted == nullptr) throw Invalid("criterion '" + entry.name + "' knows no priors, class weights or losses");
  return reweighted->make(table, settings);
}

}  // namespace tw
