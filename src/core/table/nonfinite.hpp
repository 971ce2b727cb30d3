// Looks for NaN or infinite cells, fast: whether there is any, not where.
#pragma once

#include <vector>

#include "table/view.hpp"

namespace tw {

enum class Nonfinite : u8 { nothing, infinite, infinite_or_missing };

// Whether the rows [first, last) of columns of floats hold a cell that may not be there. Whole numbers are always fit.
bool holds_nonfinite(const std::vector<View>& columns, std::size_t first, std::size_t last, Nonfinite nonfinite);

}  // namespace tw
