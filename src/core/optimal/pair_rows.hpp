// A node of two levels: its rows by their place in it, every view that divides them as a list or as sets of bits, and one division of them
// at a time, of which the parts know what one more split by any view costs.
#pragma once

#include <tuple>

#include "optimal/meter.hpp"
#include "optimal/plan.hpp"
#include "optimal/rows.hpp"
#include "optimal/sums_of_cuts.hpp"

namespace tw {

template <class Losses>
class PairRows {
 public:
  using Node = SearchNode<Losses>;
  using Sums = typename Losses::Sums;

 protected:
  PairRows(const SearchRows<Losses>& rows, const RowLosses& table, const Losses& losses, Meter& meter)
      : rows_(rows), table_(table), losses_(losses), meter_(meter), local_(rows.n_rows()) {
    if constexpr (kBits) {
      Sums one{};
      of_class_.assign(table.n_classes, one);
      for (u32 row = 0; row < rows.n_rows(); ++row) of_class_[table.class_of[row]] = rows.of(row);
    }
  }

  static constexpr bool kBits = Losses::kUnit;  // rows that count one each are counted by the word

  struct PairView {
    u32 view = 0;
    bool bits = false;
    bool ties = false;
    u32 cuts = 0;
    std::size_t first = 0;    // of its cuts
    std::size_t entries = 0;  // or bits
  };

  // -- reading a node --------------------------------------------------------------------------------------------------

  void read(const Node& node) {
    n_ = node.n;
    any_bits_ = false;
    words_ = (n_ + 63) / 64;
    total_ = node.sums;
    each_.clear();
    border_.clear();
    worth_.clear();
    end_.clear();
    entries_.clear();
    bits_.clear();
    counts_.clear();
    const std::size_t most = rows_.most_borders(n_);
    border_.reserve(most);
    worth_.reserve(most);
    end_.reserve(most);
    entries_.reserve(rows_.n_listed() * std::size_t{n_});
    of_.clear();
    side_.resize(n_);
    for (u32 i = 0; i < n_; ++i) {
      local_[node.rows()[i]] = i;
      of_.push_back(rows_.of(node.rows()[i]));
    }
    worth_by_row_ = !table_.worth.empty();
    if (worth_by_row_) {
      row_worth_.resize(n_);
      for (u32 i = 0; i < n_; ++i) row_worth_[i] = table_.worth[node.rows()[i]];
    }
    if constexpr (kBits) {
      class_.resize(n_);
      kind_.resize(n_);
      class_bits_.assign(std::size_t{table_.n_classes} * words_, 0);
      for (u32 i = 0; i < n_; ++i) {
        class_[i] = table_.class_of[node.rows()[i]];
        class_bits_[std::size_t{class_[i]} * words_ + i / 64] |= u64{1} << (i % 64);
      }
    }
    for (u32 v = 0; v < rows_.n_views(); ++v) {
      if (rows_.place(v) >= 0)
        read_list(node, v);
      else
        read_few(node, v);
      if (!meter_.work(1, n_)) return;
    }
  }

  void read_list(const Node& node, u32 v) {
    const u32* list = node.list(static_cast<std::size_t>(rows_.place(v)));
    const u32* group = rows_.many(v);
    if (group[list[0]] == group[list[n_ - 1]]) return;
    PairView out{v, false, false, 0, border_.size(), entries_.size()};
    entries_.resize(out.entries + n_);
    u32* entries = entries_.data() + out.entries;
    i64 worth = 0;
    u32 here = group[list[0]];
    for (u32 i = 0; i < n_; ++i) {
      const u32 row = list[i];
      const u32 at = local_[row];
      const u32 next = i + 1 < n_ ? group[list[i + 1]] : here;
      worth += worth_by_row_ ? row_worth_[at] : table_.fine;
      entries[i] = at | (next != here ? kBorder : 0);
      if (next != here) add_cut(here, worth, i + 1);
      here = next;
    }
    out.cuts = static_cast<u32>(border_.size() - out.first);
    out.ties = out.cuts + 1 < n_;
    each_.push_back(out);
  }

  void add_cut(u32 border, i64 worth, u32 end) {
    border_.push_back(border);
    worth_.push_back(worth);
    end_.push_back(end);
  }

