// The measures of covering learners: the gain of a literal, the worth of a pruned rule, and when to stop.
#pragma once

#include "base/numbers.hpp"
#include "base/types.hpp"

namespace tw {

// FOIL's gain (Quinlan 1990): p (log2 rate after - log2 rate before), the rate of positives being p/t, or (p + 1)/(t + 1) in JRip.
enum class LiteralGain : u8 { foil, smoothed };

// The worth of a rule on pruning data of P positives and N negatives, p and n of them covered.
enum class RuleWorth : u8 {
  irep,      // (p + N - n) / (P + N)      Fürnkranz and Widmer 1994
  ripper,    // (p - n) / (p + n)          Cohen 1995
  smoothed,  // (p + 1) / (p + n + 2)      JRip
};

enum class CoverStop : u8 {
  error,     // a rule misclassifies more than half of what it covers of the pruning data (IREP)
  surplus,   // the description is this many bits longer than the shortest so far (RIPPER)
  explains,  // a rule takes more bits than it saves
};

struct CoverSettings {
  LiteralGain gain = LiteralGain::smoothed;
  RuleWorth worth = RuleWorth::smoothed;
  CoverStop stop = CoverStop::surplus;
  double surplus = 64;
  bool check_error = true;    // stop, too, at a rule that misclassifies half or more of what it covers
  bool delete_early = false;  // rules that lengthen the description are deleted after building, too, not only after every round
  bool prune = true;
  u32 folds = 3;          // one of this many is held out for pruning
  u32 rounds = 2;         // of optimisation
  double min_weight = 2;  // least weight of positives a literal may leave
  u64 seed = 0;
};

inline double rate(LiteralGain kind, double p, double t) { return kind == LiteralGain::foil ? p / t : (p + 1) / (t + 1); }

inline double literal_gain(LiteralGain kind, double p, double t, double before) {
  return p > 0 ? p * (log2_of(rate(kind, p, t)) - before) : 0;
}

inline double worth(RuleWorth kind, double p, double n, double positives, double negatives) {
  switch (kind) {
    case RuleWorth::irep: return (p + negatives - n) / (positives + negatives);
    case RuleWorth::ripper: return p + n > 0 ? (p - n) / (p + n) : -1;
    case RuleWorth::smoothed: return (p + 1) / (p + n + 2);
  }
  return 0;
}

}  // namespace tw
