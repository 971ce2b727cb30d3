// What may stand in the body of a clause.
#pragma once

#include <vector>

#include "relational/relation.hpp"

namespace tw::relational {

enum class Asks : u8 {
  relation,  // R(x, y, ...)
  same,      // x = y
  constant,  // x = c
  less,      // x < y
  above,     // x > c
};

struct Literal {
  Asks asks = Asks::relation;
  bool negated = false;
  u32 relation = 0;
  std::vector<Variable> args;
  Code constant = 0;

  friend bool operator==(const Literal&, const Literal&) = default;
};

// The head is R(0, 1, ...) unless variables are repeated there.
struct Clause {
  std::vector<Variable> head;
  std::vector<Literal> body;
};

}  // namespace tw::relational
