// An engine grows a whole tree. Which one does is a matter of speed: all that apply to a table and its settings grow the same tree.
#pragma once

#include <string>

#include "base/job_control.hpp"
#include "base/registry.hpp"
#include "grow/settings.hpp"
#include "tree/tree.hpp"

namespace tw {

struct EngineEntry {
  std::string name;
  int speed = 0;  // of those that apply the fastest is taken
  bool (*applies)(const Table&, const GrowSettings&) = nullptr;
  // The table is the engine's own: its columns may be shared with others.
  Tree (*grow)(Table&, const GrowSettings&, JobControl&) = nullptr;
  bool reads_in_place = false;  // codes that stand in cells alone, see table/binned.hpp; others are given them as they always are
};

}  // namespace tw
