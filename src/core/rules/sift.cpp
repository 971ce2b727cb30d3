#include "rules/sift.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <tuple>

#include "base/hash.hpp"
#include "base/numbers.hpp"
#include "rules/description.hpp"
#include "stats/fisher.hpp"
#include "tree/branch.hpp"

namespace tw {

namespace {

using Bits = std::vector<u64>;

constexpr double kNeverFires = 0.7;    // rules with a larger estimated error
constexpr double kTheoryWeight = 0.5;  // of a bit of rules against a bit of exceptions
constexpr std::size_t kFew = 10;       // rules of a class, all subsets of which are tried

template <class Visit>
void each_bit(const Bits& set, Visit&& visit) {
  for (std::size_t w = 0; w < set.size(); ++w)
    for (u64 left = set[w]; left != 0; left &= left - 1) visit(w * 64 + static_cast<std::size_t>(std::countr_zero(left)));
}

// The rows, and sums of their weights over sets.
class Rows {
 public:
  explicit Rows(const Table& table) : weights_(table.weights), n_(table.n_rows), of_class_(table.target.n_classes, Bits(words(), 0)) {
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
    for (const Bits& bits : of_class_)
      for (std::size_t w = 0; w < out.size(); ++w) out[w] |= bits[w];
    return out;
  }
  double weigh(const Bits& set) const {
    return sum(set.size(), [&](std::size_t w) { return set[w]; });
  }
  double weigh(const Bits& a, const Bits& b) const {
    return sum(a.size(), [&](std::size_t w) { return a[w] & b[w]; });
  }
  double weigh_without(const Bits& a, const Bits& b) const {
    return sum(a.size(), [&](std::size_t w) { return a[w] & ~b[w]; });
  }
  double weigh_without(const Bits& a, const Bits& b, const Bits& c) const {
    return sum(a.size(), [&](std::size_t w) { return a[w] & ~b[w] & ~c[w]; });
  }

 private:
  template <class Word>
  double sum(std::size_t words, Word&& word) const {
    i64 quanta = 0;
    if (weights_.quanta.empty()) {
      for (std::size_t w = 0; w < words; ++w) quanta += std::popcount(word(w));
      return weights_.plain(quanta * weights_.unit);
    }
    for (std::size_t w = 0; w < words; ++w)
      for (u64 left = word(w); left != 0; left &= left - 1)
        quanta += weights_.quanta[w * 64 + static_cast<std::size_t>(std::countr_zero(left))];
    return weights_.plain(quanta);
  }

  const Weights& weights_;
  Row n_;
  std::vector<Bits> of_class_;
  std::vector<double> class_weight_;
  double total_ = 0;
};

struct Draft {
  SiftedRule rule;
  Bits covers;
  double bits = 0;
};

class Sifter {
 public:
  Sifter(const Tree& tree, const std::vector<View>& cells, const Table& table, const SiftSettings& settings, const Work& work)
      : tree_(tree), cells_(cells), settings_(settings), work_(work), rows_(table), estimate_(settings.confidence, Estimate::quinlan) {
    code_columns(table);
    if (settings.significance < 1) fisher_.emplace(static_cast<u64>(std::ceil(rows_.total())));
  }

  Sifted run() {
    std::vector<Draft> drafts = generalise_paths();
    const auto n = static_cast<u32>(drafts.size());
    log_factorial_.assign(drafts.size() + 2, 0);
    for (std::size_t k = 2; k < log_factorial_.size(); ++k) log_factorial_[k] = log_factorial_[k - 1] + log2_of(static_cast<double>(k));
    std::vector<std::vector<std::size_t>> chosen(rows_.n_classes());
    for (u32 label = 0; label < rows_.n_classes(); ++label) chosen[label] = best_subset(drafts, label);
    Sifted out = ordered(drafts, chosen);
    out.generalised = n;
    return out;
  }

 private:
  Bits satisfying(const Turn& turn) const {
    Bits bits(rows_.words(), 0);
    for (Row row = 0; row < rows_.size(); ++row)
      bits[row / 64] |= u64{branch_of(tree_, cells_, turn.node, row) == static_cast<i32>(turn.branch)} << (row % 64);
    return bits;
  }

  double default_error(u32 label) const { return 1 - (rows_.of(label) + 1) / (rows_.total() + 2); }

  struct Rate {
    double pessimistic;
    double actual;
  };
  Rate rate(double weight, double wrong, u32 label) const {
    if (weight <= 0) return {default_error(label), default_error(label)};
    return {(wrong + estimate_.extra(weight, wrong)) / weight, wrong / weight};
  }

