// Cuts of a sorted list by what the best answers of the two sides cost. As long as neither answer changes, the cost of a cut moves by a
// constant per row of a class, and where both sides answer alike it does not move at all: so a block of rows is passed over where no pair
// of different answers can cost less than the best cut so far. For the sorted engine alone.
#pragma once

#include <array>
#include <cmath>

#include "grow/sorted/byte_counts.hpp"
#include "grow/sorted/scan.hpp"

namespace tw {

// What a row of either of two classes costs (truth by row, answer by column). `most`: the largest weight up to which sums of costs are
// exact.
struct AnswerCosts {
  std::array<std::array<double, 2>, 2> of{};
  double most = 0;

  // Exact are sums of whole numbers below 2^53.
  void measure() {
    double largest = 1;
    bool whole = true;
    for (const auto& row : of) {
      for (const double cost : row) {
        whole = whole && std::isfinite(cost) && cost == std::nearbyint(cost);
        largest = std::max(largest, std::fabs(cost));
      }
    }
    most = whole ? 0x1p50 / largest : 0;
  }
};

// A criterion whose score is a constant less what the best answers cost: it tells the costs of two classes, and the constant.
template <class C>
concept CountsCosts = requires(const C& c) {
  { c.costs() } -> std::same_as<AnswerCosts>;
  { c.costless(i64{}) } -> std::same_as<double>;
};

// Two classes whose labels stand in the entries.
template <Criterion C, class Id>
class TwoAnswersList {
 public:
  TwoAnswersList(const C& c, const AnswerCosts& costs, const Frame<Id>& frame, const ListSlice<Id, i64>& slice)
      : c_(c), frame_(frame), slice_(slice), weighted_(frame.weighted()) {
    for (std::size_t k = 0; k < 2; ++k) {
      before_[k] = slice.left == nullptr ? 0 : slice.left[k];
      all_[k] = before_[k] + slice.right[k];
      step_[k] = costs.of[k][0] - costs.of[k][1];  // what a row adds that passes to the lower side, which answers 0
    }
    for (std::size_t answer = 0; answer < 2; ++answer)
      alone_[answer] = static_cast<double>(all_[0]) * costs.of[0][answer] + static_cast<double>(all_[1]) * costs.of[1][answer];
    costless_ = c.costless(all_[0] + all_[1]);
  }

  template <class Same>
  Place best(const Same& same) const {
    Place best;
    best.score = slice_.floor;
    double limit = costless_ - best.score;  // a cut must cost less
    std::array<i64, 2> below = before_;
    const u32 last = slice_.present - 1;
    for (u32 at = 0; at < last; at += kScanBlock) {
      const u32 n = std::min(kScanBlock, last - at);
      const std::array<i64, 2> content = content_of(slice_.entries + at, n);
      if (least_within(below, content) < limit) {
        std::array<i64, 2> here = below;
        for (u32 t = 0; t < n; ++t) {
          const Id entry = slice_.entries[at + t];
          here[static_cast<std::size_t>(entry & 1)] += weighted_ ? frame_.entry_weight(entry) : 1;
          const double moved = moved_by(here);
          if (!(cost_of(moved, moved) < limit)) continue;
          const i64 weight = here[0] + here[1];
          const u32 i = at + t + 1;
          if (weight < slice_.least || all_[0] + all_[1] - weight < slice_.least || same(i - 1, i)) continue;
          const std::array<i64, 3> left{here[0], here[1], weight};
          const std::array<i64, 3> right{all_[0] - here[0], all_[1] - here[1], all_[0] + all_[1] - weight};
          best = {score_of_pair(c_, left.data(), right.data()), i, kNowhere, true,
                  2 * (weight - before_[0] - before_[1]) >= slice_.present_weight};
          limit = costless_ - best.score;
        }
      }
      for (std::size_t k = 0; k < 2; ++k) below[k] += content[k];
    }
    return best;
  }

 private:
  std::array<i64, 2> content_of(const Id* entries, u32 n) const {
    if (weighted_) {
      std::array<i64, 2> content{};
      for (u32 t = 0; t < n; ++t) content[static_cast<std::size_t>(entries[t] & 1)] += frame_.entry_weight(entries[t]);
      return content;
    }
    Id ones = 0;
    if (n == kScanBlock)  // a length known beforehand is summed up abreast
      for (u32 t = 0; t < kScanBlock; ++t) ones = static_cast<Id>(ones + (entries[t] & 1));
    else
      for (u32 t = 0; t < n; ++t) ones = static_cast<Id>(ones + (entries[t] & 1));
    return {i64{n} - static_cast<i64>(ones), static_cast<i64>(ones)};
  }

  // How far the costs of different answers are from those of one answer, with so much weight of each class below.
  double moved_by(const std::array<i64, 2>& below) const {
    return static_cast<double>(below[0]) * step_[0] + static_cast<double>(below[1]) * step_[1];
  }

  // The least cost if that is between two numbers.
  double cost_of(double low, double high) const {
    return std::min(std::min(alone_[0], alone_[1]), std::min(alone_[1] + low, alone_[0] - high));
  }

