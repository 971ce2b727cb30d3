// Eight entries at a time with AVX2: bits are gathered from the bitmap, entries packed by a look-up of the permutation.
#include "search/kernels.hpp"

#if defined(__AVX2__)

#include <immintrin.h>

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <utility>

#include "search/kernels_cuts.hpp"
#include "search/kernels_tail.hpp"

namespace tw {

namespace {

// For every 8-bit mask: the positions of its set bits, then of its clear bits.
struct Packing {
  alignas(32) std::array<std::array<u32, 8>, 256> lanes;
  alignas(16) std::array<std::array<u8, 16>, 256> bytes;  // the same for 16-bit lanes
  alignas(8) std::array<std::array<u8, 8>, 256> counts;   // set bits up to and with each position
  alignas(32) std::array<std::array<u32, 8>, 16> halves;  // of 4-bit masks: positions in units of half a 64-bit lane

  Packing() {
    for (u32 mask = 0; mask < 256; ++mask) {
      u32 at = 0;
      for (const u32 wanted : {1U, 0U})
        for (u32 i = 0; i < 8; ++i)
          if (((mask >> i) & 1) == wanted) lanes[mask][at++] = i;
      for (u32 i = 0; i < 8; ++i) {
        bytes[mask][2 * i] = static_cast<u8>(2 * lanes[mask][i]);
        bytes[mask][2 * i + 1] = static_cast<u8>(2 * lanes[mask][i] + 1);
        counts[mask][i] = static_cast<u8>(std::popcount(mask & ((2U << i) - 1)));
      }
    }
    for (u32 mask = 0; mask < 16; ++mask) {
      u32 at = 0;
      for (const u32 wanted : {1U, 0U})
        for (u32 i = 0; i < 4; ++i)
          if (((mask >> i) & 1) == wanted) {
            halves[mask][at++] = 2 * i;
            halves[mask][at++] = 2 * i + 1;
          }
    }
  }
};

const Packing& packing() {
  static const Packing table;
  return table;
}

// Which of eight ids have their bit set.
u32 bits_of(__m256i ids, const u64* bitmap) {
  const __m256i words = _mm256_i32gather_epi32(reinterpret_cast<const int*>(bitmap), _mm256_srli_epi32(ids, 5), 4);
  // The wanted bit becomes the sign bit.
  const __m256i shift = _mm256_sub_epi32(_mm256_set1_epi32(31), _mm256_and_si256(ids, _mm256_set1_epi32(31)));
  return static_cast<u32>(_mm256_movemask_ps(_mm256_castsi256_ps(_mm256_sllv_epi32(words, shift))));
}

u32 divide32(u32* list, u32 n, const u64* bitmap, u32* spare) {
  const Packing& pack = packing();
  u32 first = 0;
  u32 second = 0;
  u32 i = 0;
  for (; i + 8 <= n; i += 8) {
    const __m256i entries = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(list + i));
    const u32 mask = bits_of(_mm256_srli_epi32(entries, 1), bitmap);
    const auto order = [&](u32 m) { return _mm256_load_si256(reinterpret_cast<const __m256i*>(pack.lanes[m].data())); };
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(list + first), _mm256_permutevar8x32_epi32(entries, order(mask)));
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(spare + second), _mm256_permutevar8x32_epi32(entries, order(mask ^ 255)));
    const auto count = static_cast<u32>(std::popcount(mask));
    first += count;
    second += 8 - count;
  }
  return divide_rest(list, i, n, first, second, bitmap, spare);
}

u32 divide16(u16* list, u32 n, const u64* bitmap, u16* spare) {
  const Packing& pack = packing();
  u32 first = 0;
  u32 second = 0;
  u32 i = 0;
  for (; i + 8 <= n; i += 8) {
    const __m128i entries = _mm_loadu_si128(reinterpret_cast<const __m128i*>(list + i));
    const u32 mask = bits_of(_mm256_srli_epi32(_mm256_cvtepu16_epi32(entries), 1), bitmap);
    const auto order = [&](u32 m) { return _mm_load_si128(reinterpret_cast<const __m128i*>(pack.bytes[m].data())); };
    _mm_storeu_si128(reinterpret_cast<__m128i*>(list + first), _mm_shuffle_epi8(entries, order(mask)));
    _mm_storeu_si128(reinterpret_cast<__m128i*>(spare + second), _mm_shuffle_epi8(entries, order(mask ^ 255)));
    const auto count = static_cast<u32>(std::popcount(mask));
    first += count;
    second += 8 - count;
  }
  return divide_rest(list, i, n, first, second, bitmap, spare);
}

