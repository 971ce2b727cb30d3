// Which of up to 64 cuts of weighted rows deserve an exact score, four in hand and without a division: vectors the compiler maps to
// whatever the instruction set has. In an unnamed namespace on purpose, as in kernels_tail.hpp.
#pragma once

#include <algorithm>
#include <cstring>
#include <limits>

#include "search/kernels_divisions.hpp"

namespace tw {

namespace {

// Vectors are passed by reference: without AVX none is returned in a register.
template <class T>
void take_four(T& four, const void* from) {
  std::memcpy(&four, from, sizeof four);
}

// Whole numbers from 0 to 2^52: they become the fraction of a number between 2^52 and 2^53.
void take_whole(Four& four, const i64* from) {
  FourMasks whole;
  take_four(whole, from);
  whole |= 0x4330000000000000LL;
  take_four(four, &whole);
  four -= 0x1p52;
}

// Bits of the cuts which `test` lets pass. Most blocks have none: that is found out first.
template <class Test>
u64 bits_where(u32 n, const Test& test) {
  FourMasks passed;
  FourMasks any{};
  for (u32 i = 0; i < n; i += kCutsAbreast) {
    test(i, passed);
    any |= passed;
  }
  if ((any[0] | any[1] | any[2] | any[3]) == 0) return 0;
  u64 bits = 0;
  for (u32 i = 0; i < n; i += kCutsAbreast) {
    test(i, passed);
    passed &= FourMasks{1, 2, 4, 8};
    bits |= static_cast<u64>(passed[0] | passed[1] | passed[2] | passed[3]) << i;
  }
  return n < 64 ? bits & ((u64{1} << n) - 1) : bits;
}

// The largest of `value` over all cuts; lanes behind the last repeat it or are less.
template <class Value>
double largest_of(u32 n, const Value& value) {
  Four most = -std::numeric_limits<double>::infinity() + Four{};
  Four next;
  for (u32 i = 0; i < n; i += kCutsAbreast) {
    value(i, next);
    most = next > most ? next : most;
  }
  return std::max(std::max(most[0], most[1]), std::max(most[2], most[3]));
}

// Four cuts of two classes: the cost as a quotient.
struct FourCosts {
  Four above;
  Four below;

  FourCosts(const TwoClassCuts& cuts, u32 i) {
    Four both;
    Four ones;
    take_whole(both, cuts.below + i);
    take_whole(ones, cuts.ones + i);
    const Four zeros = both - ones;
    const Four l0 = cuts.zero * zeros;
    const Four l1 = cuts.one * ones;
    const Four r0 = cuts.zero * (cuts.all_zeros - zeros);
    const Four r1 = cuts.one * (cuts.all_ones - ones);
    const Four l = l0 + l1;
    const Four r = r0 + r1;
    above = l0 * l1 * r + r0 * r1 * l;
    below = l * r;
  }
};

u64 cheap_cuts(const TwoClassCuts& cuts, double limit) {
  return bits_where(cuts.n, [&](u32 i, FourMasks& passed) {
    const FourCosts cost(cuts, i);
    passed = cost.above <= limit * cost.below;
  });
}

double least_cost(const TwoClassCuts& cuts) {
  return -largest_of(cuts.n, [&](u32 i, Four& value) {
    const FourCosts cost(cuts, i);
    value = -(cost.above / cost.below);
  });
}

struct FourSquares {
  Four left;
  Four right;
  Four l;
  Four r;

  FourSquares(const SquaresCuts& cuts, u32 i) {
    take_four(left, cuts.left + i);
    take_four(right, cuts.right + i);
    take_four(l, cuts.below + i);
    take_four(r, cuts.above + i);
  }
};

u64 good_squares(const SquaresCuts& cuts, double limit) {
  return bits_where(cuts.n, [&](u32 i, FourMasks& passed) {
    const FourSquares cut(cuts, i);
    passed = (cut.left * cut.r + (cut.right + cuts.more) * cut.l >= limit * (cut.l * cut.r)) | (cut.r <= cuts.least_above);
  });
}

double most_squares(const SquaresCuts& cuts) {
  return largest_of(cuts.n, [&](u32 i, Four& value) {
    const FourSquares cut(cuts, i);
    value = cut.r > cuts.least_above ? cut.left / cut.l + (cut.right - cuts.more) / cut.r : Four{};
  });
}

struct FourMoments {
  Four cross;  // without its sign
  Four below;

  FourMoments(const MomentCuts& cuts, u32 i) {
    Four l;
    take_whole(l, cuts.below + i);
    const i64* sums = cuts.sums + i;
    const Four moved{static_cast<double>(sums[0]), static_cast<double>(sums[1]), static_cast<double>(sums[2]),
                     static_cast<double>(sums[3])};
    cross = moved * cuts.all - cuts.sum * l;
    cross = cross < 0 ? -cross : cross;
    below = l * (cuts.all - l);
  }
};

u64 good_moments(const MomentCuts& cuts, double limit) {
  return bits_where(cuts.n, [&](u32 i, FourMasks& passed) {
    const FourMoments cut(cuts, i);
    const Four size = cut.cross + cuts.off;
    passed = size * size >= limit * cut.below;
  });
}

double most_moments(const MomentCuts& cuts) {
  return largest_of(cuts.n, [&](u32 i, Four& value) {
    const FourMoments cut(cuts, i);
    const Four size = cut.cross > cuts.off ? cut.cross - cuts.off : Four{};
    value = size * size / cut.below;
  });
}

}  // namespace

}  // namespace tw
