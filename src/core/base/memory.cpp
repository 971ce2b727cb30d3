// Advice to the system about memory, where there is a call for it: Linux and the GNU C library.
#include "base/memory.hpp"

#include <cstdint>

#if defined(__linux__)
#include <malloc.h>
#include <sys/mman.h>
#include <unistd.h>
#endif

namespace tw {

#if defined(__linux__)

void give_back(void* begin, std::size_t bytes) {
  static const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  const auto first = (reinterpret_cast<std::uintptr_t>(begin) + page - 1) / page * page;
  const auto last = (reinterpret_cast<std::uintptr_t>(begin) + bytes) / page * page;
  if (first < last) madvise(reinterpret_cast<void*>(first), last - first, MADV_DONTNEED);  // advice only: failing is no harm
}

void expect_random_reads(void* begin, std::size_t bytes) {
  constexpr std::uintptr_t kLarge = std::uintptr_t{1} << 21;
  const auto first = (reinterpret_cast<std::uintptr_t>(begin) + kLarge - 1) / kLarge * kLarge;
  const auto last = (reinterpret_cast<std::uintptr_t>(begin) + bytes) / kLarge * kLarge;
  if (first < last) madvise(reinterpret_cast<void*>(first), last - first, MADV_HUGEPAGE);
}

#else

void give_back(void*, std::size_t) {}
void expect_random_reads(void*, std::size_t) {}

#endif

#if defined(__GLIBC__)
void give_back_freed() { malloc_trim(0); }
#else
void give_back_freed() {}
#endif

}  // namespace tw
