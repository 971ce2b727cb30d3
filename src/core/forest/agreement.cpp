// Rows against blocks of others that stay in the cache, several trees at a time, so that counts are seldom read.
#include "forest/agreement.hpp"

#include <algorithm>
#include <type_traits>
#include <utility>

#include "base/parallel.hpp"

namespace tw {

namespace {

constexpr std::size_t kBlock = 2048;  // other rows whose leaves in all trees are to stay in the second-level cache
constexpr std::size_t kRows = 32;     // rows that are counted against a block before the next one

template <class Small>
using Counts = std::conditional_t<sizeof(Small) == 1, u16, u32>;

// Adds to the counts of some rows x all others the trees in which they share a leaf.
template <class Small, class Count>
void count(std::span<const Small> own, std::size_t first, std::size_t rows, std::span<const Small> others, std::size_t n_trees,
           Count* counts) {
  const std::size_t n_own = own.size() / n_trees;
  const std::size_t n_others = others.size() / n_trees;
  for (std::size_t begin = 0; begin < n_others; begin += kBlock) {
    const std::size_t n = std::min(kBlock, n_others - begin);
    for (std::size_t i = 0; i < rows; ++i) {
      Count* to = counts + i * n_others + begin;
      std::size_t t = 0;
      const auto leaves = [&](std::size_t k) { return others.data() + (t + k) * n_others + begin; };
      const auto leaf = [&](std::size_t k) { return own[(t + k) * n_own + first + i]; };
      for (; t + 4 <= n_trees; t += 4) {
        const Small *a = leaves(0), *b = leaves(1), *c = leaves(2), *d = leaves(3);
        const Small p = leaf(0), q = leaf(1), r = leaf(2), s = leaf(3);
        for (std::size_t j = 0; j < n; ++j) {
          const auto same = static_cast<Small>((a[j] == p) + (b[j] == q) + (c[j] == r) + (d[j] == s));
          to[j] = static_cast<Count>(to[j] + same);
        }
      }
      for (; t < n_trees; ++t) {
        const Small* a = leaves(0);
        const Small p = leaf(0);
        for (std::size_t j = 0; j < n; ++j) to[j] = static_cast<Count>(to[j] + (a[j] == p));
      }
    }
  }
}

// The places of the k highest of some counts, none of which exceeds `n_trees`, but for one place; of equal ones the first.
template <class Count>
void choose(std::span<const Count> counts, std::size_t n_trees, std::size_t k, i64 but, std::vector<u32>& bins, u32* rows, u32* shared) {
  bins.assign(n_trees + 1, 0);
  for (const Count one : counts) ++bins[one];
  if (but >= 0) --bins[counts[static_cast<std::size_t>(but)]];
  // Where the places of every count begin among the chosen, the highest first.
  std::size_t begin = 0;
  for (std::size_t c = n_trees + 1; c-- > 0;) begin += std::exchange(bins[c], static_cast<u32>(std::min(begin, k)));
  for (std::size_t j = 0; j < counts.size(); ++j) {
    if (static_cast<i64>(j) == but) continue;
    u32& at = bins[counts[j]];
    if (at >= k) continue;
    rows[at] = static_cast<u32>(j);
    shared[at++] = counts[j];
  }
}

template <class Small>
Nearest nearest(std::span<const Small> own, std::span<const Small> others, std::size_t n_trees, std::size_t k, i64 itself,
                unsigned threads) {
  using Count = Counts<Small>;
  const std::size_t n_own = own.size() / n_trees;
  const std::size_t n_others = others.size() / n_trees;
  Nearest out{std::vector<u32>(n_own * k), std::vector<u32>(n_own * k)};
  for_each((n_own + kRows - 1) / kRows, threads, [&](std::size_t block, unsigned) {
    const std::size_t first = block * kRows;
    const std::size_t rows = std::min(kRows, n_own - first);
    std::vector<Count> counts(rows * n_others, 0);
    std::vector<u32> bins;
    count(own, first, rows, others, n_trees, counts.data());
    for (std::size_t i = 0; i < rows; ++i) {
      const std::size_t row = first + i;
      choose(std::span<const Count>(counts.data() + i * n_others, n_others), n_trees, k, itself < 0 ? -1 : itself + static_cast<i64>(row),
             bins, out.rows.data() + row * k, out.shared.data() + row * k);
    }
  });
  return out;
}

}  // namespace

Nearest nearest_rows(std::span<const u8> own, std::span<const u8> others, std::size_t n_trees, std::size_t k, i64 itself,
                     unsigned threads) {
  return nearest(own, others, n_trees, k, itself, threads);
}
Nearest nearest_rows(std::span<const u16> own, std::span<const u16> others, std::size_t n_trees, std::size_t k, i64 itself,
                     unsigned threads) {
  return nearest(own, others, n_trees, k, itself, threads);
}

}  // namespace tw