  void read_few(const Node& node, u32 v) {
    const u8* group = rows_.few(v);
    const u32 groups = rows_.n_groups(v);
    const u32* rows = node.rows();
    std::array<u32, TestView::kFew> size{};
    std::array<i64, TestView::kFew> worth{};
    codes_.resize(n_);
    for (u32 i = 0; i < n_; ++i) {
      const u8 g = group[rows[i]];
      codes_[i] = g;
      ++size[g];
      if (worth_by_row_) worth[g] += row_worth_[i];
    }
    PairView out{v, false, true, 0, border_.size(), 0};
    u32 end = 0;
    i64 before = 0;
    u32 last = 0;
    for (u32 g = 0; g < groups; ++g)
      if (size[g] > 0) last = g;
    for (u32 g = 0; g < last; ++g) {
      if (size[g] == 0) continue;
      end += size[g];
      before += worth_by_row_ ? worth[g] : size[g] * table_.fine;
      add_cut(g, before, end);
    }
    out.cuts = static_cast<u32>(border_.size() - out.first);
    if (out.cuts == 0) return;
    if constexpr (kBits) {
      out.bits = any_bits_ = true;
      out.entries = bits_.size();
      bits_.resize(out.entries + std::size_t{out.cuts} * words_, 0);
      u64* bits = bits_.data() + out.entries;
      std::array<u8, TestView::kFew> cut_of{};
      u32 k = 0;
      for (u32 g = 0; g < groups; ++g) {
        cut_of[g] = static_cast<u8>(k);
        if (k < out.cuts && border_[out.first + k] == g) ++k;
      }
      counts_.resize((out.first + out.cuts) * table_.n_classes, 0);
      u32* counts = counts_.data() + out.first * table_.n_classes;
      scattered_.assign(std::size_t{out.cuts + 1} * words_, 0);
      for (u32 i = 0; i < n_; ++i) scattered_[std::size_t{cut_of[codes_[i]]} * words_ + i / 64] |= u64{1} << (i % 64);
      for (u32 c = 0; c < out.cuts; ++c) {
        u64* cut = bits + std::size_t{c} * words_;
        const u64* own = scattered_.data() + std::size_t{c} * words_;
        for (u32 w = 0; w < words_; ++w) cut[w] = own[w] | (c > 0 ? (cut - words_)[w] : 0);
        for (u32 y = 0; y < table_.n_classes; ++y)
          counts[c * table_.n_classes + y] = count_of(cut, class_bits_.data() + std::size_t{y} * words_);
      }
    } else {
      out.entries = entries_.size();
      entries_.resize(out.entries + n_);
      std::array<u32, TestView::kFew> begin{};
      u32 at = 0;
      for (u32 g = 0; g < groups; ++g) {
        begin[g] = at;
        at += size[g];
      }
      for (u32 i = 0; i < n_; ++i) entries_[out.entries + begin[codes_[i]]++] = i;
      for (u32 k = 0; k < out.cuts; ++k) entries_[out.entries + end_[out.first + k] - 1] |= kBorder;
    }
    each_.push_back(out);
  }

  u32 count_of(const u64* a, const u64* b) const {
    u32 count = 0;
    for (u32 w = 0; w < words_; ++w) count += static_cast<u32>(std::popcount(a[w] & b[w]));
    return count;
  }

  // -- one division ----------------------------------------------------------------------------------------------------

  // Puts all rows behind.
  void none_in_front() {
    std::fill(side_.begin(), side_.end(), u8{1});
    if constexpr (kBits)
      for (u32 i = 0; i < n_; ++i) kind_[i] = static_cast<u8>(table_.n_classes + class_[i]);
    mask_.assign(words_, 0);
    front_ = Sums();
    n_front_ = 0;
  }

  void move(u32 row) {
    side_[row] ^= 1;
    const bool now = side_[row] == 0;
    if constexpr (kBits) {
      kind_[row] = static_cast<u8>(now ? class_[row] : table_.n_classes + class_[row]);
      mask_[row / 64] ^= u64{1} << (row % 64);
    }
    if (now)
      front_.add(of_[row]);
    else
      front_.take(of_[row]);
  }

  // Puts the rows in front of a cut of the view in hand on the one side, all others on the other. Only those between the last cut and this
  // one move.
  void divide_at(const PairView& a, u32 k) {
    if (a.bits) {
      const u64* cut = bits_.data() + a.entries + std::size_t{k} * words_;
      for (u32 w = 0; w < words_; ++w)
        for (u64 moved = cut[w] ^ mask_[w]; moved != 0; moved &= moved - 1) move(w * 64 + static_cast<u32>(std::countr_zero(moved)));
    } else {
      const u32 to = end_[a.first + k];
      const u32* entries = entries_.data() + a.entries;
      for (u32 i = std::min(n_front_, to); i < std::max(n_front_, to); ++i) move(entries[i] & ~kBorder);
      n_front_ = to;
    }
    divided();
  }

