// Conditions failed per row, counted in bits, and rules scored by losses of rows.
#include "rules/generalise.hpp"

#include <bit>
#include <cmath>

namespace tw {

Failures::Failures(std::size_t n_rows) : every_((n_rows + 63) / 64, ~u64{0}) {
  if (n_rows % 64 != 0) every_.back() = (u64{1} << (n_rows % 64)) - 1;
}

void Failures::add(const Bits& holds) {
  if (std::has_single_bit(++n_)) digits_.emplace_back(every_.size(), 0);
  for (std::size_t w = 0; w < every_.size(); ++w) {
    u64 carry = every_[w] & ~holds[w];
    for (std::size_t d = 0; carry != 0; ++d) {
      const u64 before = digits_[d][w];
      digits_[d][w] = before ^ carry;
      carry &= before;
    }
  }
}

void Failures::drop(const Bits& holds) {
  for (std::size_t w = 0; w < every_.size(); ++w) {
    u64 borrow = every_[w] & ~holds[w];
    for (std::size_t d = 0; borrow != 0; ++d) {
      const u64 before = digits_[d][w];
      digits_[d][w] = before ^ borrow;
      borrow &= ~before;
    }
  }
  if (std::has_single_bit(n_--)) digits_.pop_back();
}

void Failures::none(Bits& out) const {
  out = every_;
  for (const Bits& digit : digits_) take_away(out, digit);
}

void Failures::once(Bits& out) const {
  out = digits_.empty() ? Bits(every_.size(), 0) : digits_[0];
  for (std::size_t d = 1; d < digits_.size(); ++d) take_away(out, digits_[d]);
}

namespace {

class RowScorer {
 public:
  struct Count {
    double weight = 0;
    double loss = 0;
    double later = 0;
    Count& operator+=(const Count& other) {
      weight += other.weight;
      loss += other.loss;
      later += other.later;
      return *this;
    }
  };

  RowScorer(const ScoredRows& rows, const Expectation& expectation)
      : rows_(rows), by_(expectation), estimate_(expectation.confidence, Estimate::quinlan) {}

  template <class Words>
  Count count(Words&& words) const {
    Count out;
    words([&](std::size_t w, u64 word) {
      for (; word != 0; word &= word - 1) {
        const std::size_t row = w * 64 + static_cast<std::size_t>(std::countr_zero(word));
        out.weight += rows_.weight[row];
        out.loss += rows_.loss[row];
        if (rows_.later != nullptr) out.later += rows_.later[row];
      }
    });
    return out;
  }

  Loosened without(const Count& now, double before, const Count& more) const {
    const double then = more.weight > 0 ? expected({now.weight + more.weight, now.loss + more.loss, 0}) : before;
    const bool no_worse = rows_.later == nullptr || more.loss <= more.later;
    return {then, no_worse, no_worse && now.weight > 0 && then <= before + by_.slack};
  }

  double expected(const Count& count) const {
    const double w = count.weight;
    if (w <= by_.parameters) return std::numeric_limits<double>::infinity();
    if (by_.parameters == 0) return (count.loss + estimate_.extra(w, count.loss)) / w;
    return std::sqrt(count.loss / w) * (w + by_.parameters) / (w - by_.parameters);
  }

 private:
  const ScoredRows& rows_;
  const Expectation& by_;
  ErrorEstimate estimate_;
};

}  // namespace

std::vector<std::size_t> simplified(const std::vector<Bits>& holds, const ScoredRows& rows, const Expectation& expectation) {
  const RowScorer scorer(rows, expectation);
  Failures failures(rows.n_rows);
  for (const Bits& each : holds) failures.add(each);
  RowScorer::Count now;
  return generalised(holds, std::move(failures), scorer, now);
}

}  // namespace tw
