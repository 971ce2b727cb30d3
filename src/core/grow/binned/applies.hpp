// When the binned engine applies, and by which unit it then grows a tree.
#pragma once

#include <memory>
#include <string>

#include "base/job_control.hpp"
#include "grow/binned/levels.hpp"
#include "grow/settings.hpp"
#include "tree/tree.hpp"

namespace tw {

// The engine made for one criterion: criteria/binned says for which there is one.
struct BinnedCriterion {
  std::string name;
  Tree (*grow)(Table&, const GrowSettings&, JobControl&) = nullptr;
  Tree (*grow_below)(Table&, const GrowSettings&, JobControl&, const SubtreeRoot&) = nullptr;
  std::unique_ptr<LevelGrower> (*by_levels)(TableFacts, const GrowSettings&, const LevelRoom&) = nullptr;
};

// The one of the settings' criterion; null if there is none.
const BinnedCriterion* binned_unit_of(const SearchSettings& search);

// Whether the binned engine can grow this tree.
bool binned_applies(const Table& table, const GrowSettings& settings);

}  // namespace tw
