// Relations and clauses for Python: learning by FOIL, what follows from clauses, and which tuples they cover.
#include <algorithm>

#include "bind/arrays.hpp"
#include "bind/casters.hpp"
#include "bind/rooms.hpp"
#include "bind/watch.hpp"
#include "relational/evaluate.hpp"
#include "relational/foil.hpp"

namespace tw::bind {

namespace {

namespace rel = tw::relational;

using Codes = nb::ndarray<const u32, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

std::vector<std::vector<Code>> columns_of(const nb::list& arrays) {
  std::vector<std::vector<Code>> out;
  for (const nb::handle each : arrays) {
    const auto array = nb::cast<Codes>(each);
    out.emplace_back(array.data(), array.data() + array.shape(0));
    if (out.back().size() != out.front().size()) throw Invalid("the columns of a relation differ in length");
    if (out.back().size() > kMaxRows) throw Invalid("a relation has more than 2^32 - 2 tuples");
  }
  return out;
}

// `types`: (n_constants, measured, named codes, codes that relations hold or None); `relations`: (types, columns, only_new, symmetric).
rel::World world_of(const nb::list& types, const nb::list& relations, u32 target) {
  rel::World world;
  for (const nb::handle each : types) {
    const auto type = nb::cast<nb::tuple>(each);
    rel::ConstantType own{nb::cast<u32>(type[0]), nb::cast<bool>(type[1]), nb::cast<std::vector<u32>>(type[2]), {}, {}};
    if (!type[3].is_none()) own.held = nb::cast<std::vector<u32>>(type[3]);
    for (const auto* codes : {&own.named, own.held ? &*own.held : &own.named})
      for (const Code code : *codes)
        if (code >= own.n_constants) throw Invalid("a type has an unknown constant");
    world.types.push_back(std::move(own));
  }
  for (const nb::handle each : relations) {
    const auto given = nb::cast<nb::tuple>(each);
    rel::Relation relation;
    relation.types = nb::cast<std::vector<u32>>(given[0]);
    relation.columns = columns_of(nb::cast<nb::list>(given[1]));
    for (const bool one : nb::cast<std::vector<bool>>(given[2])) relation.only_new.push_back(one ? 1 : 0);
    relation.symmetric = nb::cast<bool>(given[3]);
    if (relation.columns.empty() || relation.columns.size() != relation.types.size() || relation.only_new.size() != relation.types.size())
      throw Invalid("a relation needs a column, a type and a mode per argument");
    for (std::size_t i = 0; i < relation.types.size(); ++i) {
      if (relation.types[i] >= world.types.size()) throw Invalid("a relation has an unknown type");
      for (const Code code : relation.columns[i])
        if (code != kMissing && code >= world.types[relation.types[i]].n_constants) throw Invalid("a relation has an unknown constant");
    }
    world.relations.push_back(std::move(relation));
  }
  if (target >= world.relations.size()) throw Invalid("there is no such target");
  world.target = target;
  return world;
}

// (asks, negated, relation, args, constant)
rel::Literal literal_of(const nb::handle& from, const rel::World& world) {
  const auto given = nb::cast<nb::tuple>(from);
  const u32 asks = nb::cast<u32>(given[0]);
  if (asks > static_cast<u32>(rel::Asks::above)) throw Invalid("a literal asks for something unknown");
  rel::Literal out{static_cast<rel::Asks>(asks), nb::cast<bool>(given[1]), nb::cast<u32>(given[2]), nb::cast<std::vector<u32>>(given[3]),
                   nb::cast<u32>(given[4])};
  const bool two = out.asks == rel::Asks::same || out.asks == rel::Asks::less;
  if (out.asks == rel::Asks::relation) {
    if (out.relation >= world.relations.size() || world.relations[out.relation].arity() != out.args.size())
      throw Invalid("a literal does not fit its relation");
  } else if (out.args.size() != (two ? 2U : 1U)) {
    throw Invalid("a comparison has the wrong number of variables");
  }
  for (const rel::Variable v : out.args)
    if (v > 100'000) throw Invalid("a clause has too many variables");
  return out;
}

rel::Clause clause_of(const nb::handle& from, const rel::World& world) {
  const auto given = nb::cast<nb::tuple>(from);
  rel::Clause out;
  out.head = nb::cast<std::vector<u32>>(given[0]);
  if (out.head.size() != world.relations[world.target].arity()) throw Invalid("the head of a clause does not fit its relation");
  for (const rel::Variable v : out.head)
    if (v > 100'000) throw Invalid("a clause has too many variables");
  for (const nb::handle each : nb::cast<nb::list>(given[1])) out.body.push_back(literal_of(each, world));
  return out;
}

std::vector<rel::Clause> clauses_of(const nb::list& from, const rel::World& world) {
  std::vector<rel::Clause> out;
  for (const nb::handle each : from) out.push_back(clause_of(each, world));
  return out;
}

nb::tuple literal_state(const rel::Literal& literal) {
  return nb::make_tuple(static_cast<u32>(literal.asks), literal.negated, literal.relation, literal.args, literal.constant);
}

nb::list body_state(const std::vector<rel::Literal>& body) {
  nb::list out;
  for (const rel::Literal& literal : body) out.append(literal_state(literal));
  return out;
}

rel::FoilSettings settings_of(const nb::dict& given) {
  rel::FoilSettings out;
  const auto take = [&]<class T>(const char* name, T& to) { to = nb::cast<T>(given[name]); };
  take("negated_relations", out.negated_relations);
  take("negated_comparisons", out.negated_comparisons);
  take("min_accuracy", out.min_accuracy);
  take("determinate_below", out.determinate_below);
  take("reserve_above", out.reserve_above);
  take("max_reserves", out.max_reserves);
  take("max_returns", out.max_returns);
  take("max_weak", out.max_weak);
  take("max_depth", out.max_depth);
  take("max_variables", out.max_variables);
  take("max_tuples", out.max_tuples);
  take("max_steps", out.max_steps);
  take("coding_limit", out.coding_limit);
  take("share", out.share);
  take("trace", out.trace);
  return out;
}

constexpr const char* kVerdicts[] = {"weighed", "chosen", "determinate", "reserved", "repeats",
                                     "long",    "weak",   "nothing",     "unknown",  "too many"};

nb::dict trace_state(const rel::Trace& trace) {
  nb::list states, weighed;
  for (const rel::State& state : trace.states)
    states.append(
        nb::make_tuple(state.clause, state.step, body_state(state.body), state.positive, state.total, state.information, state.bits_left));
  for (const rel::Weighed& one : trace.weighed)
    weighed.append(nb::make_tuple(one.clause, one.step, literal_state(one.literal), one.side.positive, one.side.positive_extended,
                                  one.side.total_extended, one.gain, one.bits, kVerdicts[static_cast<std::size_t>(one.verdict)]));
  nb::dict out;
  out["states"] = states;
  out["weighed"] = weighed;
  out["n_weighed"] = trace.n_weighed;
  out["n_steps"] = trace.n_steps;
  out["n_too_many"] = trace.n_too_many;
  return out;
}

}  // namespace

void add_relational(nb::module_& module) {
  module.def(
      "learn_foil",
      [](const nb::list& types, const nb::list& relations, u32 target, const nb::list& examples, u64 n_positive, bool given_negatives,
         const nb::dict& options, const nb::object& progress) {
        rel::World world = world_of(types, relations, target);
        rel::Examples given{columns_of(examples), n_positive};
        if (given.columns.size() != world.relations[target].arity() || n_positive > given.columns[0].size())
          throw Invalid("the tuples to learn from do not fit the target");
        for (std::size_t i = 0; i < given.columns.size(); ++i)
          for (const Code code : given.columns[i])
            if (code >= world.types[world.relations[target].types[i]].n_constants) throw Invalid("a tuple has an unknown constant");
        const rel::FoilSettings settings = settings_of(options);
        if (given_negatives) {
          world.known = static_cast<u32>(world.relations.size());
          world.relations.push_back(world.relations[target]);
          world.relations.back().columns = given.columns;
        }
        rel::Learned learned;
        JobControl job;
        job.total = n_positive;
        watched(job, progress, [&] { learned = rel::learn_foil(std::move(world), given, settings, job); });
        nb::list clauses;
        for (const rel::LearnedClause& one : learned.clauses)
          clauses.append(
              nb::make_tuple(one.clause.head, body_state(one.clause.body), one.positive, one.negative, one.new_positive, one.bits));
        nb::dict out;
        out["clauses"] = clauses;
        out["positive"] = learned.positive;
        out["negative"] = learned.negative;
        out["trace"] = trace_state(learned.trace);
        return out;
      },
      nb::arg("types"), nb::arg("relations"), nb::arg("target"), nb::arg("examples"), nb::arg("n_positive"), nb::arg("given_negatives"),
      nb::arg("options"), nb::arg("progress").none(), "Clauses that define a relation, by FOIL.");
  module.def(
      "derive",
      [](const nb::list& types, const nb::list& relations, u32 target, const nb::list& clauses, u64 most, const nb::object& progress) {
        rel::World world = world_of(types, relations, target);
        const std::vector<rel::Clause> program = clauses_of(clauses, world);
        rel::Derived derived;
        JobControl job;
        watched(job, progress, [&] { derived = rel::evaluate(std::move(world), program, most, job); });
        nb::list columns;
        for (auto& column : derived.columns) columns.append(give(std::move(column)));
        return nb::make_tuple(columns, give(std::move(derived.round)), give(std::move(derived.clause)));
      },
      nb::arg("types"), nb::arg("relations"), nb::arg("target"), nb::arg("clauses"), nb::arg("most"), nb::arg("progress").none(),
      "All tuples that follow from clauses: their columns, the round in which each was found, and the clause that found it.");
  module.def(
      "prove",
      [](const nb::list& types, const nb::list& relations, u32 target, const nb::list& clauses, const Codes& rounds, const Codes& found_by,
         u32 goal, u64 most_steps, u64 most) {
        const rel::World world = world_of(types, relations, target);
        const std::vector<rel::Clause> program = clauses_of(clauses, world);
        const std::size_t n = world.relations[target].size();
        const std::vector<u32> round(rounds.data(), rounds.data() + rounds.size()), by(found_by.data(), found_by.data() + found_by.size());
        if (round.size() != n || by.size() != n || goal >= n) throw Invalid("the tuples that follow do not fit");
        for (const u32 clause : by)
          if (clause >= program.size()) throw Invalid("a tuple was found by no clause");
        rel::Proved proved;
        JobControl job;
        watched(job, nb::none(), [&] { proved = rel::prove(world, program, round, by, goal, most_steps, most, job); });
        nb::list out;
        for (const auto& step : proved.steps) out.append(nb::make_tuple(step.tuple, step.cells, step.rests_on));
        return out;
      },
      nb::arg("types"), nb::arg("relations"), nb::arg("target"), nb::arg("clauses"), nb::arg("rounds"), nb::arg("found_by"),
      nb::arg("goal"), nb::arg("most_steps"), nb::arg("most"),
      "Why a tuple follows: every tuple that it rests on, with the cells of its clause and the tuples that it rests on in turn.");
  module.def(
      "cover_clause",
      [](const nb::list& types, const nb::list& relations, u32 target, const nb::tuple& clause, const nb::list& tuples, u64 most) {
        const rel::World world = world_of(types, relations, target);
        const rel::Clause own = clause_of(clause, world);
        const std::vector<std::vector<Code>> given = columns_of(tuples);
        if (given.size() != own.head.size()) throw Invalid("the tuples do not fit the head of the clause");
        rel::Covered covered;
        JobControl job;
        watched(job, nb::none(), [&] { covered = rel::cover(world, own, given, most, job); });
        nb::list columns;
        for (auto& column : covered.columns) columns.append(give(std::move(column)));
        return nb::make_tuple(give(std::move(covered.covered)), columns);
      },
      nb::arg("types"), nb::arg("relations"), nb::arg("target"), nb::arg("clause"), nb::arg("tuples"), nb::arg("most"),
      "Which tuples a clause covers, and the first binding of its variables for each.");
  module.def(
      "weigh_literal",
      [](const nb::list& types, const nb::list& relations, u32 target, const nb::list& bindings, const std::vector<u32>& variable_types,
         u64 n_positive, const nb::tuple& literal) {
        const rel::World world = world_of(types, relations, target);
        rel::Bindings own;
        own.columns = columns_of(bindings);
        own.types = variable_types;
        own.n_positive = n_positive;
        if (own.columns.empty() || own.types.size() != own.columns.size() || n_positive > own.columns[0].size())
          throw Invalid("the bindings do not fit");
        for (std::size_t v = 0; v < own.types.size(); ++v) {
          if (own.types[v] >= world.types.size()) throw Invalid("a variable has an unknown type");
          for (const Code code : own.columns[v])
            if (code != kMissing && code >= world.types[own.types[v]].n_constants) throw Invalid("a binding has an unknown constant");
        }
        for (u32 i = 0; i < own.columns[0].size(); ++i) own.origin.push_back(i);
        const rel::Literal asked = literal_of(literal, world);
        const rel::Variable n = own.n_variables();
        if (std::none_of(asked.args.begin(), asked.args.end(), [&](rel::Variable v) { return v < n; }))
          throw Invalid("a literal has no variable that is bound");
        for (std::size_t i = 0; i < asked.args.size(); ++i) {
          const rel::Variable v = asked.args[i];
          if (v >= n && (asked.negated || asked.asks != rel::Asks::relation)) throw Invalid("only relations bring in new variables");
          if (v < n && asked.asks == rel::Asks::relation && own.types[v] != world.relations[asked.relation].types[i])
            throw Invalid("a variable has another type than the argument that it stands for");
        }
        rel::Indexes indexes(world);
        const JobControl job;
        const rel::Counts counts = rel::count(own, asked, indexes, job);
        const rel::Counts::Side& side = asked.negated ? counts.fails : counts.holds;
        return nb::make_tuple(side.positive, side.positive_extended, side.total_extended,
                              rel::gain(side, rel::information(n_positive, own.size(), 1), 1));
      },
      nb::arg("types"), nb::arg("relations"), nb::arg("target"), nb::arg("bindings"), nb::arg("variable_types"), nb::arg("n_positive"),
      nb::arg("literal"), "Positive bindings that keep an extension, what becomes of them and of all, and the gain of a literal.");
}

}  // namespace tw::bind
