// The rules of a class chosen by description length: all subsets, hill climbing, or Quinlan's annealing.
#include "rules/subset.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <numeric>

#include "base/numbers.hpp"
#include "rules/description.hpp"

namespace tw {

namespace {

constexpr double kTheoryWeight = 0.5;  // of a bit of rules against a bit of exceptions
constexpr std::size_t kFew = 10;       // rules of a class, all subsets of which are tried
constexpr double kRounding = 1e-9;     // bits; lengths so close are equal

// Which rules of a class cover each row.
struct Coverers {
  std::vector<u32> begin;
  std::vector<u32> rule;

  Coverers(const std::vector<const Draft*>& own, std::size_t n_rows) : begin(n_rows + 1, 0) {
    for (const Draft* draft : own) each_case(draft->covers, [&](u32 row) { ++begin[row + 1]; });
    std::partial_sum(begin.begin(), begin.end(), begin.begin());
    rule.resize(begin.back());
    std::vector<u32> next(begin.begin(), begin.end() - 1);
    for (u32 k = 0; k < own.size(); ++k) each_case(own[k]->covers, [&](u32 row) { rule[next[row]++] = k; });
  }
};

// A subset of the rules of one class. Of every rule it is known what adding or dropping it would change, and kept so when another one is
// added or dropped: only rules that share rows with that one are looked at.
class Selection {
 public:
  Selection(const std::vector<const Draft*>& own, const Coverers& coverers, const WeightedRows& rows, u32 label)
      : own_(own),
        coverers_(coverers),
        rows_(rows),
        label_(label),
        in_(own.size(), 0),
        times_(rows.words() * 64, 0),
        change_(own.size()),
        log_factorial_(own.size() + 2, 0) {
    for (std::size_t k = 2; k < log_factorial_.size(); ++k) log_factorial_[k] = log_factorial_[k - 1] + log2_of(static_cast<double>(k));
    for (std::size_t k = 0; k < own.size(); ++k)
      for (const u32 w : own[k]->words) {
        change_[k].weight += rows_.quanta(w, own[k]->covers[w]);
        change_[k].right += rows_.quanta(w, own[k]->covers[w] & rows_.bits(label_)[w]);
      }
  }

  const std::vector<u8>& in() const { return in_; }
  std::size_t size() const { return in_.size(); }

  void toggle(std::size_t k) {
    const Draft& draft = *own_[k];
    const bool joins = in_[k] == 0;
    const i64 sign = joins ? 1 : -1;
    covered_.weight += sign * change_[k].weight;
    covered_.right += sign * change_[k].right;
    in_[k] = joins ? 1 : 0;
    bits_ += joins ? draft.bits : -draft.bits;
    count_ += joins ? 1 : std::numeric_limits<std::size_t>::max();
    // A row that nobody covered, or nobody covers now, counts for the rules outside; one that two cover, or did, for the other inside. The
    // rule in hand keeps its change: what it brought is what it would take away.
    each_case(draft.covers, [&](u32 row) {
      const u32 before = times_[row];
      times_[row] = joins ? before + 1 : before - 1;
      const u32 others = joins ? before : times_[row];  // that cover it beside the rule in hand
      if (others > 1) return;
      const Sums one = sums_of(row);
      for (u32 c = coverers_.begin[row]; c < coverers_.begin[row + 1]; ++c) {
        const u32 rule = coverers_.rule[c];
        if (rule == k || (in_[rule] != 0) != (others == 1)) continue;
        change_[rule].weight -= sign * one.weight;
        change_[rule].right -= sign * one.right;
      }
    });
  }

  double cost() const { return cost(covered_, bits_, count_); }

  // What it would cost with one rule added or dropped.
  double cost_toggled(std::size_t k) const {
    const bool joins = in_[k] == 0;
    const i64 sign = joins ? 1 : -1;
    const Sums after{covered_.weight + sign * change_[k].weight, covered_.right + sign * change_[k].right};
    return cost(after, joins ? bits_ + own_[k]->bits : bits_ - own_[k]->bits, joins ? count_ + 1 : count_ - 1);
  }

 private:
  // Quanta of rows, and of those that are of the class.
  struct Sums {
    i64 weight = 0;
    i64 right = 0;
  };

  Sums sums_of(u32 row) const {
    const u64 bit = u64{1} << (row % 64);
    const i64 weight = rows_.quanta(row / 64, bit);
    return {weight, (rows_.bits(label_)[row / 64] & bit) != 0 ? weight : 0};
  }

  double cost(const Sums& sums, double bits, std::size_t count) const {
    const double covered = rows_.plain(sums.weight);
    const double right = rows_.plain(sums.right);
    const double exceptions = selected_bits(rows_.total(), covered, covered - right, rows_.of(label_) - right);
    return exceptions + kTheoryWeight * (bits - log_factorial_[count]);
  }

