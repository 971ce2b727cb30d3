#include "relational/body.hpp"

#include <algorithm>
#include <numeric>

#include "base/errors.hpp"
#include "relational/distinct.hpp"

namespace tw::relational {

namespace {

// How often a variable stands in a clause: one that stands in a single negation is asked for nothing ("there is none").
std::vector<u32> uses_of(const Clause& clause, std::size_t n_variables) {
  std::vector<u32> uses(n_variables, 0);
  for (const Variable v : clause.head) ++uses[v];
  for (const Literal& literal : clause.body) {
    std::vector<Variable> own = literal.args;
    std::sort(own.begin(), own.end());
    own.erase(std::unique(own.begin(), own.end()), own.end());
    for (const Variable v : own) ++uses[v];
  }
  return uses;
}

bool binds(const Literal& literal) { return literal.asks == Asks::relation && !literal.negated; }

bool names(const Literal& literal) { return literal.asks == Asks::constant && !literal.negated; }

// The literal in terms of columns; variables without one get the next ones.
Literal in_columns(const Literal& literal, const Placed& placed, std::vector<Variable>& fresh) {
  Literal out = literal;
  u32 next = placed.bindings.n_variables();
  std::vector<u32> at = placed.at;
  for (Variable& v : out.args) {
    if (at[v] == kUnbound) {
      at[v] = next++;
      fresh.push_back(v);
    }
    v = at[v];
  }
  return out;
}

void add_column(Placed& placed, Variable variable, std::vector<Code> column, TypeId type) {
  placed.at[variable] = placed.bindings.n_variables();
  placed.bindings.columns.push_back(std::move(column));
  placed.bindings.types.push_back(type);
}

// Every binding with every constant of a type that relations hold.
void spread(Placed& placed, Variable variable, TypeId type, const World& world, u64 most, const JobControl& job) {
  std::vector<Code> codes(world.types[type].n_constants);
  std::iota(codes.begin(), codes.end(), Code{0});
  if (world.types[type].held) codes = *world.types[type].held;
  const u32 n = static_cast<u32>(codes.size());
  const Bindings& from = placed.bindings;
  if (n != 0 && from.size() > most / n) too_many(most);
  Bindings out;
  out.types = from.types;
  for (const auto& column : from.columns) {
    job.check();
    std::vector<Code> longer;
    longer.reserve(column.size() * n);
    for (const Code code : column) longer.insert(longer.end(), n, code);
    out.columns.push_back(std::move(longer));
  }
  std::vector<Code> constants;
  constants.reserve(from.size() * n);
  for (const u32 origin : from.origin) {
    out.origin.insert(out.origin.end(), n, origin);
    constants.insert(constants.end(), codes.begin(), codes.end());
  }
  out.n_positive = from.n_positive * n;
  placed.bindings = std::move(out);
  add_column(placed, variable, std::move(constants), type);
}

}  // namespace

std::vector<TypeId> types_of(const World& world, const Clause& clause) {
  Variable n = 0;
  for (const Variable v : clause.head) n = std::max(n, v + 1);
  for (const Literal& literal : clause.body)
    for (const Variable v : literal.args) n = std::max(n, v + 1);
  std::vector<TypeId> types(n, kUnbound);
  const auto take = [&](const std::vector<Variable>& args, const std::vector<TypeId>& of) {
    for (std::size_t i = 0; i < args.size(); ++i)
      if (types[args[i]] == kUnbound) types[args[i]] = of[i];
  };
  take(clause.head, world.relations[world.target].types);
  for (const Literal& literal : clause.body)
    if (literal.asks == Asks::relation) take(literal.args, world.relations[literal.relation].types);
  for (std::size_t again = 0; again <= clause.body.size(); ++again)
    for (const Literal& literal : clause.body) {
      if (literal.args.size() != 2 || literal.asks == Asks::relation) continue;
      for (const auto& [a, b] : {std::pair{0, 1}, std::pair{1, 0}})
        if (types[literal.args[static_cast<std::size_t>(a)]] == kUnbound)
          types[literal.args[static_cast<std::size_t>(a)]] = types[literal.args[static_cast<std::size_t>(b)]];
    }
  for (const TypeId type : types)
    if (type == kUnbound) throw Invalid("a variable of a clause stands in no relation");
  return types;
}

Placed placed_on(const std::vector<Variable>& variables, const std::vector<std::vector<Code>>& columns, std::size_t begin, std::size_t end,
                 const std::vector<TypeId>& types) {
  Placed out;
  out.at.assign(types.size(), kUnbound);
  std::vector<u32> rows;
  for (std::size_t row = begin; row < end; ++row) {
    bool fits = true;
    for (std::size_t i = 0; i < variables.size() && fits; ++i)
      for (std::size_t j = i + 1; j < variables.size() && fits; ++j)
        fits = variables[i] != variables[j] || (columns[i][row] == columns[j][row] && columns[i][row] != kMissing);
    if (fits) rows.push_back(static_cast<u32>(row));
  }
  out.bindings.origin = rows;
  for (std::size_t i = 0; i < variables.size(); ++i) {
    if (out.at[variables[i]] != kUnbound) continue;
    std::vector<Code> column;
    column.reserve(rows.size());
    for (const u32 row : rows) column.push_back(columns[i][row]);
    add_column(out, variables[i], std::move(column), types[variables[i]]);
  }
  return out;
}

namespace {

// Drops variables that neither the head nor an open literal asks for.
void forget_unused(Placed& placed, const Clause& clause, const std::vector<u32>& open) {
  std::vector<u8> wanted(placed.at.size(), 0);
  for (const Variable v : clause.head) wanted[v] = 1;
  for (const u32 i : open)
    for (const Variable v : clause.body[i].args) wanted[v] = 1;
  std::vector<std::vector<Code>> columns;
  std::vector<TypeId> types;
  bool dropped = false;
  std::vector<u32> at(placed.at.size(), kUnbound);
  for (Variable v = 0; v < placed.at.size(); ++v) {
    if (placed.at[v] == kUnbound) continue;
    if (!wanted[v]) {
      dropped = true;
      continue;
    }
    at[v] = static_cast<u32>(columns.size());
    columns.push_back(placed.bindings.columns[placed.at[v]]);
    types.push_back(placed.bindings.types[placed.at[v]]);
  }
  if (!dropped) return;
  // One binding of equal ones: the first.
  Distinct distinct(columns.size() + 1);
  std::size_t n = 0;
  for (std::size_t row = 0; row < placed.bindings.size(); ++row) {
    const u32 origin = placed.bindings.origin[row];
    if (!distinct.add([&](std::size_t i) { return i == 0 ? origin : columns[i - 1][row]; })) continue;
    placed.bindings.origin[n] = origin;
    for (auto& column : columns) column[n] = column[row];
    ++n;
  }
  placed.bindings.origin.resize(n);
  for (auto& column : columns) column.resize(n);
  placed.bindings.columns = std::move(columns);
  placed.bindings.types = std::move(types);
  placed.bindings.n_positive = 0;
  // A variable that was dropped counts as bound for nobody: no literal asks for it.
  placed.at = std::move(at);
}

}  // namespace

void carry_out(Placed& placed, const World& world, const Clause& clause, const std::vector<TypeId>& types, u32 skip, bool forget,
               Indexes& indexes, u64 most, const JobControl& job) {
  const std::vector<u32> uses = uses_of(clause, types.size());
  std::vector<u32> open;
  for (u32 i = 0; i < clause.body.size(); ++i)
    if (i != skip) open.push_back(i);
  const auto bound = [&](Variable v) { return placed.at[v] != kUnbound; };
  const auto apply = [&](const Literal& literal) {
    if (names(literal) && !bound(literal.args[0])) {
      const Variable v = literal.args[0];
      add_column(placed, v, std::vector<Code>(placed.bindings.size(), literal.constant), types[v]);
      return;
    }
    std::vector<Variable> fresh;
    const Literal own = in_columns(literal, placed, fresh);
    Bindings next = satisfying(placed.bindings, own, world, indexes, most, job);
    if (binds(literal))
      for (const Variable v : fresh) {
        if (bound(v)) continue;
        u32 n = placed.bindings.n_variables();
        for (const Variable w : fresh) {
          if (w == v) break;
          ++n;
        }
        placed.at[v] = n;
      }
    placed.bindings = std::move(next);
  };
  while (!open.empty()) {
    std::size_t best = open.size();
    std::size_t best_bound = 0;
    bool best_test = false;
    for (std::size_t i = 0; i < open.size() && !best_test; ++i) {
      const Literal& literal = clause.body[open[i]];
      std::size_t n_bound = 0;
      bool ready = true;  // x = c binds x where nothing has
      for (const Variable v : literal.args) {
        n_bound += bound(v) ? 1U : 0U;
        ready = ready && (bound(v) || names(literal) || (literal.negated && literal.asks == Asks::relation && uses[v] == 1));
      }
      if (ready) {
        best = i;
        best_test = true;
      } else if (binds(literal) && (best == open.size() || n_bound > best_bound)) {
        best = i;
        best_bound = n_bound;
      }
    }
    if (best < open.size()) {
      apply(clause.body[open[best]]);
      open.erase(open.begin() + static_cast<std::ptrdiff_t>(best));
      if (forget) forget_unused(placed, clause, open);
      continue;
    }
    // Only comparisons and negations are left, of variables that nothing binds; what stands in one negation alone stays unbound.
    const Literal& literal = clause.body[open[0]];
    const bool denies = literal.asks == Asks::relation;
    const Variable v =
        *std::find_if(literal.args.begin(), literal.args.end(), [&](Variable one) { return !bound(one) && !(denies && uses[one] == 1); });
    spread(placed, v, types[v], world, most, job);
  }
  for (const Variable v : clause.head)
    if (!bound(v)) spread(placed, v, types[v], world, most, job);
}

}  // namespace tw::relational
