#include "relational/clause_pruning.hpp"

#include <algorithm>
#include <map>

namespace tw::relational {

namespace {

// Variables in the order in which they first stand; false where a literal would come to stand without what binds it.
bool renumber(std::vector<Step>& steps, Variable n_head) {
  std::map<Variable, Variable> now;
  for (Variable v = 0; v < n_head; ++v) now[v] = v;
  Variable next = n_head;
  for (Step& step : steps) {
    Literal& literal = step.literal;
    const bool binds = literal.asks == Asks::relation && !literal.negated;
    bool any_old = false, all_old = true;
    for (const Variable v : literal.args) {
      const bool old = now.contains(v);
      any_old = any_old || old;
      all_old = all_old && old;
    }
    if (binds ? !any_old : !all_old) return false;
    for (Variable& v : literal.args) {
      if (!now.contains(v)) now[v] = next++;
      v = now[v];
    }
  }
  return true;
}

Bindings negatives_of(const Bindings& all) {
  Bindings out;
  out.types = all.types;
  const auto skip = static_cast<std::ptrdiff_t>(all.n_positive);
  for (const auto& column : all.columns) out.columns.emplace_back(column.begin() + skip, column.end());
  out.origin.assign(all.origin.begin() + skip, all.origin.end());
  return out;
}

u64 n_origins(const Bindings& bindings) {
  u64 n = 0;
  for (std::size_t row = 0; row < bindings.size(); ++row) n += row == 0 || bindings.origin[row] != bindings.origin[row - 1] ? 1U : 0U;
  return n;
}

// Whether variables that the literal at a place brings in stand in none behind it.
bool ends_there(const std::vector<Step>& steps, std::size_t at, Variable n_bound) {
  for (std::size_t i = at + 1; i < steps.size(); ++i)
    for (const Variable v : steps[i].literal.args)
      if (v >= n_bound && std::find(steps[at].literal.args.begin(), steps[at].literal.args.end(), v) != steps[at].literal.args.end())
        return false;
  return true;
}

bool recursive(const Step& step) { return !step.descent.empty(); }

}  // namespace

Bindings ClausePruning::carried(const std::vector<Step>& steps, Bindings bindings) const {
  for (std::size_t i = 0; i < steps.size(); ++i)
    bindings =
        satisfying(bindings, steps[i].literal, world_, indexes_, settings_.max_tuples, job_, ends_there(steps, i, bindings.n_variables()));
  return bindings;
}

std::vector<u8> ClausePruning::covered(const std::vector<Step>& steps, const Bindings& all) const {
  const Bindings bindings = carried(steps, all);
  std::vector<u8> out(all.size(), 0);
  for (const u32 origin : bindings.origin) out[origin] = 1;
  return out;
}

bool ClausePruning::fits(std::vector<Step>& steps, const Bindings& all, u64 most_errors, const std::vector<Descent>& calls) const {
  if (!renumber(steps, static_cast<Variable>(all.columns.size()))) return false;
  try {
    if (n_origins(carried(steps, negatives_of(all))) > most_errors) return false;
  } catch (const TooManyBindings&) {
    return false;
  }
  if (std::none_of(steps.begin(), steps.end(), recursive)) return true;
  std::vector<Descent> own = calls;
  Bindings bindings = all;
  for (Step& step : steps) {
    if (recursive(step)) own.push_back(step.descent = descent_of(bindings, step.literal, world_));
    if (&step != &steps.back()) bindings = satisfying(bindings, step.literal, world_, indexes_, settings_.max_tuples, job_);
  }
  return ends(std::move(own));
}

std::vector<Step> ClausePruning::pruned(std::vector<Step> steps, const Bindings& all, const std::vector<Descent>& calls) const {
  const std::vector<u8> now = covered(steps, all);
  const u64 errors = static_cast<u64>(std::count(now.begin() + static_cast<std::ptrdiff_t>(all.n_positive), now.end(), u8{1}));
  const auto n_head = static_cast<Variable>(all.columns.size());
  std::vector<Step> used;
  std::vector<u8> wanted;
  for (std::size_t i = steps.size(); i-- > 0;) {
    const std::vector<Variable>& args = steps[i].literal.args;
    const auto is_wanted = [&](Variable v) { return v >= n_head && v < wanted.size() && wanted[v]; };
    if (steps[i].determinate && std::none_of(args.begin(), args.end(), is_wanted)) continue;
    for (const Variable v : args) {
      if (v >= wanted.size()) wanted.resize(v + 1, 0);
      wanted[v] = 1;
    }
    used.insert(used.begin(), steps[i]);
  }
  if (!used.empty() && used.size() < steps.size() && fits(used, all, errors, calls)) steps = std::move(used);
  for (std::size_t i = steps.size(); i-- > 0 && steps.size() > 1;) {
    // The last literal was chosen for what it tells.
    if (i + 1 == steps.size() && !steps[i].determinate) continue;
    std::vector<Step> without = steps;
    without.erase(without.begin() + static_cast<std::ptrdiff_t>(i));
    if (fits(without, all, errors, calls)) steps = std::move(without);
  }
  renumber(steps, n_head);
  return steps;
}

}  // namespace tw::relational
