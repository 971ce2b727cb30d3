// From a table to a tree.
#pragma once

#include "base/work.hpp"
#include "grow/settings.hpp"
#include "tree/tree.hpp"

namespace tw {

// Grows a tree; the same one for any number of threads. Columns of `table` may be discretised in place.
Tree grow(Table& table, GrowSettings settings, Work& work);

}  // namespace tw
