// Asks for memory that a loop will need a few steps later. Rows of a node lie far apart: without this every one of them is waited for.
#pragma once

#include <cstddef>

namespace tw {

inline constexpr std::size_t kPrefetchDistance = 16;  // steps

inline void prefetch(const void* address) { __builtin_prefetch(address); }

}  // namespace tw
