#include <string>
#include <utility>

#include "base/errors.hpp"
#include "relational/body.hpp"
#include "relational/evaluate.hpp"

namespace tw::relational {

namespace {

class Prover {
 public:
  Prover(const World& world, const std::vector<Clause>& clauses, const std::vector<u32>& round, const std::vector<u32>& by, u64 most,
         const JobControl& job)
      : world_(world), clauses_(clauses), round_(round), by_(by), most_(most), job_(job), indexes_(world) {
    for (const Clause& clause : clauses) types_.push_back(types_of(world, clause));
  }

  // The first binding under which the clause that found a tuple rests on earlier ones.
  Proved::Step step(u32 tuple) {
    job_.check();
    const Clause& clause = clauses_[by_[tuple]];
    const std::vector<TypeId>& types = types_[by_[tuple]];
    std::vector<std::vector<Code>> cells;
    for (const auto& column : world_.relations[world_.target].columns) cells.push_back({column[tuple]});
    Placed placed = placed_on(clause.head, cells, 0, 1, types);
    carry_out(placed, world_, clause, types, kUnbound, false, indexes_, most_, job_);
    for (std::size_t row = 0; row < placed.bindings.size(); ++row) {
      Proved::Step out{tuple, std::vector<Code>(types.size(), kMissing), {}};
      if (!rests(clause, placed, row, round_[tuple], out.rests_on)) continue;
      for (std::size_t v = 0; v < types.size(); ++v)
        if (placed.at[v] != kUnbound) out.cells[v] = placed.bindings.columns[placed.at[v]][row];
      return out;
    }
    throw Invalid("a tuple does not follow from the clause that found it");
  }

 private:
  bool rests(const Clause& clause, const Placed& placed, std::size_t row, u32 before, std::vector<u32>& on) {
    for (const Literal& literal : clause.body) {
      if (literal.asks != Asks::relation || literal.relation != world_.target) continue;
      std::vector<const Code*> cells;
      for (const Variable v : literal.args) cells.push_back(placed.bindings.columns[placed.at[v]].data());
      const TupleIndex& index = indexes_.of(world_.target, Pattern(literal.args.size(), 0));
      const u32 group = index.group(cells, row);
      if (group == TupleIndex::kNone || round_[index.first(group)] >= before) return false;
      on.push_back(index.first(group));
    }
    return true;
  }

  const World& world_;
  const std::vector<Clause>& clauses_;
  const std::vector<u32>& round_;
  const std::vector<u32>& by_;
  u64 most_;
  const JobControl& job_;
  Indexes indexes_;
  std::vector<std::vector<TypeId>> types_;
};

}  // namespace

Proved prove(const World& world, const std::vector<Clause>& clauses, const std::vector<u32>& round, const std::vector<u32>& clause,
             u32 goal, u64 most_steps, u64 most, const JobControl& job) {
  Prover prover(world, clauses, round, clause, most, job);
  Proved out;
  std::vector<u8> seen(round.size(), 0);
  std::vector<u32> open{goal};
  seen[goal] = 1;
  while (!open.empty()) {
    const u32 tuple = open.back();
    open.pop_back();
    if (out.steps.size() >= most_steps) throw Invalid("the proof rests on more than " + std::to_string(most_steps) + " tuples");
    out.steps.push_back(prover.step(tuple));
    for (const u32 other : out.steps.back().rests_on)
      if (!std::exchange(seen[other], u8{1})) open.push_back(other);
  }
  return out;
}

}  // namespace tw::relational
