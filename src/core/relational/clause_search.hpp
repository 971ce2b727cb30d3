// One clause, grown literal by literal: the best of all that may come next, or the determinate ones together, with a way back to what was
// nearly as good (Quinlan 1990; Quinlan and Cameron-Jones 1993).
#pragma once

#include <optional>

#include "relational/choices.hpp"
#include "relational/order.hpp"
#include "relational/settings.hpp"

namespace tw::relational {

struct Step {
  Literal literal;
  double bits = 0;
  bool determinate = false;
  u32 weak = 0;     // literals without gain in a row, up to here
  Descent descent;  // of a recursive literal
};

struct Grown {
  std::vector<Step> steps;
  Bindings bindings;
};

class ClauseSearch {
 public:
  ClauseSearch(const World& world, const FoilSettings& settings, Indexes& indexes, const JobControl& job, Trace& trace);

  // Whether as much was looked at as may be.
  bool exhausted() const { return trace_.n_steps >= settings_.max_steps; }

  // `calls`: recursive literals of the clauses before.
  Grown grow(const Bindings& start, const std::vector<Descent>& calls, u32 clause);

 private:
  struct Choice {
    Step step;
    double gain = 0;
    u64 extended = 0, positive_origins = 0, total_origins = 0;
    std::size_t traced = 0;
  };
  struct Reserve {
    std::vector<Step> steps;
    double worth = 0;
  };

  void examine();
  std::vector<u64> count_choices();
  bool may_recur(u32 relation, const std::vector<Variable>& args) const;
  ChoiceLimits limits_of(u32 relation) const;
  void weigh(const Literal& literal, double bits, bool negatable, bool& prune);
  void propose(const Literal& literal, double bits, const Counts::Side& side, double gain, bool weak, std::size_t traced);
  void note_saved(const Literal& literal, double bits, const Counts& counts, bool holds, bool fails);
  bool calls_known(const Literal& literal, const Counts& counts) const;
  bool sensible(const Literal& literal) const;
  void add_determinate();
  void add_best();
  void add(Step step);
  void come_to(std::vector<Step> steps);
  bool come_back();
  double useful_gain() const;
  std::size_t traced(const Literal& literal, const Counts::Side& side, double gain, double bits, Verdict verdict);

  const World& world_;
  const FoilSettings& settings_;
  Indexes& indexes_;
  const JobControl& job_;
  Trace& trace_;

  // Of the clause.
  const Bindings* start_ = nullptr;
  const std::vector<Descent>* calls_ = nullptr;
  u32 clause_ = 0, step_ = 0, returns_ = 0;
  double start_information_ = 0;
  std::vector<Reserve> reserves_;
  std::vector<Step> saved_;
  u64 saved_positive_ = 0, saved_total_ = 0;

  // Of the state.
  std::vector<Step> steps_;
  Bindings bindings_;
  std::vector<VariableFacts> variables_;
  std::vector<u32> most_tied_;  // by relation
  Compared compared_;
  double information_ = 0, most_ = 0, clause_bits_ = 0;
  u32 weak_ = 0;
  std::vector<Choice> choices_, determinate_;
  std::optional<Choice> better_saved_;
};

}  // namespace tw::relational