  // Whether chance might well divide cases like a condition does: those that satisfy it and those that fail it alone. Weights count as
  // whole cases.
  bool by_chance(double wrong, double weight, double other_wrong, double other_weight) const {
    if (!fisher_) return false;
    const auto whole = [](double x) { return static_cast<u64>(std::floor(x + 1e-6)); };
    const u64 all = whole(weight);
    const u64 others = whole(other_weight);
    return fisher_->tail(std::min(whole(wrong), all), all, std::min(whole(other_wrong), others), others) > settings_.significance;
  }

  // Every leaf that holds cases, with the branches that lead to it; a path is gone through once, whatever hangs below it.
  std::vector<Draft> generalise_paths() {
    std::map<std::tuple<u32, std::set<std::tuple<u32, u64, u64>>>, std::size_t> known;
    std::vector<Draft> drafts;
    std::vector<Turn> path;
    std::vector<Bits> sets;
    struct Open {
      u32 node;
      u32 next;
    };
    std::vector<Open> stack{{0, 0}};
    while (!stack.empty()) {
      Open& open = stack.back();
      if (open.next == tree_.n_children[open.node]) {
        if (tree_.leaf(open.node) && tree_.weight[open.node] > 0 && !path.empty()) add(path, sets, open.node, known, drafts);
        stack.pop_back();
        if (!stack.empty()) {
          path.pop_back();
          sets.pop_back();
        }
        continue;
      }
      work_.check();
      const Turn turn{open.node, open.next++};
      path.push_back(turn);
      sets.push_back(satisfying(turn));
      stack.push_back({tree_.first_child[turn.node] + turn.branch, 0});
    }
    return drafts;
  }

  // What a condition asks, whichever node it stands at.
  std::tuple<u32, u64, u64> asks(const Turn& turn) const {
    const auto column = static_cast<u32>(tree_.column[turn.node]);
    if (tree_.columns[column].kind == Kind::numeric)
      return {column, turn.branch, std::bit_cast<u64>(tree_.cut_at[tree_.cut_begin[turn.node]])};
    u64 levels = 0;
    for (auto i = tree_.level_begin[turn.node]; i < tree_.level_begin[turn.node + 1]; ++i)
      if (tree_.level_branch[i] == turn.branch) levels = mix(levels, tree_.level[i] + 1);
    return {column, 2, levels};
  }

  void add(const std::vector<Turn>& path, const std::vector<Bits>& sets, u32 leaf,
           std::map<std::tuple<u32, std::set<std::tuple<u32, u64, u64>>>, std::size_t>& known, std::vector<Draft>& drafts) const {
    const auto label = static_cast<u32>(tree_.label[leaf]);
    std::vector<std::size_t> left(path.size());
    for (std::size_t i = 0; i < left.size(); ++i) left[i] = i;
    const Bits& right = rows_.bits(label);
    const double limit = default_error(label);
    Rate now{};
    double weight = 0;
    while (true) {
      // Rows that fail no condition, and those that fail exactly one.
      Bits none(rows_.words(), ~u64{0});
      Bits once(rows_.words(), 0);
      for (const std::size_t i : left)
        for (std::size_t w = 0; w < none.size(); ++w) {
          const u64 fails = ~sets[i][w];
          once[w] = (once[w] & ~fails) | (none[w] & fails);
          none[w] &= ~fails;
        }
      if (rows_.size() % 64 != 0) {
        const u64 inside = (u64{1} << (rows_.size() % 64)) - 1;
        none.back() &= inside;
        once.back() &= inside;
      }
      weight = rows_.weigh(none);
      const double wrong = rows_.weigh_without(none, right);
      now = rate(weight, wrong, label);
      bool triggered = false;
      std::size_t best = left.size();
      double lowest = std::numeric_limits<double>::infinity();
      for (std::size_t k = 0; k < left.size(); ++k) {
        // Rows that fail this condition alone come in when it goes.
        const Bits& holds = sets[left[k]];
        const double more = rows_.weigh_without(once, holds);
        const double more_wrong = rows_.weigh_without(once, holds, right);
        const Rate without = rate(weight + more, wrong + more_wrong, label);
        triggered = triggered || without.pessimistic <= now.pessimistic || without.actual <= now.actual ||
                    by_chance(wrong, weight, more_wrong, more);
        if (without.pessimistic <= lowest) {
          lowest = without.pessimistic;
          best = k;
        }
      }
      if (!triggered || left.empty()) break;
      left.erase(left.begin() + static_cast<std::ptrdiff_t>(best));
    }
    if (left.empty() || weight <= 0 || now.pessimistic >= limit || now.pessimistic > kNeverFires) return;
    Draft draft;
    draft.rule.says = label;
    draft.rule.error = now.pessimistic;
    draft.covers = sets[left[0]];
    std::set<std::tuple<u32, u64, u64>> questions;
    for (const std::size_t i : left) {
      draft.rule.when.push_back(path[i]);
      questions.insert(asks(path[i]));
      draft.bits += condition_bits(path[i]);
      for (std::size_t w = 0; w < draft.covers.size(); ++w) draft.covers[w] &= sets[i][w];
    }
    double orders = 0;
    for (std::size_t k = 2; k <= left.size(); ++k) orders += log2_of(static_cast<double>(k));
    draft.bits += log2_of(static_cast<double>(left.size())) - orders;
    const auto [place, fresh] = known.try_emplace({label, questions}, drafts.size());
    if (fresh)
      drafts.push_back(std::move(draft));
    else
      drafts[place->second].rule.error = std::max(drafts[place->second].rule.error, draft.rule.error);
  }