u32 divide64(u64* list, u32 n, const u64* bitmap, u64* spare) {
  const Packing& pack = packing();
  u32 first = 0;
  u32 second = 0;
  u32 i = 0;
  for (; i + 8 <= n; i += 8) {
    const __m256i low = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(list + i));
    const __m256i high = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(list + i + 4));
    // The ids of all eight, in order: lower halves of the two.
    const __m256i evens = _mm256_castps_si256(_mm256_shuffle_ps(_mm256_castsi256_ps(low), _mm256_castsi256_ps(high), 0x88));
    const u32 mask = bits_of(_mm256_srli_epi32(_mm256_permute4x64_epi64(evens, 0xd8), 1), bitmap);
    for (const auto& [entries, four] : {std::pair{low, mask & 15U}, std::pair{high, mask >> 4}}) {
      const auto order = [&](u32 m) { return _mm256_load_si256(reinterpret_cast<const __m256i*>(pack.halves[m].data())); };
      _mm256_storeu_si256(reinterpret_cast<__m256i*>(list + first), _mm256_permutevar8x32_epi32(entries, order(four)));
      _mm256_storeu_si256(reinterpret_cast<__m256i*>(spare + second), _mm256_permutevar8x32_epi32(entries, order(four ^ 15U)));
      const auto count = static_cast<u32>(std::popcount(four));
      first += count;
      second += 4 - count;
    }
  }
  return divide_rest(list, i, n, first, second, bitmap, spare);
}

u32 labels_of(const u16* list) {
  const __m128i low = _mm_slli_epi16(_mm_loadu_si128(reinterpret_cast<const __m128i*>(list)), 15);
  return static_cast<u32>(_mm_movemask_epi8(_mm_packs_epi16(low, _mm_setzero_si128()))) & 255U;
}

u32 labels_of(const u32* list) {
  const __m256i low = _mm256_slli_epi32(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(list)), 31);
  return static_cast<u32>(_mm256_movemask_ps(_mm256_castsi256_ps(low)));
}

constexpr u32 kBoundBlock = 64;

// Entries of label 1 among the next 64.
i32 ones_of(const u16* list) {
  i32 count = 0;
  for (u32 i = 0; i < kBoundBlock; i += 32) {
    const __m256i a = _mm256_slli_epi16(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(list + i)), 15);
    const __m256i b = _mm256_slli_epi16(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(list + i + 16)), 15);
    count += std::popcount(static_cast<u32>(_mm256_movemask_epi8(_mm256_packs_epi16(a, b))));
  }
  return count;
}

i32 ones_of(const u32* list) {
  i32 count = 0;
  for (u32 i = 0; i < kBoundBlock; i += 32) {
    const auto low = [&](u32 at) { return _mm256_slli_epi32(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(list + i + at)), 31); };
    const __m256i a = _mm256_packs_epi32(low(0), low(8));
    const __m256i b = _mm256_packs_epi32(low(16), low(24));
    count += std::popcount(static_cast<u32>(_mm256_movemask_epi8(_mm256_packs_epi16(a, b))));
  }
  return count;
}

// No cut inside a block of entries can cost less than the least cost at the four corners of the box its counts can reach: the cost is
// concave in the counts of the two classes.
float least_cost_within(const TwoClassScan& scan, i32 ones) {
  const i32 zeros = static_cast<i32>(kBoundBlock) - ones;
  const __m128i l1 = _mm_add_epi32(_mm_set1_epi32(scan.ones), _mm_setr_epi32(0, 0, ones, ones));
  const __m128i l0 = _mm_add_epi32(_mm_set1_epi32(scan.below - scan.ones), _mm_setr_epi32(0, zeros, 0, zeros));
  const __m128i r1 = _mm_sub_epi32(_mm_set1_epi32(scan.all_ones), l1);
  const __m128i r0 = _mm_sub_epi32(_mm_set1_epi32(scan.all - scan.all_ones), l0);
  const auto side = [&](__m128i of_zero, __m128i of_one) {
    const __m128 zero = _mm_cvtepi32_ps(of_zero);
    const __m128 one = _mm_cvtepi32_ps(of_one);
    const __m128 sum = _mm_add_ps(_mm_mul_ps(zero, _mm_set1_ps(scan.zero)), _mm_mul_ps(one, _mm_set1_ps(scan.one)));
    return _mm_div_ps(_mm_mul_ps(zero, one), _mm_max_ps(sum, _mm_set1_ps(std::numeric_limits<float>::min())));  // an empty side costs 0
  };
  const __m128 cost = _mm_add_ps(side(l0, l1), side(r0, r1));
  const __m128 half = _mm_min_ps(cost, _mm_movehl_ps(cost, cost));
  return _mm_cvtss_f32(_mm_min_ss(half, _mm_shuffle_ps(half, half, 1)));
}

