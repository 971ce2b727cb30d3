// Conditions dropped from one rule, one at a time (Quinlan 1993, chapter 5): the rows that come in with each are those that fail it alone.
#pragma once

#include <limits>
#include <utility>
#include <vector>

#include "rules/cases.hpp"
#include "stats/error_estimate.hpp"

namespace tw {

// By row, how many conditions it fails: numbers in bits, one set of rows a digit. To add or to drop a condition is one pass over the rows,
// 64 at a time, however many conditions there are.
class Failures {
 public:
  explicit Failures(std::size_t n_rows);

  void add(const Bits& holds);
  void drop(const Bits& holds);
  void none(Bits& out) const;  // rows that fail no condition
  void once(Bits& out) const;  // rows that fail one

 private:
  Bits every_;
  std::vector<Bits> digits_;
  std::size_t n_ = 0;  // conditions
};

// What becomes of a rule without one of its conditions.
struct Loosened {
  double expected = 0;  // errors; the condition with the fewest goes
  bool may = true;      // whether it may go at all
  bool enough = false;  // whether this is reason enough to drop one
};

// Positions of the conditions that are left. The judge counts sets of rows (`count(words)`, which calls back with the words of a set that
// are not empty), says what to expect of a rule (`expected(count)`) and what it would be with more rows (`without(now, expected, more)`).
// `now` is what the rule covers in the end. Of equals the last condition goes.
template <class ScoreCallback, class Count>
std::vector<std::size_t> generalised(const std::vector<Bits>& holds, Failures failures, const ScoreCallback& judge, Count& now) {
  std::vector<std::size_t> left(holds.size());
  for (std::size_t i = 0; i < left.size(); ++i) left[i] = i;
  std::vector<Count> more(holds.size());  // what comes in without a condition: rows that fail it alone
  Bits rows;
  failures.none(rows);
  now = judge.count([&](auto&& visit) {
    for (std::size_t w = 0; w < rows.size(); ++w)
      if (rows[w] != 0) visit(w, rows[w]);
  });
  Bits counted(rows.size(), 0);
  std::vector<u32> fresh;
  while (true) {
    // A row that fails one condition alone will not fail others: only those that have come to that are counted.
    failures.once(rows);
    fresh.clear();
    for (std::size_t w = 0; w < rows.size(); ++w) {
      const u64 before = std::exchange(counted[w], rows[w]);
      if ((rows[w] &= ~before) != 0) fresh.push_back(static_cast<u32>(w));
    }
    const double expected = judge.expected(now);
    bool enough = false;
    std::size_t best = left.size();
    double fewest = std::numeric_limits<double>::infinity();
    for (std::size_t k = 0; k < left.size(); ++k) {
      const Bits& own = holds[left[k]];
      more[left[k]] += judge.count([&](auto&& visit) {
        for (const u32 w : fresh)
          if (const u64 word = rows[w] & ~own[w]; word != 0) visit(w, word);
      });
      const Loosened loosened = judge.without(now, expected, more[left[k]]);
      if (!loosened.may) continue;
      enough = enough || loosened.enough;
      if (loosened.expected <= fewest) {
        fewest = loosened.expected;
        best = k;
      }
    }
    if (!enough) return left;
    now += more[left[best]];
    failures.drop(holds[left[best]]);
    left.erase(left.begin() + static_cast<std::ptrdiff_t>(best));
  }
}

// A rule judged by rows: what they weigh, and what it gets wrong of each, an error or a squared deviation times the weight.
struct JudgedRows {
  const double* weight = nullptr;
  const double* loss = nullptr;
  const double* instead = nullptr;  // in an ordered list, what the rules behind it get wrong of the row: together it may not be less
  std::size_t n_rows = 0;
};

// Of classes the pessimistic error decides, of numbers the spread, larger by (w + p)/(w - p) for p numbers that it was fitted with.
struct Expectation {
  double confidence = 0.25;
  double parameters = 0;  // of numbers; 0: classes
  double slack = 0;       // rounding
};

// Positions of the conditions, each the rows that satisfy it, without the needless ones. All of them if they cover no weight.
std::vector<std::size_t> simplified(const std::vector<Bits>& holds, const JudgedRows& rows, const Expectation& expectation);

}  // namespace tw
