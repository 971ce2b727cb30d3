#include "relational/evaluate.hpp"

#include <algorithm>

#include "base/errors.hpp"
#include "relational/body.hpp"
#include "relational/distinct.hpp"

namespace tw::relational {

namespace {

class Rounds {
 public:
  Rounds(World& world, u64 most, JobControl& job)
      : world_(world), indexes_(world), most_(most), job_(job), distinct_(world.relations[world.target].arity()) {
    for (auto& column : relation().columns) column.clear();
  }

  Relation& relation() { return world_.relations[world_.target]; }

  // Takes what a body gives, once the round is over.
  void take(const Placed& placed, const Clause& clause, u32 which) {
    const Bindings& found = placed.bindings;
    std::vector<const Code*> head;
    for (const Variable v : clause.head) head.push_back(found.columns[placed.at[v]].data());
    for (std::size_t row = 0; row < found.size(); ++row) {
      if ((row & 0xfff) == 0) job_.check();
      if (unknown(head, row) || !distinct_.add([&](std::size_t i) { return head[i][row]; })) continue;
      if (out_.round.size() >= most_) too_many(most_);
      for (std::size_t i = 0; i < head.size(); ++i) next_[i].push_back(head[i][row]);
      out_.round.push_back(round_);
      out_.clause.push_back(which);
    }
  }

  Derived run(const std::vector<Clause>& clauses) {
    std::vector<std::vector<TypeId>> types;
    for (const Clause& clause : clauses) types.push_back(types_of(world_, clause));
    next_.resize(relation().arity());
    const auto recursive = [&](const Literal& literal) { return literal.asks == Asks::relation && literal.relation == world_.target; };
    for (u32 c = 0; c < clauses.size(); ++c) {
      if (std::any_of(clauses[c].body.begin(), clauses[c].body.end(), recursive)) continue;
      Placed placed;
      placed.bindings.origin = {0};
      placed.at.assign(types[c].size(), kUnbound);
      carry_out(placed, world_, clauses[c], types[c], kUnbound, true, indexes_, most_, job_);
      take(placed, clauses[c], c);
    }
    std::size_t begin = 0;
    std::size_t end = settle();
    while (begin < end) {
      ++round_;
      for (u32 c = 0; c < clauses.size(); ++c)
        for (u32 i = 0; i < clauses[c].body.size(); ++i) {
          const Literal& literal = clauses[c].body[i];
          if (!recursive(literal)) continue;
          if (literal.negated) throw Invalid("a clause denies the relation that it defines: such programs have no one meaning");
          Placed placed = placed_on(literal.args, relation().columns, begin, end, types[c]);
          std::fill(placed.bindings.origin.begin(), placed.bindings.origin.end(), 0U);
          carry_out(placed, world_, clauses[c], types[c], i, true, indexes_, most_, job_);
          take(placed, clauses[c], c);
        }
      begin = end;
      end = settle();
    }
    out_.columns = relation().columns;
    return std::move(out_);
  }

 private:
  // What is new becomes part of the relation.
  std::size_t settle() {
    for (std::size_t i = 0; i < next_.size(); ++i) {
      auto& column = relation().columns[i];
      column.insert(column.end(), next_[i].begin(), next_[i].end());
      next_[i].clear();
    }
    job_.done = relation().size();
    return relation().size();
  }

  World& world_;
  Indexes indexes_;
  u64 most_;
  JobControl& job_;
  Distinct distinct_;
  std::vector<std::vector<Code>> next_;
  u32 round_ = 0;
  Derived out_;
};

}  // namespace

Derived evaluate(World world, const std::vector<Clause>& clauses, u64 most, JobControl& job) {
  return Rounds(world, most, job).run(clauses);
}

Covered cover(const World& world, const Clause& clause, const std::vector<std::vector<Code>>& tuples, u64 most, const JobControl& job) {
  const std::vector<TypeId> types = types_of(world, clause);
  Indexes indexes(world);
  const std::size_t n = tuples.empty() ? 0 : tuples[0].size();
  Placed placed = placed_on(clause.head, tuples, 0, n, types);
  carry_out(placed, world, clause, types, kUnbound, false, indexes, most, job);
  Covered out;
  out.covered.assign(n, 0);
  out.columns.assign(types.size(), std::vector<Code>(n, kMissing));
  for (std::size_t row = 0; row < placed.bindings.size(); ++row) {
    const u32 tuple = placed.bindings.origin[row];
    if (std::exchange(out.covered[tuple], u8{1})) continue;
    for (std::size_t v = 0; v < types.size(); ++v)
      if (placed.at[v] != kUnbound) out.columns[v][tuple] = placed.bindings.columns[placed.at[v]][row];
  }
  return out;
}

}  // namespace tw::relational