  void code_columns(const Table& table) {
    double sum = 0;
    for (const EncodedColumn& column : table.columns) {
      double bits = 0;
      if (column.kind == Kind::numeric) {
        bits = column.n_codes > 1 ? 1 + 0.5 * log2_of(column.n_codes) : 0;
      } else {
        std::vector<double> counts(column.n_codes, 0);
        for (const Code code : column.codes)
          if (code != kMissing) ++counts[code];
        for (const double count : counts)
          if (count > 0) bits -= count / table.n_rows * log2_of(count / table.n_rows);
      }
      column_bits_.push_back(bits);
      sum += bits;
    }
    for (const double bits : column_bits_)
      if (bits > 0) choice_bits_ -= bits / sum * log2_of(bits / sum);
  }

  double condition_bits(const Turn& turn) const {
    const auto column = static_cast<std::size_t>(tree_.column[turn.node]);
    const bool several = static_cast<Family>(tree_.family[turn.node]) == Family::grouped;
    return choice_bits_ / settings_.redundancy + (several ? static_cast<double>(tree_.columns[column].n_levels) : column_bits_[column]);
  }

  // A selection of the rules of one class on its way: what it covers once, what more often, and its bits.
  struct Selection {
    std::vector<u8> in;
    std::vector<u32> times;  // by row, how many of the chosen rules cover it
    Bits covered, once;
    double bits = 0;
    std::size_t count = 0;
  };

  double cost(double covered, double right, double bits, std::size_t count, u32 label) const {
    const double exceptions = sifted_bits(rows_.total(), covered, covered - right, rows_.of(label) - right);
    return exceptions + kTheoryWeight * (bits - log_factorial_[count]);
  }

  void toggle(const std::vector<Draft>& drafts, const std::vector<std::size_t>& own, std::size_t k, Selection& s) const {
    const Draft& draft = drafts[own[k]];
    const bool joins = s.in[k] == 0;
    each_bit(draft.covers, [&](std::size_t row) {
      s.times[row] = joins ? s.times[row] + 1 : s.times[row] - 1;
      const u64 bit = u64{1} << (row % 64);
      s.covered[row / 64] = s.times[row] > 0 ? s.covered[row / 64] | bit : s.covered[row / 64] & ~bit;
      s.once[row / 64] = s.times[row] == 1 ? s.once[row / 64] | bit : s.once[row / 64] & ~bit;
    });
    s.in[k] = joins ? 1 : 0;
    s.bits += joins ? draft.bits : -draft.bits;
    s.count += joins ? 1 : std::numeric_limits<std::size_t>::max();
  }

  // What a selection would cost with one rule added or dropped.
  class Toggled {
   public:
    Toggled(const Sifter& sifter, const std::vector<Draft>& drafts, const std::vector<std::size_t>& own, const Selection& s, u32 label)
        : sifter_(sifter),
          drafts_(drafts),
          own_(own),
          s_(s),
          label_(label),
          covered_(sifter.rows_.weigh(s.covered)),
          correct_(sifter.rows_.weigh(s.covered, sifter.rows_.bits(label))),
          change_(sifter.rows_.words()) {}

