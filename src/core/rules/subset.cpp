// The rules of a class chosen by description length: all subsets, hill climbing, or Quinlan's annealing.
#include "rules/subset.hpp"

#include <algorithm>
#include <bit>
#include <limits>

#include "base/numbers.hpp"
#include "rules/description.hpp"

namespace tw {

namespace {

constexpr double kTheoryWeight = 0.5;  // of a bit of rules against a bit of exceptions
constexpr std::size_t kFew = 10;       // rules of a class, all subsets of which are tried
constexpr double kRounding = 1e-9;     // bits; lengths so close are equal

// A subset of the rules of one class: the rows it covers, those it covers once, and its bits.
class Selection {
 public:
  Selection(const std::vector<const Draft*>& own, const WeightedRows& rows, u32 label)
      : own_(own),
        rows_(rows),
        label_(label),
        in_(own.size(), 0),
        times_(rows.words() * 64, 0),
        covered_(rows.words(), 0),
        once_(rows.words(), 0),
        log_factorial_(own.size() + 2, 0) {
    for (std::size_t k = 2; k < log_factorial_.size(); ++k) log_factorial_[k] = log_factorial_[k - 1] + log2_of(static_cast<double>(k));
  }

  const std::vector<u8>& in() const { return in_; }
  std::size_t size() const { return in_.size(); }

  void toggle(std::size_t k) {
    const Draft& draft = *own_[k];
    const bool joins = in_[k] == 0;
    each_case(draft.covers, [&](u32 row) {
      times_[row] = joins ? times_[row] + 1 : times_[row] - 1;
      const u64 bit = u64{1} << (row % 64);
      covered_[row / 64] = times_[row] > 0 ? covered_[row / 64] | bit : covered_[row / 64] & ~bit;
      once_[row / 64] = times_[row] == 1 ? once_[row / 64] | bit : once_[row / 64] & ~bit;
    });
    in_[k] = joins ? 1 : 0;
    bits_ += joins ? draft.bits : -draft.bits;
    count_ += joins ? 1 : std::numeric_limits<std::size_t>::max();
    weight_ = rows_.weigh(covered_);
    right_ = rows_.weigh(covered_, rows_.bits(label_));
  }

  double cost() const { return cost(weight_, right_, bits_, count_); }

  // What it would cost with one rule added or dropped.
  double cost_toggled(std::size_t k) const {
    const Draft& draft = *own_[k];
    const bool joins = in_[k] == 0;
    const Bits& right = rows_.bits(label_);
    i64 weight = 0;
    i64 correct = 0;
    for (const u32 w : draft.words) {
      const u64 change = draft.covers[w] & (joins ? ~covered_[w] : once_[w]);
      if (change == 0) continue;
      weight += rows_.quanta(w, change);
      correct += rows_.quanta(w, change & right[w]);
    }
    const double sign = joins ? 1 : -1;
    return cost(weight_ + sign * rows_.plain(weight), right_ + sign * rows_.plain(correct), bits_ + sign * draft.bits,
                joins ? count_ + 1 : count_ - 1);
  }

 private:
  double cost(double covered, double right, double bits, std::size_t count) const {
    const double exceptions = selected_bits(rows_.total(), covered, covered - right, rows_.of(label_) - right);
    return exceptions + kTheoryWeight * (bits - log_factorial_[count]);
  }

  const std::vector<const Draft*>& own_;
  const WeightedRows& rows_;
  u32 label_;
  std::vector<u8> in_;
  std::vector<u32> times_;  // per row, how many of the chosen rules cover it
  Bits covered_, once_;
  double weight_ = 0;  // covered
  double right_ = 0;
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
  const Selection empty(own, rows, label);
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