// Passes over blocks that cannot hold a hit.
template <class Entry>
void skip_blocks(const Entry* list, u32 last, float limit, TwoClassScan& scan) {
  while (scan.position + kBoundBlock <= last) {
    const i32 ones = ones_of(list + scan.position);
    if (least_cost_within(scan, ones) <= limit) break;
    scan.position += kBoundBlock;
    scan.below += static_cast<i32>(kBoundBlock);
    scan.ones += ones;
  }
  scan.open_until = std::min(scan.position + kBoundBlock, last);
}

// Lists have room behind their end for a whole block, so blocks may reach beyond `last`; such cuts are masked out.
template <class Entry>
bool scan(const Entry* list, u32 last, const float* inverse, float limit, TwoClassScan& scan, TwoClassHit& hit) {
  const Packing& pack = packing();
  const __m256i all = _mm256_set1_epi32(scan.all);
  const __m256i all_ones = _mm256_set1_epi32(scan.all_ones);
  const __m256 bound = _mm256_set1_ps(limit);
  while (scan.position < last) {
    if (scan.position >= scan.open_until) {
      skip_blocks(list, last, limit, scan);
      if (scan.position >= last) return false;
    }
    const u32 labels = labels_of(list + scan.position);
    const __m256i counts = _mm256_cvtepu8_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(pack.counts[labels].data())));
    const __m256i ones = _mm256_add_epi32(counts, _mm256_set1_epi32(scan.ones));
    const __m256i below = _mm256_add_epi32(_mm256_set1_epi32(scan.below), _mm256_setr_epi32(1, 2, 3, 4, 5, 6, 7, 8));
    const __m256i above = _mm256_sub_epi32(all, below);
    const __m256i above_ones = _mm256_sub_epi32(all_ones, ones);
    const __m256 l1 = _mm256_cvtepi32_ps(ones);
    const __m256 l0 = _mm256_cvtepi32_ps(_mm256_sub_epi32(below, ones));
    const __m256 r1 = _mm256_cvtepi32_ps(above_ones);
    const __m256 r0 = _mm256_cvtepi32_ps(_mm256_sub_epi32(above, above_ones));
    const __m256 l = _mm256_mul_ps(l0, l1);
    const __m256 r = _mm256_mul_ps(r0, r1);
    __m256 cost;
    if (inverse != nullptr) {
      const __m256 il = _mm256_loadu_ps(inverse + scan.below + 1);
      // Reciprocals of the upper side run downwards.
      const __m256 ir =
          _mm256_permutevar8x32_ps(_mm256_loadu_ps(inverse + scan.all - scan.below - 8), _mm256_setr_epi32(7, 6, 5, 4, 3, 2, 1, 0));
      cost = _mm256_add_ps(_mm256_mul_ps(l, il), _mm256_mul_ps(r, ir));
    } else {
      const auto weighed = [&](__m256 zero, __m256 one) {
        return _mm256_add_ps(_mm256_mul_ps(zero, _mm256_set1_ps(scan.zero)), _mm256_mul_ps(one, _mm256_set1_ps(scan.one)));
      };
      cost = _mm256_add_ps(_mm256_div_ps(l, weighed(l0, l1)), _mm256_div_ps(r, weighed(r0, r1)));
    }
    u32 mask = static_cast<u32>(_mm256_movemask_ps(_mm256_cmp_ps(cost, bound, _CMP_LE_OQ)));
    const u32 valid = std::min(8U, last - scan.position);
    mask &= (1U << valid) - 1;
    hit.at = scan;
    scan.position += 8;
    scan.below += 8;
    scan.ones += pack.counts[labels][7];
    if (mask != 0) {
      hit.mask = mask;
      hit.labels = labels;
      _mm256_storeu_ps(hit.cost.data(), cost);
      return true;
    }
  }
  return false;
}

