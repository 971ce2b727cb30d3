// The plain twin of the vector kernels, and the choice among them.
#include <algorithm>
#include <atomic>

#include "search/kernels.hpp"
#include "search/kernels_cuts.hpp"
#include "search/kernels_tail.hpp"

namespace tw {

namespace {

template <class Entry>
u32 divide(Entry* list, u32 n, const u64* bitmap, Entry* spare) {
  return divide_rest(list, 0, n, 0, 0, bitmap, spare);
}

template <class Entry>
bool scan(const Entry* list, u32 last, const float*, float limit, TwoClassScan& scan, TwoClassHit& hit) {
  while (scan.position < last) {
    hit.at = scan;
    hit.labels = list[scan.position] & 1U;
    ++scan.position;
    ++scan.below;
    scan.ones += static_cast<i32>(hit.labels);
    const auto l1 = static_cast<float>(scan.ones);
    const auto l0 = static_cast<float>(scan.below - scan.ones);
    const auto r1 = static_cast<float>(scan.all_ones - scan.ones);
    const auto r0 = static_cast<float>((scan.all - scan.below) - (scan.all_ones - scan.ones));
    hit.cost[0] = l0 * l1 / (scan.zero * l0 + scan.one * l1) + r0 * r1 / (scan.zero * r0 + scan.one * r1);
    if (hit.cost[0] <= limit) {
      hit.mask = 1;
      return true;
    }
  }
  return false;
}

double best_of_squares(const double* left, const double* right, u32 n, u32 below, u32 all, const double* inverse) {
  double best = 0;
  for (u32 i = 0; i < n; ++i) best = std::max(best, left[i] * inverse[below + i] + right[i] * inverse[all - below - i]);
  return best;
}

double best_of_sums(const double* sums, u32 n, double sum, u32 below, u32 all, const double* inverse) {
  double best = 0;
  for (u32 i = 0; i < n; ++i) {
    const double cross = sums[i] * all - sum * (below + i);
    best = std::max(best, cross * cross * (inverse[below + i] * inverse[all - below - i]));
  }
  return best;
}

RoughSums rough_sums(const u64* list) {
  RoughSums sums;
  for (u32 i = 0; i < 64; ++i) {
    const auto rough = static_cast<i32>(list[i] >> 32);
    sums.positive += std::max(rough, 0);
    sums.negative += std::min(rough, 0);
  }
  return sums;
}

std::atomic<int> forced{-1};

}  // namespace

const Kernels& scalar_kernels() {
  static const Kernels table{divide<u16>,     divide<u32>,  divide<u64>,   divide<u16>, scan<u16>,  scan<u32>,
                             best_of_squares, best_of_sums, best_division, rough_sums,  cheap_cuts, good_squares,
                             good_moments,    least_cost,   most_squares,  most_moments};
  return table;
}

KernelLevel best_kernel_level() {
#if defined(__x86_64__)
  static const KernelLevel level = [] {
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") &&
        __builtin_cpu_supports("avx512vbmi2"))
      return KernelLevel::avx512;
    return __builtin_cpu_supports("avx2") ? KernelLevel::avx2 : KernelLevel::scalar;
  }();
  return level;
#else
  return KernelLevel::scalar;
#endif
}

KernelLevel kernel_level() {
  const int level = forced.load();
  return level < 0 ? best_kernel_level() : static_cast<KernelLevel>(level);
}

void use_kernel_level(KernelLevel level) { forced = std::min(static_cast<int>(level), static_cast<int>(best_kernel_level())); }

const Kernels& kernels() {
  switch (kernel_level()) {
    case KernelLevel::avx512: return avx512_kernels();
    case KernelLevel::avx2: return avx2_kernels();
    case KernelLevel::scalar: break;
  }
  return scalar_kernels();
}

}  // namespace tw
