// Prefetching: the rows of a node are scattered over memory, so that without it each of them would be a cache miss.
#pragma once

#include <cstddef>

namespace tw {

inline constexpr std::size_t kPrefetchDistance = 16;  // steps

inline void prefetch(const void* address) { __builtin_prefetch(address); }

}  // namespace tw