    double cost(std::size_t k) {
      const Draft& draft = drafts_[own_[k]];
      const bool joins = s_.in[k] == 0;
      for (std::size_t w = 0; w < change_.size(); ++w) change_[w] = draft.covers[w] & (joins ? ~s_.covered[w] : s_.once[w]);
      const double sign = joins ? 1 : -1;
      const Rows& rows = sifter_.rows_;
      return sifter_.cost(covered_ + sign * rows.weigh(change_), correct_ + sign * rows.weigh(change_, rows.bits(label_)),
                          s_.bits + sign * draft.bits, joins ? s_.count + 1 : s_.count - 1, label_);
    }

   private:
    const Sifter& sifter_;
    const std::vector<Draft>& drafts_;
    const std::vector<std::size_t>& own_;
    const Selection& s_;
    u32 label_;
    double covered_;
    double correct_;
    Bits change_;
  };

  double cost_of(const Selection& s, u32 label) const {
    return cost(rows_.weigh(s.covered), rows_.weigh(s.covered, rows_.bits(label)), s.bits, s.count, label);
  }

  // Adds or drops the rule that saves most, as long as one does; what the selection costs then.
  double climb(const std::vector<Draft>& drafts, const std::vector<std::size_t>& own, u32 label, Selection& s) const {
    double now = cost_of(s, label);
    while (true) {
      work_.check();
      Toggled toggled(*this, drafts, own, s, label);
      double least = std::numeric_limits<double>::infinity();
      std::size_t best = 0;
      for (std::size_t k = 0; k < own.size(); ++k)
        if (const double cost = toggled.cost(k); cost < least) {
          least = cost;
          best = k;
        }
      if (!(least < now - 1e-9)) return now;
      toggle(drafts, own, best, s);
      now = least;
    }
  }

  // Quinlan's schedule: a rule drawn at random is added or dropped if that saves bits, or else with a probability that falls as it cools.
  // `offer` is told of every selection on the way.
  template <class Offer>
  void anneal(const std::vector<Draft>& drafts, const std::vector<std::size_t>& own, u32 label, Selection& s, Offer&& offer) const {
    constexpr double kHot = 1000;
    constexpr double kCold = 0.001;
    constexpr double kCooling = 0.95;
    constexpr int kTries = 100;
    constexpr double kLog2E = 1.4426950408889634;
    const u64 seed = mix(mix(settings_.seed, label), 11);
    u64 drawn = 0;
    for (double temperature = kHot; temperature > kCold; temperature *= kCooling) {
      work_.check();
      const double now = cost_of(s, label);
      offer(s, now);
      Toggled toggled(*this, drafts, own, s, label);
      bool changed = false;
      for (int tries = 0; !changed && tries < kTries; ++tries) {
        const std::size_t k = mix(seed, drawn++) % own.size();
        const double saved = now - toggled.cost(k);
        const double chance = static_cast<double>((mix(seed, drawn++) >> 11) + 1) * 0x1p-53;
        if (!(saved > 0) && !(log2_of(chance) < kLog2E * saved / temperature)) continue;
        toggle(drafts, own, k, s);
        changed = true;
      }
      if (!changed) break;
    }
  }

  std::vector<std::size_t> best_subset(const std::vector<Draft>& drafts, u32 label) const {
    std::vector<std::size_t> own;
    for (std::size_t i = 0; i < drafts.size(); ++i)
      if (drafts[i].rule.says == label) own.push_back(i);
    if (own.empty()) return {};
    const Selection empty{std::vector<u8>(own.size(), 0), std::vector<u32>(rows_.words() * 64, 0), Bits(rows_.words(), 0),
                          Bits(rows_.words(), 0)};
    std::vector<u8> chosen = empty.in;
    double least = std::numeric_limits<double>::infinity();
    const auto offer = [&](const Selection& s, double now) {
      if (now < least) {
        least = now;
        chosen = s.in;
      }
    };
    if (own.size() <= kFew) {
      // Gray's order: neighbouring subsets differ by one rule.
      Selection s = empty;
      offer(s, cost_of(s, label));
      for (u32 step = 1; step < (u32{1} << own.size()); ++step) {
        toggle(drafts, own, static_cast<std::size_t>(std::countr_zero(step)), s);
        offer(s, cost_of(s, label));
      }
    } else if (settings_.annealed) {
      Selection s = empty;
      anneal(drafts, own, label, s, offer);
      Selection best = empty;
      for (std::size_t k = 0; k < own.size(); ++k)
        if (chosen[k] != 0) toggle(drafts, own, k, best);
      offer(best, climb(drafts, own, label, best));
    } else {
      for (u32 tenths = 0; tenths <= 10; ++tenths) {
        Selection s = empty;
        for (std::size_t k = 0; k < own.size(); ++k)
          if (mix(mix(settings_.seed, label), mix(tenths, k)) % 10 < tenths) toggle(drafts, own, k, s);
        offer(s, climb(drafts, own, label, s));
      }
    }
    std::vector<std::size_t> out;
    for (std::size_t k = 0; k < own.size(); ++k)
      if (chosen[k] != 0) out.push_back(own[k]);
    return out;
  }

