// What FOIL is told, and what it tells of its way. Defaults are those of FOIL 6.4.
#pragma once

#include <string>
#include <vector>

#include "base/types.hpp"
#include "relational/literal.hpp"
#include "relational/weigh.hpp"

namespace tw::relational {

struct FoilSettings {
  bool negated_relations = true;
  bool negated_comparisons = true;
  double min_accuracy = 0.8;       // of a clause
  double determinate_below = 0.8;  // of the largest possible gain: below it determinate literals are added
  double reserve_above = 0.8;      // of the gain of the best literal: what is kept to come back to
  u32 max_reserves = 4;            // beside one literal
  u32 max_returns = 20;            // for one clause
  u32 max_weak = 3;                // literals in a row that gain nothing
  u32 max_depth = 4;               // of a variable
  u32 max_variables = 100;
  u64 max_tuples = 10'000'000;
  u64 max_steps = 5'000'000'000;  // bindings looked at, over all literals that are weighed
  bool coding_limit = true;
  double share = 1;  // of the negative tuples that were drawn
  bool trace = false;
};

enum class Verdict : u8 { weighed, chosen, determinate, reserved, repeats, long_code, weak, nothing, unknown, too_many };

// A literal that was weighed; `negated` in the literal says which side the numbers are of.
struct Weighed {
  u32 clause = 0, step = 0;
  Literal literal;
  Counts::Side side;
  double gain = 0, bits = 0;
  Verdict verdict = Verdict::weighed;
};

// A state in which a literal was looked for.
struct State {
  u32 clause = 0, step = 0;
  std::vector<Literal> body;
  u64 positive = 0, total = 0;
  double information = 0, bits_left = 0;
};

struct Trace {
  std::vector<State> states;
  std::vector<Weighed> weighed;
  u64 n_steps = 0, n_weighed = 0, n_skipped = 0, n_too_many = 0;
};

}  // namespace tw::relational
