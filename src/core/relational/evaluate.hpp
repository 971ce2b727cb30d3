// What a program of clauses says of other relations: everything that follows, found round by round from what was new in the round before
// (semi-naive evaluation), or which of given tuples a clause covers.
#pragma once

#include <vector>

#include "relational/bindings.hpp"

namespace tw::relational {

struct Derived {
  std::vector<std::vector<Code>> columns;
  std::vector<u32> round, clause;  // when a tuple was found first, and by which clause
};

// All tuples of the target that follow; the target's own tuples in `world` are not looked at. A variable of the head that no literal binds
// takes all constants of its type. More than `most` tuples or bindings are refused.
Derived evaluate(World world, const std::vector<Clause>& clauses, u64 most, JobControl& job);

// Why a tuple follows: tuples of the target, each with a clause and a binding of its variables, under which the clause rests on tuples of
// earlier rounds alone. The first step is the tuple itself; every tuple stands once.
struct Proved {
  struct Step {
    u32 tuple = 0;              // of the target
    std::vector<Code> cells;    // by variable of its clause; kMissing of variables that only a negation has
    std::vector<u32> rests_on;  // tuples of the target, by recursive literal
  };
  std::vector<Step> steps;
};

// The target's tuples in `world` are those that follow, `round` and `clause` as `evaluate` tells them. More than `most_steps` are refused.
Proved prove(const World& world, const std::vector<Clause>& clauses, const std::vector<u32>& round, const std::vector<u32>& clause,
             u32 goal, u64 most_steps, u64 most, const JobControl& job);

// Which of the given tuples of the head a clause covers, and by which binding of its variables: the first one found.
struct Covered {
  std::vector<u8> covered;                 // by tuple
  std::vector<std::vector<Code>> columns;  // by variable; kMissing where there is none, and of variables that only a negation has
};

// The target stands for its tuples in `world`.
Covered cover(const World& world, const Clause& clause, const std::vector<std::vector<Code>>& tuples, u64 most, const JobControl& job);

}  // namespace tw::relational
