// The few loops that exist once per instruction set, chosen at run time. Every level gives the same bytes; the tests force each.
//
// An entry of a sorted list is (id << 1 | bit): the id of a row, and for two classes its label; the upper half of 64 bits is the target,
// roughly. Lists are divided by a bitmap over the ids (bit set: first branch).
#pragma once

#include <array>

#include "base/types.hpp"

namespace tw {

inline constexpr u32 kFewIds = 1024;  // their bitmap fits two registers of 512 bits

enum class KernelLevel : int { scalar = 0, avx2 = 1, avx512 = 2 };

// Where a scan of two-class entries stands. Counts are of the side below: `below` rows, of which `ones` have label 1.
struct TwoClassScan {
  u32 position = 0;  // entries passed
  i32 below = 0;
  i32 ones = 0;
  i32 all = 0;  // rows of both sides
  i32 all_ones = 0;
  u32 open_until = 0;  // up to here a bound has shown that looking closer is needed
  float zero = 1;      // what a row of either class counts in the divisors
  float one = 1;
};

// Up to 8 neighbouring cuts, the first one after `position` entries, of which those in `mask` may be better than the limit.
struct TwoClassHit {
  u32 mask = 0;
  u32 labels = 0;               // label bits of the entries of the block
  TwoClassScan at;              // before the block
  std::array<float, 8> cost{};  // of each, as estimated
};

// Divisions of a node in two, the rows of every class that go to the first branch given class by class: class k of division i at
// first[k * stride + i]. All numbers whole and small enough that sums of their squares are exact.
inline constexpr u32 kDivisionsAbreast = 4;  // n is rounded up to a multiple of this for reading
struct Divisions {
  const double* first = nullptr;
  std::size_t stride = 0;
  u32 n = 0;
  u32 n_classes = 0;
  const double* present = nullptr;  // rows of a class in both branches
  const double* missing = nullptr;  // rows of a class that may join either branch; null: none
  double least = 1;                 // rows either branch must have
};

// Up to 64 neighbouring cuts of rows that weigh what they weigh: what lies below each, and the two classes in all. A row of a class counts
// its factor. Weights are whole and below 2^52; arrays reach to a multiple of four.
inline constexpr u32 kCutsAbreast = 4;
struct TwoClassCuts {
  const i64* below = nullptr;  // weight of both classes
  const i64* ones = nullptr;   // of class 1
  u32 n = 0;
  double all_zeros = 0;
  double all_ones = 0;
  double zero = 1;
  double one = 1;
};
// The same for more classes: squares over weights, `more` being added to the squares above.
struct SquaresCuts {
  const double* left = nullptr;
  const double* right = nullptr;
  const double* below = nullptr;
  const double* above = nullptr;
  u32 n = 0;
  double more = 0;
  double least_above = 0;  // where no more lies above, sums are not to be trusted
};
// And for numbers: the weight below, and the sum of weighted targets, which may be off such that the cross product is by `off`.
struct MomentCuts {
  const i64* below = nullptr;
  const i64* sums = nullptr;
  u32 n = 0;
  double all = 0;
  double sum = 0;
  double off = 0;
};

struct RoughSums {
  i64 positive = 0;
  i64 negative = 0;
};

struct Kernels {
  // Stable division in place: first-branch entries stay in `list`, the others go through `spare` behind them. Returns how many are first.
  u32 (*divide16)(u16* list, u32 n, const u64* bitmap, u16* spare);
  u32 (*divide32)(u32* list, u32 n, const u64* bitmap, u32* spare);
  u32 (*divide64)(u64* list, u32 n, const u64* bitmap, u64* spare);
  // divide16 of ids below kFewIds, whose bitmap has room for all of them.
  u32 (*divide_few)(u16* list, u32 n, const u64* bitmap, u16* spare);
  // Looks for a block in which l0 l1 / l + r0 r1 / r may be at most `limit`; advances the scan behind it. False at the end.
  // Cuts run from behind the first entry to behind entry `last`. `inverse[i]` is 1 / i in single precision, for as many as the list has;
  // null: l and r are the rows as the scan has them count.
  bool (*scan16)(const u16* list, u32 last, const float* inverse, float limit, TwoClassScan& scan, TwoClassHit& hit);
  bool (*scan32)(const u32* list, u32 last, const float* inverse, float limit, TwoClassScan& scan, TwoClassHit& hit);
  // The largest estimate among n neighbouring cuts, the first of which leaves `below` rows on the lower side and `all - below` on the
  // upper. Many classes: left[i] / l + right[i] / r. Numbers: (sums[i] all - sum l)^2 / (l r). `inverse[i]` is 1 / i.
  double (*best_of_squares)(const double* left, const double* right, u32 n, u32 below, u32 all, const double* inverse);
  double (*best_of_sums)(const double* sums, u32 n, double sum, u32 below, u32 all, const double* inverse);
  // The first of the best divisions, if it scores above the floor: squares over rows, summed over the branches, the missing rows being
  // where they score more. n if none does.
  u32 (*best_division)(const Divisions& divisions, double floor);
  // Sums of the rough targets above and below 0 of 64 entries.
  RoughSums (*rough_sums)(const u64* list);
  // Which cuts may cost at most the limit, l0 l1 / l + r0 r1 / r; score at least the limit, left / l + (right + more) / r; or score at
  // least the limit, (|sum_l all - sum l| + off)^2 / (l r): a bit each.
  u64 (*cheap_cuts)(const TwoClassCuts& cuts, double limit);
  u64 (*good_squares)(const SquaresCuts& cuts, double limit);
  u64 (*good_moments)(const MomentCuts& cuts, double limit);
  // What the best of the cuts costs at most, or scores at least: `more` and `off` are taken off.
  double (*least_cost)(const TwoClassCuts& cuts);
  double (*most_squares)(const SquaresCuts& cuts);
  double (*most_moments)(const MomentCuts& cuts);
};

const Kernels& scalar_kernels();
const Kernels& avx2_kernels();
const Kernels& avx512_kernels();

// The best level of this machine, and the one in use (the best unless a test says otherwise).
KernelLevel best_kernel_level();
KernelLevel kernel_level();
void use_kernel_level(KernelLevel level);
const Kernels& kernels();

}  // namespace tw