RoughSums rough_sums(const u64* list) {
  const __m256i zero = _mm256_setzero_si256();
  __m256i positive = zero;
  __m256i negative = zero;
  for (u32 i = 0; i < 64; i += 4) {
    const __m256i entries = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(list + i));
    // The upper half with its sign in 64 bits.
    const __m256i sign = _mm256_srai_epi32(entries, 31);
    const __m256i rough = _mm256_blend_epi32(_mm256_srli_epi64(entries, 32), sign, 0xaa);
    const __m256i below = _mm256_cmpgt_epi64(zero, rough);
    positive = _mm256_add_epi64(positive, _mm256_andnot_si256(below, rough));
    negative = _mm256_add_epi64(negative, _mm256_and_si256(below, rough));
  }
  const auto total = [](__m256i lanes) {
    alignas(32) std::array<i64, 4> out;
    _mm256_store_si256(reinterpret_cast<__m256i*>(out.data()), lanes);
    return out[0] + out[1] + out[2] + out[3];
  };
  return {total(positive), total(negative)};
}

double largest(__m256d values) {
  alignas(32) std::array<double, 4> out;
  _mm256_store_pd(out.data(), values);
  return std::max(std::max(out[0], out[1]), std::max(out[2], out[3]));
}

__m256d reversed(__m256d values) { return _mm256_permute4x64_pd(values, 0x1b); }

// Inputs reach three entries beyond n, and the table of reciprocals three below the least count: such lanes are masked out.
double best_of_squares(const double* left, const double* right, u32 n, u32 below, u32 all, const double* inverse) {
  __m256d best = _mm256_setzero_pd();
  const __m256d lanes = _mm256_setr_pd(0, 1, 2, 3);
  for (u32 i = 0; i < n; i += 4) {
    const __m256d l = _mm256_mul_pd(_mm256_loadu_pd(left + i), _mm256_loadu_pd(inverse + below + i));
    const double* high = inverse + static_cast<std::ptrdiff_t>(all) - below - i - 3;
    const __m256d r = _mm256_mul_pd(_mm256_loadu_pd(right + i), reversed(_mm256_loadu_pd(high)));
    const __m256d valid = _mm256_cmp_pd(lanes, _mm256_set1_pd(static_cast<double>(n - i)), _CMP_LT_OQ);
    best = _mm256_max_pd(best, _mm256_and_pd(valid, _mm256_add_pd(l, r)));
  }
  return largest(best);
}

double best_of_sums(const double* sums, u32 n, double sum, u32 below, u32 all, const double* inverse) {
  __m256d best = _mm256_setzero_pd();
  const __m256d lanes = _mm256_setr_pd(0, 1, 2, 3);
  const __m256d weight = _mm256_set1_pd(all);
  const __m256d total = _mm256_set1_pd(sum);
  for (u32 i = 0; i < n; i += 4) {
    const __m256d l = _mm256_add_pd(lanes, _mm256_set1_pd(static_cast<double>(below + i)));
    const __m256d cross = _mm256_sub_pd(_mm256_mul_pd(_mm256_loadu_pd(sums + i), weight), _mm256_mul_pd(total, l));
    const double* high = inverse + static_cast<std::ptrdiff_t>(all) - below - i - 3;
    const __m256d share = _mm256_mul_pd(_mm256_loadu_pd(inverse + below + i), reversed(_mm256_loadu_pd(high)));
    const __m256d valid = _mm256_cmp_pd(lanes, _mm256_set1_pd(static_cast<double>(n - i)), _CMP_LT_OQ);
    best = _mm256_max_pd(best, _mm256_and_pd(valid, _mm256_mul_pd(_mm256_mul_pd(cross, cross), share)));
  }
  return largest(best);
}

}  // namespace

const Kernels& avx2_kernels() {
  static const Kernels table{divide16,      divide32,   divide64,   divide16,     scan<u16>,    scan<u32>,  best_of_squares, best_of_sums,
                             best_division, rough_sums, cheap_cuts, good_squares, good_moments, least_cost, most_squares,    most_moments};
  return table;
}

}  // namespace tw

#else

namespace tw {

const Kernels& avx2_kernels() { return scalar_kernels(); }

}  // namespace tw

#endif
