// Many divisions of a nominal column judged at once, for criteria that are sums of squares over weights: the whole numbers are exact as
// doubles, so the scores are those of one division after the other.
#pragma once

#include <algorithm>
#include <limits>

#include "search/family.hpp"
#include "search/kernels.hpp"

namespace tw {

template <Criterion C>
class AtOnce {
 public:
  static constexpr bool kPossible = requires { C::kSquaresOverWeight; };

  AtOnce(const AtColumn<C>& at, const Groups<typename C::Stat>& groups) : at_(at), groups_(groups), k_(at.width - 1) {}

  bool applies() const { return !at_.spreads() && at_.rows.present_weight + at_.rows.missing_weight < i64{1} << 26; }

  // How many groups of an order the best first branch has, if it scores above the floor; 0 otherwise.
  std::size_t best_start(const std::vector<std::size_t>& order, double floor) {
    const std::size_t n = order.size() - 1;
    first_.resize(n * k_ + kDivisionsAbreast);
    for (std::size_t j = 0; j < k_; ++j) {
      i64 sum = 0;
      for (std::size_t i = 0; i < n; ++i) {
        sum += groups_[order[i]][j];
        first_[j * n + i] = static_cast<double>(sum);
      }
    }
    const u32 best = best_of(first_.data(), n, n, floor);
    return best < n ? best + 1 : 0;
  }

  // The groups but the first as bits: those of the best second branch, if it scores above the floor; 0 otherwise.
  u64 best_mask(double floor) {
    const std::size_t all = std::size_t{1} << (groups_.size() - 1);
    first_.resize(all * k_ + kDivisionsAbreast);
    for (std::size_t j = 0; j < k_; ++j) {
      double* first = first_.data() + j * all;
      first[0] = static_cast<double>(at_.rows.present[j]);
      for (std::size_t g = 1; g < groups_.size(); ++g) {
        const std::size_t half = std::size_t{1} << (g - 1);
        const auto rows = static_cast<double>(groups_[g][j]);
        for (std::size_t mask = 0; mask < half; ++mask) first[half + mask] = first[mask] - rows;
      }
    }
    const u32 best = best_of(first_.data() + 1, all, all - 1, floor);
    return best < all - 1 ? best + 1 : 0;
  }

 private:
  u32 best_of(const double* first, std::size_t stride, std::size_t n, double floor) {
    totals_.assign(at_.rows.present, at_.rows.present + k_);
    totals_.insert(totals_.end(), at_.rows.missing, at_.rows.missing + k_);
    Divisions divisions;
    divisions.first = first;
    divisions.stride = stride;
    divisions.n = static_cast<u32>(n);
    divisions.n_classes = static_cast<u32>(k_);
    divisions.present = totals_.data();
    divisions.missing = at_.tries_missing_branches() ? totals_.data() + k_ : nullptr;
    divisions.least = static_cast<double>(at_.least());
    return kernels().best_division(divisions, floor);
  }

  const AtColumn<C>& at_;
  const Groups<typename C::Stat>& groups_;
  std::size_t k_;
  std::vector<double> first_;  // rows of the first branches, class by class
  std::vector<double> totals_;
};

}  // namespace tw
