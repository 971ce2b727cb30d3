// Conditions dropped from one rule, one at a time (Quinlan 1993, chapter 5): dropping one adds the rows that fail it alone.
#pragma once

#include <limits>
#include <utility>
#include <vector>

#include "rules/cases.hpp"
#include "stats/error_estimate.hpp"

namespace tw {

// Per row, how many conditions it fails: binary numbers, one set of rows per digit. To add or to drop a condition is one pass over the
// rows, 64 at a time, however many conditions there are.
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

// A rule without one of its conditions.
struct Loosened {
  double expected = 0;  // errors; the condition whose loss leaves the fewest is dropped
  bool allowed = true;  // whether this condition may be dropped
  bool enough = false;  // whether a condition should be dropped on account of this one
};

// Indices of the conditions that are left. The scorer counts sets of rows (`count(words)`, where words(visit) calls back with the words of
// a set that are not empty), estimates the errors of a rule (`expected(count)`) and scores it with more rows (`without(now, expected,
// more)`). `now` is what the rule covers in the end. Of equal conditions the last is dropped.
template <class Scorer, class Count>
std::vector<std::size_t> generalised(const std::vector<Bits>& holds, Failures failures, const Scorer& scorer, Count& now) {
  std::vector<std::size_t> left(holds.size());
  for (std::size_t i = 0; i < left.size(); ++i) left[i] = i;
  std::vector<Count> more(holds.size());  // what is added without a condition: rows that fail it alone
  Bits rows;
  failures.none(rows);
  now = scorer.count([&](auto&& visit) {
    for (std::size_t w = 0; w < rows.size(); ++w)
      if (rows[w] != 0) visit(w, rows[w]);
  });
  Bits counted(rows.size(), 0);
  std::vector<u32> fresh;
  while (true) {
    // A row that fails one condition alone goes on doing so until that is dropped: only rows that are new to that state are counted.
    failures.once(rows);
    fresh.clear();
    for (std::size_t w = 0; w < rows.size(); ++w) {
      const u64 before = std::exchange(counted[w], rows[w]);
      if ((rows[w] &= ~before) != 0) fresh.push_back(static_cast<u32>(w));
    }
    const double expected = scorer.expected(now);
    bool enough = false;
    std::size_t best = left.size();
    double fewest = std::numeric_limits<double>::infinity();
    for (std::size_t k = 0; k < left.size(); ++k) {
      const Bits& own = holds[left[k]];
      more[left[k]] += scorer.count([&](auto&& visit) {
        for (const u32 w : fresh)
          if (const u64 word = rows[w] & ~own[w]; word != 0) visit(w, word);
      });
      const Loosened loosened = scorer.without(now, expected, more[left[k]]);
      if (!loosened.allowed) continue;
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

// The rows a rule is scored by: their weights, and the loss of the rule on each, an error or a squared deviation times the weight.
struct ScoredRows {
  const double* weight = nullptr;
  const double* loss = nullptr;
  const double* later = nullptr;  // in an ordered list, the loss of the rules after it: rows that are added may lose no more than that
  std::size_t n_rows = 0;
};

// For classes the pessimistic error decides, for numbers the deviation times (w + p)/(w - p), p the number of fitted parameters.
struct Expectation {
  double confidence = 0.25;
  double parameters = 0;  // of models of numbers; 0: classes
  double slack = 0;       // differences this small are rounding
};

// Indices of the conditions that are needed, each given as the rows that satisfy it. All of them if they cover no weight.
std::vector<std::size_t> simplified(const std::vector<Bits>& holds, const ScoredRows& rows, const Expectation& expectation);

}  // namespace tw
