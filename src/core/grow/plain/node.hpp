// One node of the plain engine while a tree grows, and the work space of a thread that looks at it.
#pragma once

#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "grow/interactions.hpp"
#include "grow/plain/divide.hpp"
#include "grow/shortcuts/early_pruning.hpp"
#include "search/searcher.hpp"

namespace tw {

struct PlainNode {
  u32 node = 0;
  u32 depth = 0;
  u64 path = 0;
  NodeRows rows;
  std::vector<Column> spent;                  // columns that may be used once per path and have been
  std::vector<std::pair<Column, u32>> steps;  // kept only where somebody asks for it
  std::shared_ptr<NodeTargets> targets;       // its own, where others are read before it is divided
  AnswerRange range;                          // of its answers
  Openness open;                              // columns that may be asked for
};

struct PlainSpace : Scratch {
  NodeTargets targets;  // of the node in hand
  Division division;
  std::optional<EarlyPruner> pruner;
};

}  // namespace tw
