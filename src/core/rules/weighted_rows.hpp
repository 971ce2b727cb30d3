// The rows of a table as bit sets, and exact sums of their weights.
#pragma once

#include <bit>

#include "rules/cases.hpp"

namespace tw {

class WeightedRows {
 public:
  explicit WeightedRows(const Table& table)
      : weights_(table.weights), n_(table.n_rows), of_class_(table.target.n_classes, Bits(words(), 0)) {
    for (Row row = 0; row < n_; ++row) of_class_[table.target.class_of[row]][row / 64] |= u64{1} << (row % 64);
    for (const Bits& bits : of_class_) class_weight_.push_back(weigh(bits));
    for (const double weight : class_weight_) total_ += weight;
  }
  std::size_t words() const { return (std::size_t{n_} + 63) / 64; }
  Row size() const { return n_; }
  double total() const { return total_; }
  u32 n_classes() const { return static_cast<u32>(of_class_.size()); }
  double of(u32 label) const { return class_weight_[label]; }
  const Bits& bits(u32 label) const { return of_class_[label]; }
  Bits all() const {
    Bits out(words(), 0);
    for (const Bits& bits : of_class_) add_to(out, bits);
    return out;
  }

  // Quanta of the rows in one word of a set; `plain` turns a sum of quanta into a weight.
  i64 quanta(std::size_t w, u64 word) const {
    if (weights_.quanta.empty()) return std::popcount(word);
    i64 sum = 0;
    for (; word != 0; word &= word - 1) sum += weights_.quanta[w * 64 + static_cast<std::size_t>(std::countr_zero(word))];
    return sum;
  }
  double plain(i64 quanta) const { return weights_.plain(weights_.quanta.empty() ? quanta * weights_.unit : quanta); }

  double weigh(const Bits& set) const {
    return sum(set.size(), [&](std::size_t w) { return set[w]; });
  }
  double weigh(const Bits& a, const Bits& b) const {
    return sum(a.size(), [&](std::size_t w) { return a[w] & b[w]; });
  }
  double weigh_without(const Bits& a, const Bits& b) const {
    return sum(a.size(), [&](std::size_t w) { return a[w] & ~b[w]; });
  }

 private:
  template <class Word>
  double sum(std::size_t words, Word&& word) const {
    i64 total = 0;
    for (std::size_t w = 0; w < words; ++w) total += quanta(w, word(w));
    return plain(total);
  }

  const Weights& weights_;
  Row n_;
  std::vector<Bits> of_class_;
  std::vector<double> class_weight_;
  double total_ = 0;
};

}  // namespace tw
