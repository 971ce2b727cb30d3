// Scores of many divisions at once, four in hand: vectors the compiler maps to whatever the instruction set has. In an unnamed namespace on
// purpose, as in kernels_tail.hpp. Every operation is rounded once and in the same order, so the bytes are the same everywhere.
#pragma once

#include <cstring>
#include <limits>

#include "search/kernels.hpp"

namespace tw {

namespace {

using Four [[gnu::vector_size(32)]] = double;
using FourMasks [[gnu::vector_size(32)]] = long long;

// The rows of one side of four divisions.
struct FourSides {
  Four weight{};
  Four squares{};
};

u32 best_division(const Divisions& divisions, double best) {
  const double nothing = -std::numeric_limits<double>::infinity();
  const double least = divisions.least;
  u32 found = divisions.n;
  for (u32 begin = 0; begin < divisions.n; begin += kDivisionsAbreast) {
    FourSides first;
    FourSides second;
    FourSides first_and_missing;
    FourSides second_and_missing;
    for (u32 k = 0; k < divisions.n_classes; ++k) {
      Four l;
      std::memcpy(&l, divisions.first + k * divisions.stride + begin, sizeof(Four));
      Four r = divisions.present[k] - l;
      first.weight += l;
      first.squares += l * l;
      second.weight += r;
      second.squares += r * r;
      if (divisions.missing == nullptr) continue;
      l += divisions.missing[k];
      r += divisions.missing[k];
      first_and_missing.weight += l;
      first_and_missing.squares += l * l;
      second_and_missing.weight += r;
      second_and_missing.squares += r * r;
    }
    Four score;
    if (divisions.missing == nullptr) {
      score = first.squares / first.weight + second.squares / second.weight;
      const FourMasks enough = (first.weight >= least) & (second.weight >= least);
      score = enough ? score : nothing + Four{};
    } else {
      score = first_and_missing.squares / first_and_missing.weight + second.squares / second.weight;
      const FourMasks enough = (first_and_missing.weight >= least) & (second.weight >= least);
      score = enough ? score : nothing + Four{};
      const Four other = first.squares / first.weight + second_and_missing.squares / second_and_missing.weight;
      const FourMasks more = (first.weight >= least) & (second_and_missing.weight >= least) & (other > score);
      score = more ? other : score;
    }
    for (u32 i = 0; i < kDivisionsAbreast && begin + i < divisions.n; ++i) {
      if (!(score[i] > best)) continue;
      best = score[i];
      found = begin + i;
    }
  }
  return found;
}

}  // namespace

}  // namespace tw
