// The least cost of one more split by a view on either side of a division, for views of few groups as sets of bits and for others row by
// row in their order. Everything here adds up whole numbers: which of the ways is taken changes no cost.
#pragma once

#include <bit>
#include <cstring>

#include "optimal/losses.hpp"

namespace tw {

// The costs of the best split on both sides, or of a leaf where no split costs less.
struct BothSides {
  Cost front;
  Cost behind;
};

inline constexpr u32 kBorder = u32{1} << 31;  // of an entry: the next one belongs to another group

// Rows that count one each, of K classes. A split that answers c in front and d behind it makes as many errors as d alone, one more for
// every row of d in front and one less for every row of c: so the least sum over all beginnings of a list of +1 and -1 tells what it costs
// at its best place. All pairs of classes on both sides are added up side by side.
using i16 = std::int16_t;

template <class Cell, u32 K>
class PairSums {
 public:
  static constexpr u32 kPairs = K * (K - 1);
  static constexpr u32 kPerWord = 16 / sizeof(Cell);
  static constexpr u32 kWords = (2 * kPairs + kPerWord - 1) / kPerWord;
  typedef Cell Word __attribute__((vector_size(16)));
  struct Words {
    Word each[kWords];
  };

  PairSums() {
    for (u32 side = 0; side < 2; ++side)
      for (u32 y = 0; y < K; ++y) {
        Cell lanes[kWords * kPerWord] = {};
        u32 lane = side * kPairs;
        for (u32 c = 0; c < K; ++c)
          for (u32 d = 0; d < K; ++d)
            if (c != d) lanes[lane++] = static_cast<Cell>(y == d ? 1 : y == c ? -1 : 0);
        std::memcpy(&steps_[side * K + y], lanes, sizeof lanes);
      }
  }

  // `kind` by row: side * K + class. `front`, `behind`: what each answer costs there.
  template <class Cells>
  BothSides least(const u32* entries, u32 n, bool ties, const u8* kind, const Cells& front, const Cells& behind, Cost fine) const {
    Cell lanes[kWords * kPerWord];
    if (ties)
      add_up<true>(entries, n, kind, lanes);
    else
      add_up<false>(entries, n, kind, lanes);
    Cost best[2] = {kNoCost, kNoCost};
    u32 lane = 0;
    for (u32 side = 0; side < 2; ++side)
      for (u32 c = 0; c < K; ++c)
        for (u32 d = 0; d < K; ++d)
          if (c != d) {
            best[side] = std::min<Cost>(best[side], (side == 0 ? front : behind)[d] + lanes[lane]);
            ++lane;
          }
    return {best[0] * fine, best[1] * fine};
  }

 private:
  template <bool kTies>
  void add_up(const u32* entries, u32 n, const u8* kind, Cell* lanes) const {
    if constexpr (kWords == 1) {  // in registers
      Word sum{};
      Word least{};
      for (u32 i = 0; i < n; ++i) {
        const u32 entry = entries[i];
        sum += steps_[kind[entry & ~kBorder]].each[0];
        least = lower(least, kTies ? sum + raised_[entry >> 31] : sum);
      }
      std::memcpy(lanes, &least, sizeof least);
    } else {
      Words sum{};
      Words least{};
      for (u32 i = 0; i < n; ++i) {
        const u32 entry = entries[i];
        const Words& step = steps_[kind[entry & ~kBorder]];
        for (u32 w = 0; w < kWords; ++w) {
          sum.each[w] += step.each[w];
          least.each[w] = lower(least.each[w], kTies ? sum.each[w] + raised_[entry >> 31] : sum.each[w]);
        }
      }
      std::memcpy(lanes, &least, sizeof least);
    }
  }
  static Word lower(Word a, Word b) { return b < a ? b : a; }

  // Inside a group nothing may be taken: there the sums are raised beyond all others.
  Word raised_[2] = {Word{} + std::numeric_limits<Cell>::max() / 2, Word{}};
  Words steps_[2 * K];
};

// Any losses: `side` by row 0 in front, 1 behind.
template <class Losses>
BothSides least_of_list(const Losses& losses, const u32* entries, u32 n, const u8* side, const typename Losses::RowCost* of,
                        const typename Losses::Sums& front, const typename Losses::Sums& behind) {
  using Sums = typename Losses::Sums;
  Sums low[2];
  const Sums all[2] = {front, behind};
  Cost best[2] = {losses.leaf(front), losses.leaf(behind)};
  for (u32 i = 0; i < n; ++i) {
    const u32 row = entries[i] & ~kBorder;
    low[side[row]].add(of[row]);
    if ((entries[i] & kBorder) == 0) continue;
    for (u32 s = 0; s < 2; ++s) best[s] = std::min(best[s], losses.leaf(low[s]) + losses.leaf(all[s].less(low[s])));
  }
  return {best[0], best[1]};
}

// The same of bits. `front_classes`: rows in front by class, `words` each; `cuts`: beginnings of the view; `counts`: rows of each class in
// each of them.
template <class Losses>
BothSides least_of_bits(const Losses& losses, const typename Losses::Sums* of_class, u32 n_classes, const u64* front_classes, u32 words,
                        const u64* cuts, u32 n_cuts, const u32* counts, const typename Losses::Sums& front,
                        const typename Losses::Sums& behind) {
  using Sums = typename Losses::Sums;
  BothSides best{losses.leaf(front), losses.leaf(behind)};
  for (u32 k = 0; k < n_cuts; ++k) {
    const u64* cut = cuts + std::size_t{k} * words;
    Sums low{};
    Sums low_behind{};
    for (u32 c = 0; c < n_classes; ++c) {
      const u64* own = front_classes + std::size_t{c} * words;
      u32 count = 0;
      for (u32 w = 0; w < words; ++w) count += static_cast<u32>(std::popcount(own[w] & cut[w]));
      const u32 rest = counts[k * n_classes + c] - count;
      for (std::size_t j = 0; j < low.cells.size(); ++j) {
        using Cell = std::remove_reference_t<decltype(low.cells[j])>;
        low.cells[j] = static_cast<Cell>(low.cells[j] + of_class[c].cells[j] * static_cast<Cell>(count));
        low_behind.cells[j] = static_cast<Cell>(low_behind.cells[j] + of_class[c].cells[j] * static_cast<Cell>(rest));
      }
    }
    best.front = std::min(best.front, losses.leaf(low) + losses.leaf(front.less(low)));
    best.behind = std::min(best.behind, losses.leaf(low_behind) + losses.leaf(behind.less(low_behind)));
  }
  return best;
}

}  // namespace tw