  // Classes by false positives among what is left, rules by estimated error, and what is said of the rest.
  Sifted ordered(const std::vector<Draft>& drafts, std::vector<std::vector<std::size_t>> chosen) const {
    Bits left = rows_.all();
    std::vector<const Draft*> list;
    std::vector<u8> done(chosen.size(), 0);
    for (std::size_t round = 0; round < chosen.size(); ++round) {
      std::size_t best = chosen.size();
      double fewest = 0;
      Bits taken;
      for (std::size_t label = 0; label < chosen.size(); ++label) {
        if (done[label] != 0) continue;
        Bits fires(rows_.words(), 0);
        for (const std::size_t i : chosen[label])
          for (std::size_t w = 0; w < fires.size(); ++w) fires[w] |= drafts[i].covers[w] & left[w];
        const double wrong = rows_.weigh_without(fires, rows_.bits(static_cast<u32>(label)));
        if (best == chosen.size() || wrong < fewest) {
          best = label;
          fewest = wrong;
          taken = std::move(fires);
        }
      }
      done[best] = 1;
      std::stable_sort(chosen[best].begin(), chosen[best].end(),
                       [&](std::size_t a, std::size_t b) { return drafts[a].rule.error < drafts[b].rule.error; });
      for (const std::size_t i : chosen[best]) list.push_back(&drafts[i]);
      for (std::size_t w = 0; w < left.size(); ++w) left[w] &= ~taken[w];
    }
    Sifted out;
    for (u32 label = 1; label < rows_.n_classes(); ++label) {
      const double here = rows_.weigh(left, rows_.bits(label));
      const double best = rows_.weigh(left, rows_.bits(out.otherwise));
      if (here > best || (here == best && rows_.of(label) > rows_.of(out.otherwise))) out.otherwise = label;
    }
    polish(list, out.otherwise);
    for (const Draft* draft : list) out.rules.push_back(draft->rule);
    return out;
  }

  // Drops, one at a time, the first rule without which more rows would be right.
  void polish(std::vector<const Draft*>& list, u32 otherwise) const {
    for (bool changed = true; changed;) {
      changed = false;
      Bits left = rows_.all();
      for (std::size_t k = 0; k < list.size() && !changed; ++k) {
        work_.check();
        Bits fires(rows_.words());
        for (std::size_t w = 0; w < fires.size(); ++w) fires[w] = left[w] & list[k]->covers[w];
        double gain = 0;  // of dropping it
        gain -= rows_.weigh(fires, rows_.bits(list[k]->rule.says));
        Bits rest = fires;
        for (std::size_t next = k + 1; next < list.size(); ++next) {
          Bits falls(rows_.words());
          for (std::size_t w = 0; w < falls.size(); ++w) falls[w] = rest[w] & list[next]->covers[w];
          gain += rows_.weigh(falls, rows_.bits(list[next]->rule.says));
          for (std::size_t w = 0; w < rest.size(); ++w) rest[w] &= ~falls[w];
        }
        gain += rows_.weigh(rest, rows_.bits(otherwise));
        if (gain > 0) {
          list.erase(list.begin() + static_cast<std::ptrdiff_t>(k));
          changed = true;
          break;
        }
        for (std::size_t w = 0; w < left.size(); ++w) left[w] &= ~fires[w];
      }
    }
  }

  const Tree& tree_;
  const std::vector<View>& cells_;
  const SiftSettings& settings_;
  const Work& work_;
  Rows rows_;
  ErrorEstimate estimate_;
  std::optional<FisherTest> fisher_;
  std::vector<double> column_bits_;
  double choice_bits_ = 0;
  std::vector<double> log_factorial_;  // log2 n!, as far as there are rules
};

}  // namespace

Sifted sift(const Tree& tree, const std::vector<View>& cells, const Table& table, const SiftSettings& settings, const Work& work) {
  return Sifter(tree, cells, table, settings, work).run();
}

}  // namespace tw
