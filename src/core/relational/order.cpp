#include "relational/order.hpp"

#include <algorithm>
#include <numeric>

namespace tw::relational {

namespace {

struct Edges {
  std::vector<std::pair<Code, Code>> pairs;  // from the larger to the smaller
};

// Lengths of the longest chains below every constant; empty if some chain comes back to where it began. Kahn's order, from the ends up.
std::vector<u32> chain_lengths(const std::vector<const Edges*>& kept, const std::vector<u8>& turned, u32 n) {
  std::vector<u32> begin(n + 1, 0), open(n, 0), to;
  const auto each = [&](auto&& visit) {
    for (std::size_t e = 0; e < kept.size(); ++e)
      for (const auto& [first, second] : kept[e]->pairs) turned[e] ? visit(second, first) : visit(first, second);
  };
  each([&](Code upper, Code lower) {
    ++begin[lower + 1];
    ++open[upper];
  });
  std::partial_sum(begin.begin(), begin.end(), begin.begin());
  to.resize(begin[n]);
  std::vector<u32> at(begin.begin(), begin.end() - 1);
  each([&](Code upper, Code lower) { to[at[lower]++] = upper; });
  std::vector<u32> length(n, 0), ready;
  for (Code c = 0; c < n; ++c)
    if (open[c] == 0) ready.push_back(c);
  for (std::size_t i = 0; i < ready.size(); ++i) {
    const Code lower = ready[i];
    for (u32 k = begin[lower]; k < begin[lower + 1]; ++k) {
      const Code upper = to[k];
      length[upper] = std::max(length[upper], length[lower] + 1);
      if (--open[upper] == 0) ready.push_back(upper);
    }
  }
  if (ready.size() < n) return {};
  return length;
}

// Pairs of two arguments of one type, without those of equal constants, of which there may be none.
bool pairs_of(const Relation& relation, std::size_t i, std::size_t j, Edges& out) {
  for (std::size_t row = 0; row < relation.size(); ++row) {
    const Code a = relation.columns[i][row], b = relation.columns[j][row];
    if (a == kMissing || b == kMissing) continue;
    if (a == b) return false;
    out.pairs.emplace_back(a, b);
  }
  std::sort(out.pairs.begin(), out.pairs.end());
  out.pairs.erase(std::unique(out.pairs.begin(), out.pairs.end()), out.pairs.end());
  return !out.pairs.empty();
}

}  // namespace

void rank_constants(World& world, const JobControl& job) {
  for (TypeId type = 0; type < world.types.size(); ++type) {
    ConstantType& own = world.types[type];
    own.rank.clear();
    if (own.measured) {
      own.rank.resize(own.n_constants);
      std::iota(own.rank.begin(), own.rank.end(), 0U);
      continue;
    }
    std::vector<Edges> found;
    for (u32 r = 0; r < world.relations.size(); ++r) {
      if (r == world.target || r == world.known) continue;
      const Relation& relation = world.relations[r];
      for (std::size_t i = 0; i < relation.arity(); ++i)
        for (std::size_t j = i + 1; j < relation.arity(); ++j) {
          job.check();
          if (relation.types[i] != type || relation.types[j] != type) continue;
          Edges edges;
          if (pairs_of(relation, i, j, edges)) found.push_back(std::move(edges));
        }
    }
    std::stable_sort(found.begin(), found.end(), [](const Edges& a, const Edges& b) { return a.pairs.size() > b.pairs.size(); });
    std::vector<const Edges*> kept;
    std::vector<u8> turned;
    for (const Edges& edges : found) {
      kept.push_back(&edges);
      bool fits = false;
      for (const u8 turn : {u8{0}, u8{1}}) {
        job.check();
        turned.push_back(turn);
        std::vector<u32> rank = chain_lengths(kept, turned, own.n_constants);
        if ((fits = !rank.empty())) {
          own.rank = std::move(rank);
          break;
        }
        turned.pop_back();
      }
      if (!fits) kept.pop_back();
    }
  }
}

namespace {

Beside beside(const Bindings& bindings, const World& world, Variable head, Variable other) {
  if (head == other) return Beside::same;
  const TypeId type = bindings.types[head];
  const std::vector<u32>& rank = world.types[type].rank;
  if (bindings.types[other] != type || rank.empty() || bindings.size() == 0) return Beside::unknown;
  const Code* a = bindings.columns[head].data();
  const Code* b = bindings.columns[other].data();
  Beside all = Beside::unknown;
  for (std::size_t row = 0; row < bindings.size(); ++row) {
    if (a[row] == kMissing || b[row] == kMissing || rank[a[row]] == rank[b[row]]) return Beside::unknown;
    const Beside here = rank[b[row]] < rank[a[row]] ? Beside::below : Beside::above;
    if (row == 0) all = here;
    if (here != all) return Beside::unknown;
  }
  return all;
}

}  // namespace

Descent descent_of(const Bindings& bindings, const Literal& literal, const World& world) {
  Descent out;
  for (Variable i = 0; i < literal.args.size(); ++i)
    out.push_back(literal.args[i] < bindings.n_variables() ? beside(bindings, world, i, literal.args[i]) : Beside::unknown);
  return out;
}

bool ends(std::vector<Descent> calls) {
  const std::size_t arity = calls.empty() ? 0 : calls[0].size();
  std::vector<u8> used(arity, 0);
  while (!calls.empty()) {
    bool found = false;
    for (std::size_t i = 0; i < arity && !found; ++i) {
      if (used[i]) continue;
      const auto all = [&](Beside way) {
        return std::all_of(calls.begin(), calls.end(), [&](const Descent& call) { return call[i] == way || call[i] == Beside::same; });
      };
      const auto moves = [&](const Descent& call) { return call[i] != Beside::same; };
      if (!(all(Beside::below) || all(Beside::above)) || std::none_of(calls.begin(), calls.end(), moves)) continue;
      std::erase_if(calls, moves);
      used[i] = 1;
      found = true;
    }
    if (!found) return false;
  }
  return true;
}

Compared::Compared(const Bindings& bindings, const World& world, Variable n_head) : of_head_(n_head) {
  for (Variable head = 0; head < n_head; ++head)
    for (Variable other = 0; other < bindings.n_variables(); ++other) {
      const Beside way = beside(bindings, world, head, other);
      of_head_[head].push_back(way);
      any_ = any_ || way == Beside::below || way == Beside::above;
    }
}

Descent Compared::of(const std::vector<Variable>& args) const {
  Descent out;
  for (std::size_t i = 0; i < args.size(); ++i) out.push_back(args[i] < of_head_[i].size() ? of_head_[i][args[i]] : Beside::unknown);
  return out;
}

}  // namespace tw::relational
