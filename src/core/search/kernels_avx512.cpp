// Sixteen entries at a time with AVX-512: the compress instruction packs them. It is used in its register form; writing
// compressed to memory is slow on some processors.
#include "search/kernels.hpp"

#if defined(__AVX512F__) && defined(__AVX512BW__) && defined(__AVX512VL__) && defined(__AVX512VBMI2__)

#include <immintrin.h>

#include <algorithm>
#include <bit>

#include "search/kernels_tail.hpp"

namespace tw {

namespace {

__mmask16 bits_of(__m512i ids, const u64* bitmap) {
  const __m512i words = _mm512_i32gather_epi32(_mm512_srli_epi32(ids, 5), bitmap, 4);
  return _mm512_test_epi32_mask(words, _mm512_sllv_epi32(_mm512_set1_epi32(1), _mm512_and_si512(ids, _mm512_set1_epi32(31))));
}

u32 divide32(u32* list, u32 n, const u64* bitmap, u32* spare) {
  u32 first = 0;
  u32 second = 0;
  u32 i = 0;
  for (; i + 16 <= n; i += 16) {
    const __m512i entries = _mm512_loadu_si512(list + i);
    const __mmask16 mask = bits_of(_mm512_srli_epi32(entries, 1), bitmap);
    _mm512_storeu_si512(list + first, _mm512_maskz_compress_epi32(mask, entries));
    _mm512_storeu_si512(spare + second, _mm512_maskz_compress_epi32(static_cast<__mmask16>(~mask), entries));
    const auto count = static_cast<u32>(std::popcount(static_cast<u32>(mask)));
    first += count;
    second += 16 - count;
  }
  return divide_rest(list, i, n, first, second, bitmap, spare);
}

u32 divide64(u64* list, u32 n, const u64* bitmap, u64* spare) {
  u32 first = 0;
  u32 second = 0;
  u32 i = 0;
  for (; i + 16 <= n; i += 16) {
    const __m512i low = _mm512_loadu_si512(list + i);
    const __m512i high = _mm512_loadu_si512(list + i + 8);
    const __m512i entries = _mm512_inserti64x4(_mm512_castsi256_si512(_mm512_cvtepi64_epi32(low)), _mm512_cvtepi64_epi32(high), 1);
    const auto mask = static_cast<u32>(bits_of(_mm512_srli_epi32(entries, 1), bitmap));
    const auto put = [&](__m512i eight, u32 bits) {
      _mm512_storeu_si512(list + first, _mm512_maskz_compress_epi64(static_cast<__mmask8>(bits), eight));
      _mm512_storeu_si512(spare + second, _mm512_maskz_compress_epi64(static_cast<__mmask8>(~bits), eight));
      const auto count = static_cast<u32>(std::popcount(bits));
      first += count;
      second += 8 - count;
    };
    put(low, mask & 255U);
    put(high, mask >> 8);
  }
  return divide_rest(list, i, n, first, second, bitmap, spare);
}

__mmask32 first_bits(u32 n) { return static_cast<__mmask32>((u64{1} << n) - 1); }

// Copies what was spared behind the entries of the first branch; no write leaves the list.
void put_behind(u16* list, const u16* spare, u32 n) {
  u32 j = 0;
  for (; j + 32 <= n; j += 32) _mm512_storeu_si512(list + j, _mm512_loadu_si512(spare + j));
  if (j < n) _mm512_mask_storeu_epi16(list + j, first_bits(n - j), _mm512_loadu_si512(spare + j));
}

// Short lists are the rule here, so the last block is done with masks too: no write leaves the list.
u32 divide16(u16* list, u32 n, const u64* bitmap, u16* spare) {
  u32 first = 0;
  u32 second = 0;
  for (u32 i = 0; i < n; i += 16) {
    const u32 left = n - i;
    const auto valid = static_cast<__mmask16>(left >= 16 ? 0xffffU : (1U << left) - 1);
    const __m256i entries = _mm256_maskz_loadu_epi16(valid, list + i);
    const auto mask = static_cast<__mmask16>(bits_of(_mm512_srli_epi32(_mm512_cvtepu16_epi32(entries), 1), bitmap) & valid);
    const auto rest = static_cast<__mmask16>(~mask & valid);
    const auto count = static_cast<u32>(std::popcount(static_cast<u32>(mask)));
    const __m256i kept = _mm256_maskz_compress_epi16(mask, entries);
    if (left >= 16)
      _mm256_storeu_si256(reinterpret_cast<__m256i*>(list + first), kept);
    else
      _mm256_mask_storeu_epi16(list + first, static_cast<__mmask16>((1U << count) - 1), kept);
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(spare + second), _mm256_maskz_compress_epi16(rest, entries));
    first += count;
    second += std::min(left, 16U) - count;
  }
  put_behind(list + first, spare, second);
  return first;
}

// The bitmap stays in registers, where bits are looked up without going to memory.
u32 divide_few(u16* list, u32 n, const u64* bitmap, u16* spare) {
  const __m512i lower = _mm512_loadu_si512(bitmap);
  const __m512i upper = _mm512_loadu_si512(bitmap + 8);
  const auto chosen = [&](__m512i entries, __mmask32 valid) {
    const __m512i words = _mm512_permutex2var_epi16(lower, _mm512_srli_epi16(entries, 5), upper);
    const __m512i places = _mm512_and_si512(_mm512_srli_epi16(entries, 1), _mm512_set1_epi16(15));
    return _mm512_mask_test_epi16_mask(valid, words, _mm512_sllv_epi16(_mm512_set1_epi16(1), places));
  };
  u32 first = 0;
  u32 second = 0;
  for (u32 i = 0; i < n; i += 32) {
    const u32 left = std::min(n - i, 32U);
    const __mmask32 valid = first_bits(left);
    const __m512i entries = _mm512_maskz_loadu_epi16(valid, list + i);
    const __mmask32 mask = chosen(entries, valid);
    const auto count = static_cast<u32>(std::popcount(mask));
    const __m512i others = _mm512_maskz_compress_epi16(valid & ~mask, entries);
    _mm512_mask_storeu_epi16(list + first, first_bits(count), _mm512_maskz_compress_epi16(mask, entries));
    if (n <= 32) {  // most lists: nothing has to be spared
      _mm512_mask_storeu_epi16(list + count, first_bits(left - count), others);
      return count;
    }
    _mm512_storeu_si512(spare + second, others);
    first += count;
    second += left - count;
  }
  put_behind(list + first, spare, second);
  return first;
}

}  // namespace

const Kernels& avx512_kernels() {
  static const Kernels table = [] {
    Kernels kernels = avx2_kernels();
    kernels.divide16 = divide16;
    kernels.divide32 = divide32;
    kernels.divide64 = divide64;
    kernels.divide_few = divide_few;
    return kernels;
  }();
  return table;
}

}  // namespace tw

#else

namespace tw {

const Kernels& avx512_kernels() { return avx2_kernels(); }

}  // namespace tw

#endif
