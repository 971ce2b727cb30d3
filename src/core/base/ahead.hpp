// Asks for memory that a loop will need a few steps later. Rows of a node lie far apart: without this every one of them is waited for.
#pragma once

#include <cstddef>

namespace tw {

inline constexpr std::size_t kAhead = 16;  // steps

inline void fetch(const void* address) { __builtin_prefetch(address); }

}  // namespace tw
