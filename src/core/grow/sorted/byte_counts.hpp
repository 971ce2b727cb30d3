// Counters of a few classes side by side in one register: to add to them takes one step even where all rows are of the same class, which a
// counter in memory would make wait for one another. A byte is enough for the rows of a block.
#pragma once

#include <array>
#include <cstring>

#include "grow/sorted/scan.hpp"

namespace tw {

inline constexpr u32 kByteCounters = 16;
using ByteCounts [[gnu::vector_size(kByteCounters)]] = u8;
static_assert(kScanBlock <= 255);
alignas(kByteCounters) inline constexpr auto kByteSteps = [] {
  std::array<u8, kByteCounters * kByteCounters> steps{};
  for (u32 j = 0; j < kByteCounters; ++j) steps[j * kByteCounters + j] = 1;
  return steps;
}();
inline ByteCounts one_more(u8 label) {
  ByteCounts step;
  std::memcpy(&step, kByteSteps.data() + std::size_t{label} * kByteCounters, sizeof step);
  return step;
}

}  // namespace tw
