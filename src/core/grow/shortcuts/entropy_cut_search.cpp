// Cuts of a sorted column by estimated entropy, block by block.
#include "grow/shortcuts/entropy_cut_search.hpp"

#include "base/prefetch.hpp"
#include "grow/shortcuts/cutter.hpp"

namespace tw {

namespace {

// A sorted list.
class ListedRows {
 public:
  ListedRows(const std::vector<u64>& keys, const ClearCodes& clear, const NodeTargets& targets, CutSearchSpace& space)
      : keys_(keys),
        clear_(clear),
        words_(targets.class_weight_words.data()),
        space_(space),
        n_(keys.size()),
        k_(targets.classes.size()),
        shift_(block_shift(n_, k_)),
        blocks_((n_ >> shift_) + 1) {
    space_.moved.assign(blocks_ * k_, 0);
    space_.cuts.assign(blocks_, 0);
    for (std::size_t b = 0; b < blocks_; ++b) {
      u32 cuts = 0;
      for (std::size_t i = std::max<std::size_t>(begin(b), 1), last = end(b); i < last; ++i) cuts += between(i);
      space_.cuts[b] = cuts;
      i64* moved = space_.moved.data() + b * k_;
      if (k_ == 2)
        sum_block<2>(b, moved);
      else if (k_ == 3)
        sum_block<3>(b, moved);
      else
        sum_block<0>(b, moved);
    }
  }

  std::size_t blocks() const { return blocks_; }
  const i64* moved(std::size_t block) const { return space_.moved.data() + block * k_; }
  u32 cuts(std::size_t block) const { return space_.cuts[block]; }
  bool begins_apart(std::size_t block) const { return block > 0 && begin(block) < n_ && between(begin(block)); }

  template <class Look>
  void walk(std::size_t block, const Look& look) const {
    for (std::size_t i = begin(block), last = end(block); i < last; ++i)
      if (!look(i > 0 && between(i), words_[static_cast<u32>(keys_[i])])) return;
  }

 private:
  std::size_t begin(std::size_t block) const { return block << shift_; }
  std::size_t end(std::size_t block) const { return std::min(n_, (block + 1) << shift_); }
  bool between(std::size_t i) const { return clear_.apart(keys_[i - 1] >> 32, keys_[i] >> 32); }

  // Few classes are summed up in registers.
  template <int K>
  void sum_block(std::size_t block, i64* moved) const {
    i64 all = 0;
    i64 one = 0;
    i64 two = 0;
    const i64* const words = words_;
    const u64* const keys = keys_.data();
    const std::size_t last = end(block);
    const std::size_t last_prefetch = n_ > kPrefetchDistance ? n_ - kPrefetchDistance : 0;
    for (std::size_t i = begin(block); i < last; ++i) {
      if (i < last_prefetch) prefetch(words + static_cast<u32>(keys[i + kPrefetchDistance]));
      const i64 p = words[static_cast<u32>(keys[i])];
      if constexpr (K == 0) {
        moved[p & 0xffff] += p >> 16;
      } else {
        const i64 w = p >> 16;
        all += w;
        one += w & -static_cast<i64>((p & 0xffff) == 1);
        if constexpr (K == 3) two += w & -static_cast<i64>((p & 0xffff) == 2);
      }
    }
    if constexpr (K > 0) {
      moved[0] = all - one - two;
      moved[1] = one;
      if constexpr (K == 3) moved[2] = two;
    }
  }

  const std::vector<u64>& keys_;
  const ClearCodes& clear_;
  const i64* words_;
  CutSearchSpace& space_;
  const std::size_t n_;
  const std::size_t k_;
  const int shift_;
  const std::size_t blocks_;
};

}  // namespace

ClearCodes::ClearCodes(const EncodedColumn& column, const SearchSettings& settings) {
  if (settings.cuts == Cuts::all || column.crowd <= 1) return;
  first_.resize(column.n_codes);
  Code clear = 0;
  for (Code code = 0; code < column.n_codes; ++code) {
    clear = std::max(clear, code + 1);
    while (clear < column.n_codes && too_close(settings, column, code, clear)) ++clear;
    first_[code] = clear;
  }
}

EstimatedCut estimated_cut(const std::vector<u64>& keys, const ClearCodes& clear, const NodeTargets& targets,
                           const SearchSettings& settings, u32 classes, CutSearchSpace& space) {
  if (keys.size() < 2) return {};
  const ListedRows rows(keys, clear, targets, space);
  return Cutter(rows, targets.classes.size(), targets, settings, space).run(classes);
}

}  // namespace tw
