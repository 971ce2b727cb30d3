// The body of a clause carried out on bindings of some of its variables, in an order in which every literal finds what it needs.
#pragma once

#include <vector>

#include "relational/bindings.hpp"

namespace tw::relational {

inline constexpr u32 kUnbound = std::numeric_limits<u32>::max();

// Bindings, and where the variables of the clause stand in them.
struct Placed {
  Bindings bindings;
  std::vector<u32> at;  // by variable of the clause: its column, or kUnbound
};

// The types of the variables of a clause, told by its head and its literals.
std::vector<TypeId> types_of(const World& world, const Clause& clause);

// Carries out all literals but one that was carried out before (`skip`, or kUnbound), and binds the variables of the head to all constants
// of their type where no literal does. Literals go as early as all they need is bound, those that bind variables with most of them bound.
// With `forget`, variables that nothing asks for any more are dropped, and bindings that become equal by that are one.
void carry_out(Placed& placed, const World& world, const Clause& clause, const std::vector<TypeId>& types, u32 skip, bool forget,
               Indexes& indexes, u64 most, const JobControl& job);

// Bindings of variables to the rows of columns, where equal variables hold the same constant.
Placed placed_on(const std::vector<Variable>& variables, const std::vector<std::vector<Code>>& columns, std::size_t begin, std::size_t end,
                 const std::vector<TypeId>& types);

}  // namespace tw::relational
