// Facts of a node whose numbers were read elsewhere.
#pragma once

#include "search/searcher.hpp"
#include "stats/stat.hpp"

namespace tw {

void describe_numbers(const Table& table, const TargetFacts& facts, i64 total, NodeTargets& targets);

}  // namespace tw
