#include "relational/weigh.hpp"

#include <algorithm>
#include <array>

#include "base/numbers.hpp"

namespace tw::relational {

namespace {

constexpr std::size_t kBlock = 1 << 14;

constexpr u32 kNoOrigin = std::numeric_limits<u32>::max();

// What the bindings of a block come to on one side: without branches, which literals make as hard to foresee as can be.
struct Tally {
  u64 bindings = 0, extended = 0, origins = 0;
  u32 last = kNoOrigin;  // bindings come in the order of their tuples of the head, which count once each

  void add(bool is, u64 n, u32 origin) {
    bindings += is ? 1U : 0U;
    extended += n;
    origins += is && origin != last ? 1U : 0U;
    last = is ? origin : last;
  }

  void move_to(Counts::Side& side, bool positive) {
    side.total += bindings;
    side.total_extended += extended;
    side.total_origins += origins;
    side.positive += positive ? bindings : 0;
    side.positive_extended += positive ? extended : 0;
    side.positive_origins += positive ? origins : 0;
    bindings = extended = origins = 0;
  }
};

// `extensions(row)`: how many a binding has, or -1 where a cell is missing.
template <class Extensions>
Counts counted(const Bindings& bindings, const JobControl& job, Needed needed, Extensions&& extensions) {
  Counts out;
  out.determinate = true;
  Tally held, failed;
  for (std::size_t begin = 0, end = 0; begin < bindings.size(); begin = end) {
    job.check();
    if (begin == bindings.n_positive && !out.determinate && static_cast<double>(out.holds.positive) < needed.holds &&
        static_cast<double>(out.fails.positive) < needed.fails) {
      out.abandoned = true;
      break;
    }
    const bool positive = begin < bindings.n_positive;
    end = std::min(positive ? bindings.n_positive : bindings.size(), begin + kBlock);
    const i64 least = positive ? 1 : -1;
    bool determinate = true;
    for (std::size_t row = begin; row < end; ++row) {
      const i64 found = extensions(row);
      const u32 origin = bindings.origin[row];
      determinate &= found >= least && found <= 1;
      held.add(found > 0, found > 0 ? static_cast<u64>(found) : 0, origin);
      failed.add(found == 0, found == 0 ? 1 : 0, origin);
    }
    out.determinate = out.determinate && determinate;
    held.move_to(out.holds, positive);
    failed.move_to(out.fails, positive);
  }
  return out;
}

}  // namespace

Counts count(const Bindings& bindings, const Literal& literal, Indexes& indexes, const JobControl& job, Needed needed) {
  if (literal.asks != Asks::relation) {
    const Code* first = bindings.columns[literal.args[0]].data();
    const Code* second = literal.args.size() > 1 ? bindings.columns[literal.args[1]].data() : first;
    Counts out = counted(bindings, job, {}, [&](std::size_t row) -> i64 {
      if (first[row] == kMissing || second[row] == kMissing) return -1;
      return compares(literal, first, second, row) ? 1 : 0;
    });
    out.determinate = false;
    return out;
  }
  const Access access(literal, bindings.n_variables());
  const TupleIndex& index = indexes.of(literal.relation, access.pattern);
  const std::vector<const Code*> cells = given_cells(bindings, access);
  Counts out = counted(bindings, job, needed, [&](std::size_t row) -> i64 {
    const u32 group = index.group(cells, row);
    return group == TupleIndex::kNone && unknown(cells, row) ? -1 : static_cast<i64>(index.count(group));
  });
  out.new_variables = static_cast<u32>(access.new_at.size());
  out.determinate = out.determinate && out.new_variables > 0;
  return out;
}

bool repeats(const Bindings& bindings, const Literal& literal, const World& world, Indexes& indexes, Counts& counts) {
  const Access access(literal, bindings.n_variables());
  const Relation& relation = world.relations[literal.relation];
  const TupleIndex& index = indexes.of(literal.relation, access.pattern);
  const std::vector<const Code*> cells = given_cells(bindings, access);
  struct Same {
    u32 at;           // position of the new variable
    const Code* old;  // cells of a variable that is bound, or
    u32 other;        // position of another new one
  };
  std::vector<Same> same;
  for (std::size_t i = 0; i < access.new_at.size(); ++i) {
    const u32 at = access.new_at[i];
    for (Variable v = 0; v < bindings.n_variables(); ++v)
      if (bindings.types[v] == relation.types[at]) same.push_back({at, bindings.columns[v].data(), 0});
    for (std::size_t j = i + 1; j < access.new_at.size(); ++j)
      if (relation.types[access.new_at[j]] == relation.types[at]) same.push_back({at, nullptr, access.new_at[j]});
  }
  std::vector<u32> constant = access.new_at;
  std::vector<Code> first_seen;
  for (std::size_t row = 0; row < bindings.size(); ++row) {
    const bool positive = row < bindings.n_positive;
    if ((!positive || same.empty()) && constant.empty()) break;
    const u32 group = index.group(cells, row);
    if (group == TupleIndex::kNone) continue;
    for (u32 tuple = index.first(group); tuple != TupleIndex::kNone; tuple = index.next(tuple)) {
      if (positive)
        std::erase_if(same, [&](const Same& pair) {
          const Code cell = relation.columns[pair.at][tuple];
          return cell != (pair.old != nullptr ? pair.old[row] : relation.columns[pair.other][tuple]);
        });
      if (first_seen.empty()) {
        for (const auto& column : relation.columns) first_seen.push_back(column[tuple]);
      } else {
        std::erase_if(constant, [&](u32 at) { return relation.columns[at][tuple] != first_seen[at]; });
      }
    }
  }
  counts.constant_variables = static_cast<u32>(constant.size());
  return !same.empty() && counts.holds.positive > 0;
}

double information(u64 positive, u64 total, double share) {
  const double negative = static_cast<double>(total - positive) / share;
  const double n = static_cast<double>(positive);
  return log2_of((n + negative) / n);
}

double gain(const Counts::Side& side, double information_before, double share) {
  if (side.positive == 0) return 0;
  return static_cast<double>(side.positive) * (information_before - information(side.positive_extended, side.total_extended, share));
}

bool best_threshold(const Bindings& bindings, Literal& literal, u32 n_constants, double information_before, double share, Counts& counts) {
  const std::vector<Code>& cells = bindings.columns[literal.args[0]];
  std::vector<std::array<u64, 2>> by_code(n_constants);
  Counts::Side known;
  for (std::size_t row = 0; row < cells.size(); ++row) {
    if (cells[row] == kMissing) continue;
    const bool positive = row < bindings.n_positive;
    ++by_code[cells[row]][positive ? 1 : 0];
    ++known.total;
    known.positive += positive ? 1U : 0U;
  }
  const auto side = [](u64 positive, u64 total) {
    Counts::Side out;
    out.positive = out.positive_extended = positive;
    out.total = out.total_extended = total;
    return out;
  };
  bool found = false;
  double best = 0;
  u64 positive = 0, total = 0;  // at or below the threshold
  for (Code code = 0; code < n_constants; ++code) {
    if (by_code[code][0] + by_code[code][1] == 0) continue;
    positive += by_code[code][1];
    total += by_code[code][0] + by_code[code][1];
    if (total == known.total) break;
    const double worth = std::max(gain(side(known.positive - positive, known.total - total), information_before, share),
                                  gain(side(positive, total), information_before, share));
    if (found && worth <= best) continue;
    found = true;
    best = worth;
    literal.constant = code;
  }
  if (!found) return false;
  const Code* column = cells.data();
  const JobControl job;
  counts = counted(bindings, job, {}, [&](std::size_t row) -> i64 {
    return column[row] == kMissing ? -1 : compares(literal, column, column, row) ? 1 : 0;
  });
  counts.determinate = false;
  return true;
}

}  // namespace tw::relational
