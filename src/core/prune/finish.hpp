// What follows growing by recipe: splits that save nothing are undone, thresholds moved to training values, the rest pruned by complexity.
#pragma once

#include <vector>

#include "grow/settings.hpp"
#include "tree/tree.hpp"

namespace tw {

// `cells`: the columns of the table the tree was grown from.
Tree finish(Tree tree, const GrowSettings& settings, const std::vector<View>& cells, u64 n_rows);

}  // namespace tw
