// What a criterion's unit of the binned engine enrols.
#pragma once

#include <string>

#include "base/registry.hpp"
#include "grow/binned/grower.hpp"
#include "grow/binned/leveller.hpp"

namespace tw {

using EnrolBinned = Enrol<BinnedCriterion>;

template <Criterion C>
BinnedCriterion binned_unit(const std::string& name) {
  return {name, &grow_binned<C>, &grow_binned_below<C>, &by_levels<C>};
}

}  // namespace tw
