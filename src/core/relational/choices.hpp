// All literals that may come next: arguments of a relation, and comparisons of variables. General ones come before those that they
// subsume, which may then be left out. No recursion: arities are as large as tables are wide.
#pragma once

#include <algorithm>
#include <vector>

#include "relational/literal.hpp"

namespace tw::relational {

struct VariableFacts {
  TypeId type = 0;
  u32 depth = 0;
  bool barred = false;  // always holds what another one holds
};

// How far lists of arguments are looked at. A wide relation of one type has more of them than can be counted.
struct ChoiceLimits {
  u32 max_depth = 0, max_variables = 0;
  u32 most_tied = std::numeric_limits<u32>::max();   // arguments that are not new variables standing there first
  u64 most_steps = std::numeric_limits<u64>::max();  // of the enumeration
};

// Calls visit(args), which returns whether the literals that this one subsumes are left out. Arguments below variables.size() are bound,
// the next numbers are new variables in order of appearance; at least one is bound. Returns whether all of them were looked at.
template <class Visit>
bool each_choice(const Relation& relation, const std::vector<VariableFacts>& variables, const World& world, const ChoiceLimits& limits,
                 Visit&& visit) {
  const auto [max_depth, max_variables, most_tied, most_steps] = limits;
  const u32 n_bound = static_cast<u32>(variables.size());
  const u32 arity = static_cast<u32>(relation.arity());
  struct Level {
    u32 next = 0;   // variable to try here
    u32 n_new = 0;  // new variables before this position
    u32 n_tied = 0;
    u32 depth = 0;  // of the variables bound so far
    bool any_old = false, any_new = false;
  };
  std::vector<Level> levels(arity + 1);
  std::vector<Variable> args(arity, 0);
  std::vector<TypeId> new_types;
  u32 at = 0;
  bool general = true;  // whether this beginning is looked at for the first time with nothing but new variables behind it
  for (u64 steps = 0; steps < most_steps; ++steps) {
    Level& here = levels[at];
    if (general) {
      general = false;
      const u32 rest = arity - at;
      const bool opens = rest > 0 || here.any_new;
      if (here.any_old && n_bound + here.n_new + rest <= max_variables && (!opens || here.depth < max_depth)) {
        for (u32 i = at; i < arity; ++i) args[i] = n_bound + here.n_new + (i - at);
        if (visit(args) && rest > 0) here.next = n_bound + here.n_new + 1;  // nothing more here
      }
    }
    if (at == arity || here.next > n_bound + here.n_new) {
      if (at == 0) return true;
      --at;
      new_types.resize(levels[at].n_new);
      continue;
    }
    const u32 v = here.next++;
    const TypeId type = relation.types[at];
    const bool fresh = v == n_bound + here.n_new;
    if (fresh) {
      // The last position as a new variable is the general choice, which was visited above.
      if (at + 1 == arity || n_bound + here.n_new + 1 > max_variables) continue;
    } else if (here.n_tied == most_tied) {
      here.next = n_bound + here.n_new;  // nothing but a new variable
      continue;
    } else if (v < n_bound) {
      if (relation.only_new[at] || world.types[type].measured || variables[v].type != type || variables[v].barred) continue;
    } else if (new_types[v - n_bound] != type || relation.only_new[at] || world.types[type].measured) {
      continue;
    }
    const bool old = v < n_bound;
    const u32 depth = old ? std::max(here.depth, variables[v].depth) : here.depth;
    if (depth + (here.any_new || !old ? 1 : 0) > max_depth) continue;
    if (relation.symmetric && at == 1 && v < args[0]) continue;
    args[at] = v;
    Level& next = levels[at + 1];
    next = {0, here.n_new + (fresh ? 1 : 0), here.n_tied + (fresh ? 0 : 1), depth, here.any_old || old, here.any_new || !old};
    if (fresh) new_types.push_back(type);
    ++at;
    // A new variable here with new ones behind was visited one position before.
    general = !fresh;
  }
  return false;
}

// Calls visit(args, constant) for all comparisons of one kind; thresholds are still to be found.
template <class Visit>
void each_comparison(Asks asks, const std::vector<VariableFacts>& variables, const World& world, Visit&& visit) {
  const u32 n = static_cast<u32>(variables.size());
  for (Variable a = 0; a < n; ++a) {
    const ConstantType& type = world.types[variables[a].type];
    if (variables[a].barred) continue;
    if (asks == Asks::constant) {
      for (const Code code : type.named) visit(std::vector<Variable>{a}, code);
    } else if (asks == Asks::above) {
      if (type.measured) visit(std::vector<Variable>{a}, Code{0});
    } else {
      for (Variable b = asks == Asks::same ? a + 1 : 0; b < n; ++b) {
        if (b == a || variables[b].barred || variables[b].type != variables[a].type) continue;
        if (asks == Asks::same || type.measured) visit(std::vector<Variable>{a, b}, Code{0});
      }
    }
  }
}

}  // namespace tw::relational
