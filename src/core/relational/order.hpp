// When recursion ends. Arguments of background relations whose pairs never come back to where they began put the constants in an order in
// which no chain is endless; a recursive literal may stand where its arguments are below those of the head (Cameron-Jones and Quinlan
// 1993).
#pragma once

#include <vector>

#include "base/job_control.hpp"
#include "relational/bindings.hpp"

namespace tw::relational {

// Gives the constants of every type their rank: how long a chain below them is. Pairs of arguments are taken in turn, larger ones first,
// and kept, one way or the other, where the chains stay endless in neither. Numbers rank as they are.
void rank_constants(World& world, const JobControl& job);

// How an argument of a recursive literal compares with that of the head, in every binding.
enum class Beside : u8 { same, below, above, unknown };

// A recursive literal by its arguments.
using Descent = std::vector<Beside>;

Descent descent_of(const Bindings& bindings, const Literal& literal, const World& world);

// Whether some order of the arguments shows that chains of these literals end: an argument that always falls, or always rises, or stays;
// those that stay are told by the others.
bool ends(std::vector<Descent> calls);

// The comparisons of all variables with those of the head, for states in which many literals are tried.
class Compared {
 public:
  Compared() = default;
  Compared(const Bindings& bindings, const World& world, Variable n_head);

  Descent of(const std::vector<Variable>& args) const;
  bool any() const { return any_; }

 private:
  std::vector<std::vector<Beside>> of_head_;  // by variable of the head, by variable
  bool any_ = false;
};

}  // namespace tw::relational
