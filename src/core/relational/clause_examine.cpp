// One state of a clause: every literal that may come next is weighed.
#include <algorithm>
#include <cmath>

#include "base/numbers.hpp"
#include "relational/clause_search.hpp"
#include "relational/code_length.hpp"

namespace tw::relational {

namespace {

constexpr double kNothing = 1e-6;      // a gain within rounding of 0
constexpr double kKnownCalls = 0.5;    // share of the calls of a recursive literal that must ask for tuples that were given
constexpr u64 kMostSteps = 100'000;    // of an enumeration of the choices that a relation has in a state
constexpr double kWeakRatio = 0.9999;  // a literal that leaves the share of positive bindings as it is

constexpr Asks kComparisons[] = {Asks::same, Asks::constant, Asks::less, Asks::above};

// Whether the bindings a literal leaves hold no larger share of positive ones than before.
bool weak(const Counts::Side& side, const Counts::Side& other, const Bindings& bindings) {
  if (other.total == 0) return true;
  const double before = static_cast<double>(bindings.n_positive) / static_cast<double>(bindings.size());
  return static_cast<double>(side.positive_extended) <= kWeakRatio * before * static_cast<double>(side.total_extended);
}

bool always_equal(const std::vector<Code>& a, const std::vector<Code>& b) { return a == b; }

}  // namespace

void ClauseSearch::examine() {
  choices_.clear();
  determinate_.clear();
  better_saved_.reset();
  ++step_;
  information_ = information(bindings_.n_positive, bindings_.size(), settings_.share);
  most_ = static_cast<double>(bindings_.n_positive) * information_;
  compared_ = steps_.empty() ? Compared() : Compared(bindings_, world_, static_cast<Variable>(start_->columns.size()));
  for (Variable v = 0; v < variables_.size(); ++v) {
    variables_[v].barred = false;
    for (Variable w = 0; w < v && !variables_[v].barred; ++w)
      variables_[v].barred =
          variables_[w].type == variables_[v].type && !steps_.empty() && always_equal(bindings_.columns[v], bindings_.columns[w]);
  }
  u64 covered = 0;
  for (std::size_t row = 0; row < bindings_.n_positive; ++row)
    covered += row == 0 || bindings_.origin[row] != bindings_.origin[row - 1] ? 1U : 0U;
  const double limit = settings_.coding_limit ? code_limit(start_->size(), covered, settings_.share) : HUGE_VAL;
  if (settings_.trace) {
    State state{clause_, step_, {}, bindings_.n_positive, bindings_.size(), information_, limit - clause_bits_};
    for (const Step& step : steps_) state.body.push_back(step.literal);
    trace_.states.push_back(std::move(state));
  }

  const std::size_t n_relations = std::min<std::size_t>(world_.relations.size(), world_.known);
  const std::vector<u64> n_choices = count_choices();
  const auto kinds = static_cast<double>(n_choices.size() - static_cast<std::size_t>(std::count(n_choices.begin(), n_choices.end(), 0U)));
  u32 n_free = 0;  // determinate literals cost nothing
  for (const Step& step : steps_) n_free += step.determinate ? 1 : 0;
  const auto code = [&](std::size_t kind, bool negatable) {
    return log2_of(kinds) + log2_of(static_cast<double>(n_choices[kind])) - log2_of(static_cast<double>(steps_.size() + 1 - n_free)) +
           (negatable ? 1 : 0);
  };
  const auto enough = [&] { return exhausted() || (!settings_.trace && !choices_.empty() && choices_[0].gain >= most_ * (1 - 1e-12)); };

  for (u32 r = 0; r < n_relations && !enough(); ++r) {
    if (n_choices[r] == 0) continue;
    const bool negatable = settings_.negated_relations && r != world_.target;
    const double bits = code(r, negatable);
    if (bits + clause_bits_ > limit) {
      trace_.n_skipped += n_choices[r];
      continue;
    }
    each_choice(world_.relations[r], variables_, world_, limits_of(r), [&](const auto& args) {
      if (enough() || !may_recur(r, args)) return false;
      bool prune = false;
      weigh({Asks::relation, false, r, args, 0}, bits, negatable, prune);
      return prune;
    });
  }
  for (std::size_t k = 0; k < std::size(kComparisons) && !enough(); ++k) {
    if (n_choices[n_relations + k] == 0) continue;
    const bool negatable = settings_.negated_comparisons;
    const double bits =
        code(n_relations + k, negatable) + (kComparisons[k] == Asks::above ? log2_of(static_cast<double>(bindings_.size())) : 0);
    if (bits + clause_bits_ > limit) {
      trace_.n_skipped += n_choices[n_relations + k];
      continue;
    }
    each_comparison(kComparisons[k], variables_, world_, [&](const auto& args, Code constant) {
      bool prune = false;
      if (!enough()) weigh({kComparisons[k], false, 0, args, constant}, bits, negatable, prune);
    });
  }
}

bool ClauseSearch::may_recur(u32 relation, const std::vector<Variable>& args) const {
  if (relation != world_.target) return true;
  std::vector<Descent> calls = *calls_;
  for (const Step& step : steps_)
    if (!step.descent.empty()) calls.push_back(step.descent);
  const Descent own = compared_.of(args);
  if (std::none_of(own.begin(), own.end(), [](Beside way) { return way == Beside::below || way == Beside::above; })) return false;
  calls.push_back(own);
  return ends(std::move(calls));
}

ChoiceLimits ClauseSearch::limits_of(u32 relation) const { return {settings_.max_depth, settings_.max_variables, most_tied_[relation]}; }

// How many choices each kind of literal has, relations and then comparisons: what its code costs depends on it. Where a relation has too
// many, as few of its arguments are tied as it takes: new variables can be compared with others afterwards.
std::vector<u64> ClauseSearch::count_choices() {
  const std::size_t n_relations = std::min<std::size_t>(world_.relations.size(), world_.known);
  std::vector<u64> out(n_relations + std::size(kComparisons), 0);
  most_tied_.assign(n_relations, 0);
  for (u32 r = 0; r < n_relations; ++r) {
    if (r == world_.target && !compared_.any()) continue;
    const auto fits = [&](u32 most_tied, u64& n) {
      n = 0;
      const ChoiceLimits limits{settings_.max_depth, settings_.max_variables, most_tied, kMostSteps};
      return each_choice(world_.relations[r], variables_, world_, limits, [&](const auto& args) {
        if ((n & 0xfff) == 0) job_.check();
        n += may_recur(r, args) ? 1U : 0U;
        return false;
      });
    };
    most_tied_[r] = static_cast<u32>(world_.relations[r].arity());
    if (fits(most_tied_[r], out[r])) continue;
    u64 n = 0;
    for (most_tied_[r] = 0, out[r] = 0; fits(most_tied_[r] + 1, n); ++most_tied_[r]) out[r] = n;
  }
  for (std::size_t k = 0; k < std::size(kComparisons); ++k)
    each_comparison(kComparisons[k], variables_, world_, [&](const auto&, Code) { ++out[n_relations + k]; });
  return out;
}

void ClauseSearch::weigh(const Literal& given, double bits, bool negatable, bool& prune) {
  Literal literal = given;
  Counts counts;
  const double useful = useful_gain();
  if (literal.asks == Asks::above) {
    if (!best_threshold(bindings_, literal, world_.types[variables_[literal.args[0]].type].n_constants, information_, settings_.share,
                        counts))
      return;
  } else {
    const bool opens = std::any_of(literal.args.begin(), literal.args.end(), [&](Variable v) { return v >= bindings_.n_variables(); });
    // What a literal with new variables misses tells whether denials of those that it subsumes can be of use.
    const bool whole = settings_.trace || (opens && settings_.negated_relations);
    const double least = information_ > 0 ? useful / information_ * (1 - 1e-9) : 0;
    counts = count(bindings_, literal, indexes_, job_,
                   whole ? Needed{} : Needed{std::max(least, 0.5), opens || !negatable ? HUGE_VAL : std::max(least, 0.5)});
  }
  trace_.n_steps += counts.abandoned ? bindings_.n_positive : bindings_.size();
  const bool closed = counts.new_variables == 0;
  if (counts.abandoned) {
    ++trace_.n_weighed;
    prune = !closed && static_cast<double>(counts.holds.positive) * information_ <= useful;
    return;
  }
  negatable = negatable && closed;
  double gained = gain(counts.holds, information_, settings_.share);
  const double lost = negatable ? gain(counts.fails, information_, settings_.share) : 0;
  std::size_t at = traced(literal, counts.holds, gained, bits, Verdict::weighed);
  Literal negation = literal;
  negation.negated = true;
  const std::size_t negation_at = negatable ? traced(negation, counts.fails, lost, bits, Verdict::weighed) : 0;
  const auto say = [&](Verdict verdict) {
    if (settings_.trace) trace_.weighed[at].verdict = verdict;
  };

  // What it subsumes keeps no more positive bindings; its negations miss all that it misses.
  if (!closed && counts.holds.positive < bindings_.n_positive && static_cast<double>(counts.holds.positive) * information_ <= useful) {
    Counts::Side most{bindings_.n_positive, bindings_.n_positive + counts.fails.total - counts.fails.positive, 0, 0, 0, 0};
    most.positive_extended = most.positive;
    most.total_extended = most.total;
    prune = !settings_.negated_relations || gain(most, information_, settings_.share) <= useful;
  }
  const auto code_fits = [&](const Counts::Side& side) {
    return !settings_.coding_limit || code_limit(start_->size(), side.positive_origins, settings_.share) >= clause_bits_ + bits;
  };
  bool holds = counts.holds.positive > 0 && code_fits(counts.holds);
  const bool fails = negatable && counts.fails.positive > 0 && code_fits(counts.fails);
  if (!holds && !fails) return say(counts.holds.positive > 0 ? Verdict::long_code : Verdict::nothing);
  if (holds && counts.holds.total_extended > settings_.max_tuples) {
    ++trace_.n_too_many;
    return say(Verdict::too_many);
  }
  if (!closed && holds) {
    // Only literals that could be taken are looked at again.
    if (!counts.determinate && gained <= kNothing && weak_ >= settings_.max_weak) return say(Verdict::weak);
    if (repeats(bindings_, literal, world_, indexes_, counts)) return say(Verdict::repeats);
    counts.determinate = counts.determinate && counts.constant_variables < counts.new_variables;
  }
  if (holds && literal.asks == Asks::relation && literal.relation == world_.target && !calls_known(literal, counts))
    return say(Verdict::unknown);
  const bool weak_holds = weak(counts.holds, counts.fails, bindings_), weak_fails = weak(counts.fails, counts.holds, bindings_);
  if (weak_ >= settings_.max_weak && !counts.determinate && (!holds || weak_holds) && (!fails || weak_fails)) return say(Verdict::weak);
  const auto could = [&](const Counts::Side& side) { return static_cast<double>(side.positive) * information_ >= useful * (1 - 1e-9); };
  if (!counts.determinate && !could(counts.holds) && (!fails || !could(counts.fails))) return;
  note_saved(literal, bits, counts, holds, fails);
  // A literal that brings in new variables without a gain may lead to one.
  if (holds && gained < kNothing && counts.new_variables > counts.constant_variables)
    gained = 0.0009 + 0.0001 * (counts.new_variables - counts.constant_variables);
  if (counts.determinate && holds && bindings_.n_positive > 1 && gained < settings_.determinate_below * most_ && sensible(literal)) {
    say(Verdict::determinate);
    determinate_.push_back({{literal, 0, true, 0, {}}, gained, counts.holds.total_extended, 0, 0, at});
    return;
  }
  if (holds && gained > kNothing) propose(literal, bits, counts.holds, gained, weak_holds, at);
  if (fails && lost > kNothing) propose(negation, bits, counts.fails, lost, weak_fails, negation_at);
}

// Where negative tuples were given, most others are neither: a literal that asks for those says nothing.
bool ClauseSearch::calls_known(const Literal& literal, const Counts& counts) const {
  if (world_.known >= world_.relations.size()) return true;
  // With a new variable to choose, some tuple that was given is found by chance.
  if (counts.new_variables > 0 && !counts.determinate) return false;
  Literal asked = literal;
  asked.relation = world_.known;
  const Access access(asked, bindings_.n_variables());
  const TupleIndex& index = indexes_.of(world_.known, access.pattern);
  const std::vector<const Code*> cells = given_cells(bindings_, access);
  std::size_t known = 0;
  for (std::size_t row = 0; row < bindings_.n_positive; ++row) known += index.group(cells, row) != TupleIndex::kNone ? 1U : 0U;
  return static_cast<double>(known) >= kKnownCalls * static_cast<double>(bindings_.n_positive);
}

// Among the best so far: by gain, then fewer bindings, then without a negation, then as they come.
void ClauseSearch::propose(const Literal& literal, double bits, const Counts::Side& side, double gained, bool weak_one, std::size_t at) {
  const auto better = [&](const Choice& held) {
    const double slack = 1e-9 * std::max(1.0, held.gain);
    if (gained > held.gain + slack) return true;
    if (gained < held.gain - slack) return false;
    if (side.total_extended != held.extended) return side.total_extended < held.extended;
    return !literal.negated && held.step.literal.negated;
  };
  std::size_t place = choices_.size();
  while (place > 0 && better(choices_[place - 1])) --place;
  if (place > settings_.max_reserves) return;
  Choice choice{
      {literal, bits, false, weak_one ? weak_ + 1 : 0, {}}, gained, side.total_extended, side.positive_origins, side.total_origins, at};
  choices_.insert(choices_.begin() + static_cast<std::ptrdiff_t>(place), std::move(choice));
  if (choices_.size() > settings_.max_reserves + 1) choices_.pop_back();
}

void ClauseSearch::note_saved(const Literal& literal, double bits, const Counts& counts, bool holds, bool fails) {
  const auto share = [](const Counts::Side& side) {
    return static_cast<double>(side.positive_origins) / static_cast<double>(std::max<u64>(side.total_origins, 1));
  };
  const bool take_holds = holds && (!fails || share(counts.holds) > share(counts.fails));
  const Counts::Side& side = take_holds ? counts.holds : counts.fails;
  const u64 best_positive = better_saved_ ? better_saved_->positive_origins : saved_positive_;
  const u64 best_total = better_saved_ ? better_saved_->total_origins : saved_total_;
  const double best = static_cast<double>(best_positive) / static_cast<double>(std::max<u64>(best_total, 1));
  if (share(side) < settings_.min_accuracy || share(side) < best || (share(side) == best && side.positive_origins <= best_positive)) return;
  Literal signed_literal = literal;
  signed_literal.negated = !take_holds;
  better_saved_ = Choice{{signed_literal, bits, false, 0, {}}, 0, side.total_extended, side.positive_origins, side.total_origins, 0};
}

// A determinate literal is of no use if all its variables come from determinate literals of its own relation.
bool ClauseSearch::sensible(const Literal& literal) const {
  const auto n_head = static_cast<Variable>(start_->columns.size());
  std::vector<u8> from_same(bindings_.n_variables(), 0);
  Variable known = n_head;
  for (const Step& step : steps_) {
    if (step.literal.negated || step.literal.asks != Asks::relation) continue;
    for (const Variable v : step.literal.args)
      if (v >= known) {
        from_same[v] = step.determinate && step.literal.relation == literal.relation ? 1 : 0;
      }
    for (const Variable v : step.literal.args) known = std::max(known, v + 1);
  }
  return std::any_of(literal.args.begin(), literal.args.end(),
                     [&](Variable v) { return v < n_head || (v < bindings_.n_variables() && !from_same[v]); });
}

double ClauseSearch::useful_gain() const {
  const double best = choices_.empty() ? 0 : choices_[0].gain;
  double least = settings_.reserve_above * best;
  if (choices_.size() > settings_.max_reserves) least = std::max(least, choices_.back().gain);
  return determinate_.empty() ? least : std::max(least, settings_.determinate_below * most_);
}

std::size_t ClauseSearch::traced(const Literal& literal, const Counts::Side& side, double gained, double bits, Verdict verdict) {
  ++trace_.n_weighed;
  if (!settings_.trace) return 0;
  trace_.weighed.push_back({clause_, step_, literal, side, gained, bits, verdict});
  return trace_.weighed.size() - 1;
}

}  // namespace tw::relational
