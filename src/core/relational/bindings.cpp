#include "relational/bindings.hpp"

#include <algorithm>
#include <string>

#include "base/errors.hpp"

namespace tw::relational {

namespace {

constexpr std::size_t kBlock = 1 << 12;  // rows between two looks at the flag that ends a job

// Calls each(row) for all rows and looks at the flag now and then.
template <class Each>
void all_rows(std::size_t n_rows, const JobControl& job, Each&& each) {
  for (std::size_t begin = 0; begin < n_rows; begin += kBlock) {
    job.check();
    const std::size_t end = std::min(n_rows, begin + kBlock);
    for (std::size_t row = begin; row < end; ++row) each(row);
  }
}

Bindings chosen(const Bindings& from, const std::vector<u32>& rows) {
  Bindings out;
  out.types = from.types;
  out.columns.resize(from.columns.size());
  for (std::size_t v = 0; v < from.columns.size(); ++v) {
    out.columns[v].reserve(rows.size());
    for (const u32 row : rows) out.columns[v].push_back(from.columns[v][row]);
  }
  out.origin.reserve(rows.size());
  for (const u32 row : rows) out.origin.push_back(from.origin[row]);
  out.n_positive = static_cast<std::size_t>(std::lower_bound(rows.begin(), rows.end(), from.n_positive) - rows.begin());
  return out;
}

}  // namespace

void too_many(u64 most) {
  throw TooManyBindings("a literal gives more than max_tuples=" + std::to_string(most) +
                        " bindings: raise max_tuples, or give fewer tuples (negatives, negative_share)");
}

Access::Access(const Literal& literal, Variable n_variables) : pattern(literal.args.size(), 0) {
  std::vector<Variable> seen;
  for (u32 i = 0; i < literal.args.size(); ++i) {
    const Variable variable = literal.args[i];
    if (variable < n_variables) {
      given.push_back(variable);
      continue;
    }
    const auto found = std::find(seen.begin(), seen.end(), variable);
    pattern[i] = static_cast<u32>(found - seen.begin()) + 1;
    if (found == seen.end()) {
      seen.push_back(variable);
      new_at.push_back(i);
    }
  }
}

std::vector<const Code*> given_cells(const Bindings& bindings, const Access& access) {
  std::vector<const Code*> cells;
  cells.reserve(access.given.size());
  for (const Variable variable : access.given) cells.push_back(bindings.columns[variable].data());
  return cells;
}

Bindings satisfying(const Bindings& from, const Literal& literal, const World& world, Indexes& indexes, u64 most, const JobControl& job,
                    bool only_whether) {
  std::vector<u32> rows;
  if (literal.asks != Asks::relation) {
    const Code* first = from.columns[literal.args[0]].data();
    const Code* second = literal.args.size() > 1 ? from.columns[literal.args[1]].data() : first;
    all_rows(from.size(), job, [&](std::size_t row) {
      if (first[row] == kMissing || second[row] == kMissing) return;
      if (compares(literal, first, second, row) != literal.negated) rows.push_back(static_cast<u32>(row));
    });
    return chosen(from, rows);
  }
  const Access access(literal, from.n_variables());
  const TupleIndex& index = indexes.of(literal.relation, access.pattern);
  const std::vector<const Code*> cells = given_cells(from, access);
  if (literal.negated || access.new_at.empty() || only_whether) {
    all_rows(from.size(), job, [&](std::size_t row) {
      if (unknown(cells, row)) return;
      if ((index.group(cells, row) != TupleIndex::kNone) != literal.negated) rows.push_back(static_cast<u32>(row));
    });
    Bindings out = chosen(from, rows);
    if (!literal.negated)
      for (const u32 at : access.new_at) {
        out.columns.emplace_back(rows.size(), kMissing);
        out.types.push_back(world.relations[literal.relation].types[at]);
      }
    return out;
  }
  std::vector<u32> tuples;
  all_rows(from.size(), job, [&](std::size_t row) {
    const u32 group = index.group(cells, row);
    if (group == TupleIndex::kNone) return;
    if (rows.size() + index.count(group) > most) too_many(most);
    for (u32 tuple = index.first(group); tuple != TupleIndex::kNone; tuple = index.next(tuple)) {
      rows.push_back(static_cast<u32>(row));
      tuples.push_back(tuple);
    }
  });
  Bindings out = chosen(from, rows);
  const Relation& relation = world.relations[literal.relation];
  for (const u32 at : access.new_at) {
    std::vector<Code> column;
    column.reserve(tuples.size());
    for (const u32 tuple : tuples) column.push_back(relation.columns[at][tuple]);
    out.columns.push_back(std::move(column));
    out.types.push_back(relation.types[at]);
  }
  return out;
}

}  // namespace tw::relational