  void divided() {
    behind_ = total_.less(front_);
    if constexpr (kBits) {
      if (!any_bits_) return;
      front_classes_.resize(class_bits_.size());
      for (u32 y = 0; y < table_.n_classes; ++y)
        for (u32 w = 0; w < words_; ++w) front_classes_[std::size_t{y} * words_ + w] = class_bits_[std::size_t{y} * words_ + w] & mask_[w];
    }
  }

  template <u32 K>
  BothSides by_pairs(const PairView& b) const {
    const u32* entries = entries_.data() + b.entries;
    if (n_ < kShort)
      return std::get<PairSums<i16, K>>(pair_sums_).least(entries, n_, b.ties, kind_.data(), front_.cells, behind_.cells, table_.fine);
    return std::get<PairSums<i32, K>>(pair_sums_).least(entries, n_, b.ties, kind_.data(), front_.cells, behind_.cells, table_.fine);
  }

  BothSides second_split(const PairView& b) const {
    if constexpr (kBits) {
      if (b.bits)
        return least_of_bits(losses_, of_class_.data(), table_.n_classes, front_classes_.data(), words_, bits_.data() + b.entries, b.cuts,
                             counts_.data() + b.first * table_.n_classes, front_, behind_);
      if (table_.n_classes == 2) return by_pairs<2>(b);
      if constexpr (Losses::kAnswers >= 4) {
        if (table_.n_classes == 3) return by_pairs<3>(b);
        if (table_.n_classes == 4) return by_pairs<4>(b);
      }
      if constexpr (Losses::kAnswers >= 8) {
        if (table_.n_classes == 5) return by_pairs<5>(b);
      }
    }
    return least_of_list(losses_, entries_.data() + b.entries, n_, side_.data(), of_.data(), front_, behind_);
  }

  // The first cut that is worth as much as the best of the view on one side.
  PlanSplit cut_of(const PairView& b, u32 side, Cost worth) const {
    const Sums& all = side == 0 ? front_ : behind_;
    Sums low{};
    u32 last = 0;
    for (u32 k = 0; k < b.cuts; ++k) {
      if (b.bits) {
        low = Sums();
        const u64* cut = bits_.data() + b.entries + std::size_t{k} * words_;
        for (u32 i = 0; i < n_; ++i)
          if (side_[i] == side && ((cut[i / 64] >> (i % 64)) & 1) != 0) low.add(of_[i]);
      } else {
        for (; last < end_[b.first + k]; ++last) {
          const u32 row = entries_[b.entries + last] & ~kBorder;
          if (side_[row] == side) low.add(of_[row]);
        }
      }
      if (losses_.leaf(low) + losses_.leaf(all.less(low)) <= worth) return {b.view, border_[b.first + k], 0, 0};
    }
    return {b.view, border_[b.first], 0, 0};
  }

  static constexpr u32 kShort = 1U << 14;

  const SearchRows<Losses>& rows_;
  const RowLosses& table_;
  const Losses& losses_;
  Meter& meter_;

  // The node in hand: rows by their place in it.
  u32 n_ = 0;
  u32 words_ = 0;
  Sums total_;
  bool worth_by_row_ = false;
  bool any_bits_ = false;
  std::vector<u32> local_;
  std::vector<typename Losses::RowCost> of_;
  std::vector<i64> row_worth_;
  std::vector<u32> class_;
  std::vector<u64> class_bits_;
  std::vector<Sums> of_class_;
  std::vector<PairView> each_;
  std::vector<u32> border_;  // of all cuts: the group in front
  std::vector<i64> worth_;   // of the rows in front
  std::vector<u32> end_;     // how many they are
  std::vector<u32> entries_;
  std::vector<u64> bits_;
  std::vector<u32> counts_;
  std::vector<u64> scattered_;
  std::vector<u8> codes_;

  // The division in hand.
  std::vector<u8> side_;
  std::vector<u64> mask_, front_classes_;
  Sums front_, behind_;
  u32 n_front_ = 0;
  std::vector<u8> kind_;  // side and class
  std::tuple<PairSums<i16, 2>, PairSums<i32, 2>, PairSums<i16, 3>, PairSums<i32, 3>, PairSums<i16, 4>, PairSums<i32, 4>, PairSums<i16, 5>,
             PairSums<i32, 5>>
      pair_sums_;
};

}  // namespace tw
