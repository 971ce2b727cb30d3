// The rows of a node as instances.
#pragma once

#include <vector>

#include "base/types.hpp"

namespace tw {

// A row may stand here with a fraction of its weight.
struct NodeRows {
  std::vector<Row> rows;
  std::vector<i64> weights;
  // By column, where it pays: code << 32 | instance of the present instances, codes ascending. Handed down sorted, so that no node sorts.
  std::vector<std::vector<u64>> sorted;
};

}  // namespace tw
