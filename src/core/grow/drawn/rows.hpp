// Targets and weights of the rows of the node in hand, and their sums below a cut.
#pragma once

#include <algorithm>
#include <numeric>
#include <span>
#include <vector>

#include "grow/drawn/cells.hpp"
#include "grow/drawn/frame.hpp"
#include "search/search.hpp"

namespace tw {

template <Criterion C>
class DrawnRows {
  using Cell = typename C::Stat::Cell;

 public:
  DrawnRows(const Table& table, const SearchSettings& settings)
      : table_(table),
        settings_(settings),
        weighted_(table.weights.unit != 1 ||
                  std::any_of(table.weights.quanta.begin(), table.weights.quanta.end(), [](i64 w) { return w != 1; })),
        local_(table.target.n_classes) {}

  // Whether they do not all weigh one.
  bool weighted() const { return weighted_; }

  // Reads the rows of a frame, and describes them.
  template <class T>
  void read(const DrawnFrame<T>& frame, const u32* ids, u32 n, NodeTargets& targets) {
    const auto take = [&](auto& into, const auto& of) {
      if (into.size() < filled(n)) into.resize(filled(n));
      for (u32 i = 0; i < n; ++i) into[i] = of[ids[i]];
    };
    if (weighted_) take(weights_, frame.weight);
    if constexpr (C::kClasses) {
      take(labels_, frame.label);
      read_classes(n, targets);
      std::fill(labels_.begin() + n, labels_.begin() + filled(n), 0U);
    } else {
      take(values_, frame.value);
      const i64 total = weighted_ ? std::accumulate(weights_.begin(), weights_.begin() + n, i64{0}) : i64{n};
      describe_numbers(table_, values_.data(), weighted_ ? weights_.data() : nullptr, n, total, targets);
      targets.moment_total.assign(2, 0);
      add_if(targets, n, [](u32) { return true; }, targets.moment_total.data());
    }
  }

  // Adds up the rows whose cell is no more than a limit; cells are filled up.
  template <class T>
  void add_below(const NodeTargets& targets, const T* cells, u32 n, T limit, Cell* sums) const {
    if constexpr (C::kClasses) {
      if (!weighted_ && targets.classes.size() == 2) {
        const TwoCounts two = count_two(cells, labels_.data(), n, limit);
        const u32 all = two.all - (filled(n) - n) * u32{cells[0] <= limit};  // what was filled in is the first once more, of class 0
        sums[0] = all - two.ones;
        sums[1] = two.ones;
        sums[2] = all;
        return;
      }
    }
    std::fill_n(sums, C::kClasses ? targets.classes.size() + 1 : 2, Cell{0});
    add_if(targets, n, [&](u32 i) { return cells[i] <= limit; }, sums);
  }

 private:
  // Counts the classes, and numbers those that occur.
  void read_classes(u32 n, NodeTargets& targets) {
    const std::span<u32> labels(labels_.data(), n);
    counts_.assign(local_.size(), 0);
    if (weighted_)
      for (u32 i = 0; i < n; ++i) counts_[labels[i]] += weights_[i];
    else if (local_.size() == 2)
      counts_[0] = i64{n} - (counts_[1] = i64{std::accumulate(labels.begin(), labels.end(), 0U)});
    else
      for (const u32 label : labels) ++counts_[label];
    targets.classes.clear();
    targets.class_total.clear();
    for (u32 k = 0; k < local_.size(); ++k) {
      if (counts_[k] == 0) continue;
      local_[k] = static_cast<u8>(targets.classes.size());
      targets.classes.push_back(k);
      targets.class_total.push_back(counts_[k]);
    }
    if (targets.classes.size() < local_.size())
      for (u32& label : labels) label = local_[label];
    weigh_classes(table_, targets);
    describe_classes<C>(targets, settings_, table_.target.n_classes);
  }

  // Adds up the rows that are asked for, without a branch: it could be foretold no better than the toss of a coin.
  template <class Wanted>
  void add_if(const NodeTargets& targets, u32 n, const Wanted& wanted, Cell* sums) const {
    const auto mask = [&](u32 i) { return -i64{wanted(i)}; };
    if constexpr (C::kClasses) {
      const std::size_t k = targets.classes.size();
      if (weighted_) {
        for (u32 i = 0; i < n; ++i) sums[labels_[i]] += weights_[i] & mask(i);
      } else {
        for (u32 i = 0; i < n; ++i) sums[labels_[i]] += wanted(i);
      }
      sums[k] = std::accumulate(sums, sums + k, i64{0});
    } else if (weighted_) {
      for (u32 i = 0; i < n; ++i) {
        const i64 weight = weights_[i] & mask(i);
        sums[0] += weight;
        sums[1] += static_cast<i128>(weight) * targets.steps_of[i];
      }
    } else {
      i64 all = 0;
      i64 sum = 0;  // steps of so many rows fit (stats/moments.cpp)
      for (u32 i = 0; i < n; ++i) {
        all -= mask(i);
        sum += targets.steps_of[i] & mask(i);
      }
      sums[0] = all;
      sums[1] = sum;
    }
  }

  const Table& table_;
  const SearchSettings& settings_;
  const bool weighted_;
  std::vector<u32> labels_;  // by row: its class among those that occur
  std::vector<double> values_;
  std::vector<i64> weights_;
  std::vector<i64> counts_;  // by class
  std::vector<u8> local_;
};

}  // namespace tw
