// Bindings of the variables of a clause, one row each: what Quinlan calls tuples. They stand in the order of the tuples of the head that
// they come from, positive ones first.
#pragma once

#include <vector>

#include "base/errors.hpp"
#include "base/job_control.hpp"
#include "relational/literal.hpp"
#include "relational/tuple_index.hpp"

namespace tw::relational {

struct Bindings {
  std::vector<std::vector<Code>> columns;  // by variable
  std::vector<TypeId> types;               // by variable
  std::vector<u32> origin;                 // the tuple of the head
  std::size_t n_positive = 0;

  std::size_t size() const { return origin.size(); }
  Variable n_variables() const { return static_cast<Variable>(columns.size()); }
};

// How the arguments of a relation literal look from bindings with these variables: which cells are given and which variables are new.
struct Access {
  Access(const Literal& literal, Variable n_variables);

  Pattern pattern;
  std::vector<u32> new_at;  // per new variable, where it first stands
  std::vector<Variable> given;
};

// The columns of the given arguments.
std::vector<const Code*> given_cells(const Bindings& bindings, const Access& access);

// Whether nothing is known of one of the cells, so that neither a literal nor its negation holds.
inline bool unknown(const std::vector<const Code*>& cells, std::size_t row) {
  for (const Code* column : cells)
    if (column[row] == kMissing) return true;
  return false;
}

// Whether a comparison holds of a binding none of whose cells is missing; negation is the caller's.
inline bool compares(const Literal& literal, const Code* first, const Code* second, std::size_t row) {
  switch (literal.asks) {
    case Asks::same: return first[row] == second[row];
    case Asks::constant: return first[row] == literal.constant;
    case Asks::less: return first[row] < second[row];
    case Asks::above: return first[row] > literal.constant;
    case Asks::relation: break;
  }
  return false;
}

// The bindings that satisfy one more literal, extended by its new variables. More than `most` of them are refused. With `only_whether`
// nobody asks for the new variables: nothing is known of them, and every binding stays one.
Bindings satisfying(const Bindings& from, const Literal& literal, const World& world, Indexes& indexes, u64 most, const JobControl& job,
                    bool only_whether = false);

// Bindings beyond the cap, where whoever asked can do without them.
class TooManyBindings : public Invalid {
  using Invalid::Invalid;
};

// The refusal that names the cap and the remedy.
[[noreturn]] void too_many(u64 most);

}  // namespace tw::relational