  const std::vector<const Draft*>& own_;
  const Coverers& coverers_;
  const WeightedRows& rows_;
  u32 label_;
  std::vector<u8> in_;
  std::vector<u32> times_;    // per row, how many of the chosen rules cover it
  std::vector<Sums> change_;  // by rule: rows that only it would cover, or only it covers
  Sums covered_;
  double bits_ = 0;
  std::size_t count_ = 0;
  std::vector<double> log_factorial_;  // log2 n!
};

// Hill climbing: adds or drops the rule that saves most, the first of equals, as long as one does; returns the cost reached.
double climb(Selection& s, const JobControl& job) {
  double now = s.cost();
  while (true) {
    job.check();
    double least = now;
    std::size_t best = s.size();
    for (std::size_t k = 0; k < s.size(); ++k)
      if (const double cost = s.cost_toggled(k); cost < least - kRounding) {
        least = cost;
        best = k;
      }
    if (best == s.size()) return now;
    s.toggle(best);
    now = least;
  }
}

// Quinlan's schedule: a rule drawn at random is added or dropped if that saves bits, or else with a probability that falls as it cools.
// Calls offer(selection, cost) for every selection it passes.
template <class Offer>
void anneal(Selection& s, LibraryDraws& draws, const JobControl& job, Offer&& offer) {
  constexpr double kHot = 1000;
  constexpr double kCold = 0.001;
  constexpr double kCooling = 0.95;
  constexpr int kTries = 100;
  constexpr double kLog2E = 1.4426950408889634;
  for (double temperature = kHot; temperature > kCold; temperature *= kCooling) {
    job.check();
    const double now = s.cost();
    offer(s, now);
    bool changed = false;
    for (int tries = 0; !changed && tries < kTries; ++tries) {
      const auto k = static_cast<std::size_t>(static_cast<double>(s.size()) * draws.share());
      const double saved = now - s.cost_toggled(k);
      if (!(saved > 0)) {
        const double share = draws.share();
        if (share > 0 && !(log2_of(share) < kLog2E * saved / temperature)) continue;
      }
      s.toggle(k);
      changed = true;
    }
    if (!changed) break;
  }
}

// The cheapest of all subsets; of equals the one without the last rule that tells them apart, as counting in binary meets it first.
std::vector<u8> cheapest(Selection s) {
  // Gray's order: neighbouring subsets differ by one rule.
  std::vector<u8> chosen = s.in();
  double least = s.cost();
  u32 best = 0;
  for (u32 step = 1; step < (u32{1} << s.size()); ++step) {
    s.toggle(static_cast<std::size_t>(std::countr_zero(step)));
    const u32 number = step ^ (step >> 1);
    const double cost = s.cost();
    if (cost > least + kRounding || (cost >= least - kRounding && number > best)) continue;
    least = std::min(least, cost);
    best = number;
    chosen = s.in();
  }
  return chosen;
}

}  // namespace

std::vector<std::size_t> best_subset(const std::vector<Draft>& drafts, u32 label, const WeightedRows& rows, bool annealed,
                                     LibraryDraws& draws, const JobControl& job) {
  std::vector<std::size_t> places;
  std::vector<const Draft*> own;
  for (std::size_t i = 0; i < drafts.size(); ++i) {
    if (drafts[i].rule.label != label) continue;
    places.push_back(i);
    own.push_back(&drafts[i]);
  }
  if (own.empty()) return {};
  const Coverers coverers(own, rows.words() * 64);
  const Selection empty(own, coverers, rows, label);
  std::vector<u8> chosen = empty.in();
  double least = std::numeric_limits<double>::infinity();
  const auto offer = [&](const Selection& s, double now) {
    if (now < least - kRounding) {
      least = now;
      chosen = s.in();
    }
  };
  if (own.size() <= kFew) {
    chosen = cheapest(empty);
  } else if (annealed) {
    Selection s = empty;
    anneal(s, draws, job, offer);
    Selection best = empty;
    for (std::size_t k = 0; k < own.size(); ++k)
      if (chosen[k] != 0) best.toggle(k);
    offer(best, climb(best, job));
  } else {
    for (u32 tenths = 0; tenths <= 10; ++tenths) {
      Selection s = empty;
      for (std::size_t k = 0; k < own.size(); ++k)
        if (draws.share() < tenths / 10.0) s.toggle(k);
      offer(s, climb(s, job));
    }
  }
  std::vector<std::size_t> out;
  for (std::size_t k = 0; k < own.size(); ++k)
    if (chosen[k] != 0) out.push_back(places[k]);
  return out;
}

}  // namespace tw
