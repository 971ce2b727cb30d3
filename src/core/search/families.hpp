// Every split family that is searched in rows summed up per code. A family's file specialises `FamilySearch` for its number
// (tree/family.hpp) and is named here.
#pragma once

#include <utility>

#include "search/grouped.hpp"
#include "search/multiway.hpp"
#include "search/subset.hpp"
#include "search/ternary.hpp"
#include "search/threshold.hpp"

namespace tw {

template <Family family, class C>
concept Searched = requires(const AtColumn<C>& at, const Groups<typename C::Stat>& groups) { FamilySearch<family>::best(at, groups); };

// The best split of a column by a family, from its groups.
template <Criterion C>
std::optional<Candidate> search_groups(const AtColumn<C>& at, Family family, const Groups<typename C::Stat>& groups) {
  std::optional<Candidate> found;
  const auto look = [&]<std::size_t number>() {
    constexpr Family one = static_cast<Family>(number);
    if constexpr (Searched<one, C>)
      if (family == one) found = FamilySearch<one>::best(at, groups);
  };
  [&]<std::size_t... I>(std::index_sequence<I...>) { (look.template operator()<I>(), ...); }(std::make_index_sequence<kFamilyCount>{});
  return found;
}

// The best score of the families that the sorted engine searches, without making a candidate.
template <Criterion C>
std::optional<double> score_of_groups(const AtColumn<C>& at, Family family, const Groups<typename C::Stat>& groups) {
  if (family == Family::threshold) {
    const Place place = ThresholdSearch<C>::place(at, groups);
    return place.any ? std::optional<double>(place.score) : std::nullopt;
  }
  return SubsetSearch<C>::best_score(at, family, groups);
}

}  // namespace tw
