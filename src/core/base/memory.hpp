// Advice to the system about memory: what is not needed any more, and what will be read at random.
#pragma once

#include <cstddef>

namespace tw {

// The bytes are not needed any more, and will not be read before they are written again: whole pages among them go back to the system.
void give_back(void* begin, std::size_t bytes);

// The bytes, not written yet, will be read at random: large pages cost fewer misses of the address cache (TLB).
void expect_random_reads(void* begin, std::size_t bytes);

// Much was freed: the allocator gives back what it keeps for later.
void give_back_freed();

}  // namespace tw