  double least_within(const std::array<i64, 2>& below, const std::array<i64, 2>& content) const {
    double low = moved_by(below);
    double high = low;
    for (std::size_t k = 0; k < 2; ++k) {
      const double most = static_cast<double>(content[k]) * step_[k];
      low += std::min(most, 0.0);
      high += std::max(most, 0.0);
    }
    return cost_of(low, high);
  }

  const C& c_;
  const Frame<Id>& frame_;
  const ListSlice<Id, i64>& slice_;
  const bool weighted_;
  std::array<i64, 2> before_{};
  std::array<i64, 2> all_{};
  std::array<double, 2> step_{};
  std::array<double, 2> alone_{};  // what all rows cost under one answer
  double costless_ = 0;
};

// Any number of classes, every wrong answer costing the same: the score is the weight of the most frequent class below plus that above.
template <class Id>
class ErrorsList {
 public:
  ErrorsList(u32 k, const Frame<Id>& frame, const ListSlice<Id, i64>& slice) : k_(k), frame_(frame), slice_(slice) {
    for (u32 j = 0; j < k; ++j) {
      left_[j] = slice.left == nullptr ? 0 : slice.left[j];
      right_[j] = slice.right[j];
      weight_ += left_[j];
      all_ += left_[j] + right_[j];
    }
  }

  template <class Same>
  Place best(const Same& same) {
    Place best;
    best.score = slice_.floor;
    const i64 start = weight_;
    const u32 last = slice_.present - 1;
    for (u32 at = 0; at < last; at += kScanBlock) {
      const u32 n = std::min(kScanBlock, last - at);
      std::fill_n(content_.begin(), k_, 0);
      for (u32 t = 0; t < n; ++t) {
        const Id entry = slice_.entries[at + t];
        labels_[t] = slice_.local_class[frame_.label[Frame<Id>::id_of(entry)]];
        weights_[t] = frame_.weighted() ? frame_.entry_weight(entry) : 1;
        content_[labels_[t]] += weights_[t];
      }
      if (!(most_within() > best.score)) {
        for (u32 j = 0; j < k_; ++j) {
          left_[j] += content_[j];
          right_[j] -= content_[j];
          weight_ += content_[j];
        }
        continue;
      }
      i64 most_left = *std::max_element(left_.begin(), left_.begin() + k_);
      i64 most_right = *std::max_element(right_.begin(), right_.begin() + k_);
      for (u32 t = 0; t < n; ++t) {
        i64& l = left_[labels_[t]];
        i64& r = right_[labels_[t]];
        const bool was_most = r == most_right;
        l += weights_[t];
        r -= weights_[t];
        weight_ += weights_[t];
        most_left = std::max(most_left, l);
        if (was_most) most_right = *std::max_element(right_.begin(), right_.begin() + k_);
        const auto score = static_cast<double>(most_left + most_right);  // below 2^53
        const u32 i = at + t + 1;
        if (!(score > best.score) || weight_ < slice_.least || all_ - weight_ < slice_.least || same(i - 1, i)) continue;
        best = {score, i, kNowhere, true, 2 * (weight_ - start) >= slice_.present_weight};
      }
    }
    return best;
  }

 private:
  // The most that a cut inside the block can score: either both sides say the same, or two different classes, of which the one below may
  // have all its rows of the block.
  double most_within() const {
    std::array<i64, 2> lower{};  // the two largest below with the block, and above without it
    std::array<i64, 2> upper{};
    u32 lowest = k_;
    u32 uppermost = k_;
    i64 same = 0;
    for (u32 j = 0; j < k_; ++j) {
      same = std::max(same, left_[j] + right_[j]);
      if (take(left_[j] + content_[j], lower)) lowest = j;
      if (take(right_[j], upper)) uppermost = j;
    }
    const i64 most = lowest != uppermost ? lower[0] + upper[0] : std::max(lower[0] + upper[1], lower[1] + upper[0]);
    return static_cast<double>(std::max(same, most));
  }

  static bool take(i64 weight, std::array<i64, 2>& two) {
    if (weight > two[0]) {
      two = {weight, two[0]};
      return true;
    }
    two[1] = std::max(two[1], weight);
    return false;
  }

  const u32 k_;
  const Frame<Id>& frame_;
  const ListSlice<Id, i64>& slice_;
  i64 weight_ = 0;  // below the cut in hand
  i64 all_ = 0;
  std::array<i64, 256> left_{};
  std::array<i64, 256> right_{};
  std::array<i64, 256> content_{};
  std::array<u8, kScanBlock> labels_{};
  std::array<i64, kScanBlock> weights_{};
};

template <Criterion C>
  requires CountsCosts<C>
struct ListScan<C> {
  template <class Id, class Same>
  static Place best(const C& c, const Frame<Id>& frame, const ListSlice<Id, i64>& slice, const Same& same) {
    if (frame.two_classes && c.stat.k == 2) {
      const AnswerCosts costs = c.costs();
      const i64 all = slice.right[2] + (slice.left == nullptr ? 0 : slice.left[2]);
      if (static_cast<double>(all) < costs.most) return TwoAnswersList(c, costs, frame, slice).best(same);
    }
    if constexpr (C::kCountsErrors)
      return ErrorsList(c.stat.k, frame, slice).best(same);
    else
      return AnyScan<C>::best(c, frame, slice, same);
  }
};

}  // namespace tw
