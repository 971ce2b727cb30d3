#include "relational/clause_search.hpp"

#include <algorithm>

namespace tw::relational {

ClauseSearch::ClauseSearch(const World& world, const FoilSettings& settings, Indexes& indexes, const JobControl& job, Trace& trace)
    : world_(world), settings_(settings), indexes_(indexes), job_(job), trace_(trace) {}

Grown ClauseSearch::grow(const Bindings& start, const std::vector<Descent>& calls, u32 clause) {
  start_ = &start;
  calls_ = &calls;
  clause_ = clause;
  step_ = returns_ = 0;
  start_information_ = information(start.n_positive, start.size(), settings_.share);
  reserves_.clear();
  saved_.clear();
  saved_positive_ = saved_total_ = 0;
  come_to({});
  bool progress = true;
  while (progress && !exhausted() && bindings_.n_positive < bindings_.size()) {
    examine();
    if (better_saved_) {
      saved_ = steps_;
      saved_.push_back(better_saved_->step);
      saved_positive_ = better_saved_->positive_origins;
      saved_total_ = better_saved_->total_origins;
    }
    const double best = choices_.empty() ? 0 : choices_[0].gain;
    if (!determinate_.empty() && best < settings_.determinate_below * most_) {
      add_determinate();
    } else if (!choices_.empty()) {
      add_best();
    } else {
      progress = come_back();
    }
  }
  u64 positive = 0, total = 0;
  for (std::size_t row = 0; row < bindings_.size(); ++row)
    if (row == 0 || bindings_.origin[row] != bindings_.origin[row - 1]) {
      ++total;
      positive += row < bindings_.n_positive ? 1 : 0;
    }
  // The share of a clause without literals is what there was before.
  const double here = static_cast<double>(positive) * static_cast<double>(std::max<u64>(saved_total_, 1));
  const double there = static_cast<double>(saved_positive_) * static_cast<double>(std::max<u64>(total, 1));
  if (!saved_.empty() &&
      (there > here || (there == here && (saved_positive_ > positive || (saved_positive_ == positive && saved_.size() < steps_.size())))))
    come_to(saved_);
  return {std::move(steps_), std::move(bindings_)};
}

void ClauseSearch::add(Step step) {
  if (step.literal.asks == Asks::relation && step.literal.relation == world_.target)
    step.descent = descent_of(bindings_, step.literal, world_);
  const Variable before = bindings_.n_variables();
  u32 depth = 0;
  for (const Variable v : step.literal.args)
    if (v < before) depth = std::max(depth, variables_[v].depth);
  bindings_ = satisfying(bindings_, step.literal, world_, indexes_, settings_.max_tuples, job_);
  for (Variable v = before; v < bindings_.n_variables(); ++v) variables_.push_back({bindings_.types[v], depth + 1, false});
  clause_bits_ += step.bits;
  weak_ = step.weak;
  steps_.push_back(std::move(step));
}

void ClauseSearch::add_determinate() {
  const Variable before = bindings_.n_variables();
  const u32 weak_after = weak_ + 1;
  for (Choice& choice : determinate_) {
    Literal& literal = choice.step.literal;
    const u32 n_new = [&] {
      Variable most = before;
      for (const Variable v : literal.args) most = std::max(most, v + 1);
      return most - before;
    }();
    if (bindings_.n_variables() + n_new > settings_.max_variables) continue;
    for (Variable& v : literal.args)
      if (v >= before) v += bindings_.n_variables() - before;
    // A variable that repeats one of this batch in all positive bindings is that one.
    const Bindings tried = satisfying(bindings_, literal, world_, indexes_, settings_.max_tuples, job_);
    bool changed = false, any_new = false;
    std::vector<Variable> now(tried.n_variables());
    Variable next = bindings_.n_variables();
    for (Variable v = 0; v < tried.n_variables(); ++v) {
      now[v] = v;
      if (v < bindings_.n_variables()) continue;
      now[v] = kMissing;
      for (Variable w = before; w < bindings_.n_variables() && now[v] == kMissing; ++w)
        if (tried.types[w] == tried.types[v] &&
            std::equal(tried.columns[v].begin(), tried.columns[v].begin() + static_cast<std::ptrdiff_t>(tried.n_positive),
                       tried.columns[w].begin()))
          now[v] = w;
      changed = changed || now[v] != kMissing;
      if (now[v] == kMissing) {
        now[v] = next++;
        any_new = true;
      }
    }
    if (!any_new) continue;
    if (changed)
      for (Variable& v : literal.args) v = now[v];
    choice.step.weak = weak_after;
    add(choice.step);
  }
}

void ClauseSearch::add_best() {
  Choice best = choices_[0];
  if (settings_.trace) {
    trace_.weighed[best.traced].verdict = Verdict::chosen;
    for (std::size_t i = 1; i < choices_.size(); ++i)
      if (choices_[i].gain >= settings_.reserve_above * best.gain) trace_.weighed[choices_[i].traced].verdict = Verdict::reserved;
  }
  for (std::size_t i = 1; i < choices_.size(); ++i) {
    const Choice& other = choices_[i];
    if (other.gain < settings_.reserve_above * best.gain) continue;
    Counts::Side side;
    side.positive = side.positive_extended = other.positive_origins;
    side.total = side.total_extended = other.total_origins;
    Reserve reserve{steps_, gain(side, start_information_, settings_.share)};
    reserve.steps.push_back(other.step);
    const auto place = std::find_if(reserves_.begin(), reserves_.end(), [&](const Reserve& held) { return held.worth < reserve.worth; });
    reserves_.insert(place, std::move(reserve));
    if (reserves_.size() > settings_.max_returns) reserves_.pop_back();
  }
  // A literal of the head's variables alone, found after others were brought in, does without those: the clause is grown anew from it.
  const auto n_head = static_cast<Variable>(start_->columns.size());
  const auto of_head = [&](const Literal& literal) {
    return std::all_of(literal.args.begin(), literal.args.end(), [&](Variable v) { return v < n_head; });
  };
  const bool recursive = best.step.literal.asks == Asks::relation && best.step.literal.relation == world_.target;
  const bool all_determinate = std::all_of(steps_.begin(), steps_.end(), [](const Step& step) { return step.determinate; });
  if (!recursive && of_head(best.step.literal) && bindings_.n_variables() > n_head && !all_determinate) {
    std::vector<Step> steps;
    for (const Step& step : steps_)
      if (of_head(step.literal)) steps.push_back(step);
    steps.push_back(best.step);
    return come_to(std::move(steps));
  }
  add(std::move(best.step));
}

void ClauseSearch::come_to(std::vector<Step> steps) {
  steps_.clear();
  bindings_ = *start_;
  variables_.clear();
  for (const TypeId type : start_->types) variables_.push_back({type, 0, false});
  clause_bits_ = 0;
  weak_ = 0;
  for (Step& step : steps) add(std::move(step));
}

bool ClauseSearch::come_back() {
  if (reserves_.empty() || returns_ >= settings_.max_returns) return false;
  ++returns_;
  std::vector<Step> steps = std::move(reserves_[0].steps);
  reserves_.erase(reserves_.begin());
  come_to(std::move(steps));
  return true;
}

}  // namespace tw::relational
