// The walk of contribution_walk.hpp: each of its files compiles it for its own instruction set.
#pragma once

#include "forest/contribution_walk.hpp"

namespace tw {

namespace {

#if defined(__AVX512F__)
constexpr u32 kWide = 8;
#else
constexpr u32 kWide = 2;
#endif

// As many numbers as a register holds, read from anywhere.
typedef double Wide __attribute__((vector_size(kWide * sizeof(double)), aligned(sizeof(double))));

// A number per lane.
struct Lanes {
  Wide part[kLanes / kWide];

  static Lanes all(double x) {
    return made([&](u32) { return Wide{} + x; });
  }
  template <class Make>
  static Lanes made(const Make& make) {
    Lanes out;
#pragma GCC unroll 8
    for (u32 p = 0; p < kLanes / kWide; ++p) out.part[p] = make(p);
    return out;
  }
  friend Lanes operator+(const Lanes& a, const Lanes& b) {
    return made([&](u32 p) { return a.part[p] + b.part[p]; });
  }
  friend Lanes operator-(const Lanes& a, const Lanes& b) {
    return made([&](u32 p) { return a.part[p] - b.part[p]; });
  }
  friend Lanes operator*(const Lanes& a, const Lanes& b) {
    return made([&](u32 p) { return a.part[p] * b.part[p]; });
  }
  friend Lanes operator*(double a, const Lanes& b) {
    return made([&](u32 p) { return a * b.part[p]; });
  }
};

inline Lanes rest(const Lanes& a) {
  return Lanes::made([&](u32 p) { return 1.0 - a.part[p]; });
}

inline Lanes* lanes(double* at) { return reinterpret_cast<Lanes*>(at); }
inline const Lanes* lanes(const double* at) { return reinterpret_cast<const Lanes*>(at); }

// What is kept of a level while its branches are walked.
struct Level {
  Lanes* reach;    // points: the share of the row that has come to the step
  Lanes* rate;     // points: reach, times what makes it count for the column of the step
  Lanes* taken;    // points: r of the branch that is walked
  Lanes* unknown;  // points: u below that branch
  Lanes* answers;  // sums x points: what the branches so far answer
  Lanes* own;      // b of that branch
  Lanes* share;    // s of that branch
};

inline Level level_at(const Walk& walk, u32 level) {
  const u32 n = walk.n_points;
  Lanes* at = lanes(walk.scratch + level * walk_level(n, walk.n_sums));
  return {at, at + n, at + 2 * n, at + 3 * n, at + 4 * n, at + (4 + walk.n_sums) * n, at + (4 + walk.n_sums) * n + 1};
}

// The shares in which rows take a branch of a step.
inline void shares_of(const WalkStep& step, u32 branch, const WalkRows& rows, Lanes* out) {
  if (step.asked >= 0) {
    *out = lanes(rows.asked)[static_cast<u32>(step.asked) + branch];
    return;
  }
  const Lanes x = lanes(rows.cells)[step.column];
  const Lanes first = Lanes::made([&](u32 p) {
    const Wide missing = x.part[p] != x.part[p] ? Wide{} + step.missing_first : Wide{};
    return x.part[p] <= step.cut ? Wide{} + 1.0 : missing;
  });
  *out = branch == 0 ? first : rest(first);
}

inline void enter(const Walk& walk, const WalkStep& step, const Level& here) {
  for (u32 i = 0; i < walk.n_sums * walk.n_points; ++i) here.answers[i] = Lanes::all(0);
  if (step.above < 0) {
    for (u32 q = 0; q < walk.n_points; ++q) here.rate[q] = walk.weight[q] * here.reach[q];
    return;
  }
  const Lanes* unknown = level_at(walk, static_cast<u32>(step.above)).unknown;
  for (u32 q = 0; q < walk.n_points; ++q) here.rate[q] = walk.again[q] * (unknown[q] * rest(unknown[q])) * here.reach[q];
}

// The share of every row that takes the branch, and how likely the column is unknown below it.
inline void take(const Walk& walk, const WalkStep& step, const WalkBranch& branch, const Level& here) {
  const Lanes own = *here.own;
  const Lanes share = *here.share;
  const Lanes* unknown = step.above < 0 ? nullptr : level_at(walk, static_cast<u32>(step.above)).unknown;
  for (u32 q = 0; q < walk.n_points; ++q) {
    const Lanes u = unknown == nullptr ? Lanes::all(1 - walk.at[q]) : unknown[q];
    const Lanes below = u * share;
    const Lanes r = below + rest(u) * own;
    here.taken[q] = r;
    // Where nothing comes, nothing is counted.
    if (branch.again) here.unknown[q] = Lanes::made([&](u32 p) { return r.part[p] > 0.0 ? below.part[p] / r.part[p] : Wide{}; });
  }
}

// A branch that is a leaf.
inline void add_leaf(const Walk& walk, const WalkStep& step, const WalkBranch& branch, const Level& here) {
  Lanes counts = Lanes::all(0);
  for (u32 q = 0; q < walk.n_points; ++q) counts = counts + here.rate[q];
  counts = counts * (*here.own - *here.share);
  for (u32 e = branch.begin; e < branch.end; ++e) {
    const WalkEntry entry = walk.entries[e];
    Lanes& sum = lanes(walk.sums)[step.column * walk.n_sums + entry.sum];
    sum = sum + entry.value * counts;
    Lanes* answers = here.answers + entry.sum * walk.n_points;
    for (u32 q = 0; q < walk.n_points; ++q) answers[q] = answers[q] + entry.value * here.taken[q];
  }
}

// A branch that led to a step, whose branches are walked.
inline void add_branch(const Walk& walk, const WalkStep& step, const Level& here, const Level& below) {
  const Lanes apart = *here.own - *here.share;
  for (u32 k = 0; k < walk.n_sums; ++k) {
    const Lanes* said = below.answers + k * walk.n_points;
    Lanes* answers = here.answers + k * walk.n_points;
    Lanes counts = Lanes::all(0);
    for (u32 q = 0; q < walk.n_points; ++q) {
      counts = counts + here.rate[q] * said[q];
      answers[q] = answers[q] + here.taken[q] * said[q];
    }
    Lanes& sum = lanes(walk.sums)[step.column * walk.n_sums + k];
    sum = sum + apart * counts;
  }
}

// Goes on to the step of a branch; false where no row comes there, whatever is known of it.
inline bool go_on(const Walk& walk, const Level& here, const Level& below) {
  Lanes come = Lanes::all(0);
  for (u32 q = 0; q < walk.n_points; ++q) {
    const Lanes reach = here.reach[q] * here.taken[q];
    below.reach[q] = reach;
    come = come + reach;
  }
  Wide any{};
  for (u32 p = 0; p < kLanes / kWide; ++p) any += come.part[p];  // a reference would want it where a whole register may be read
  for (u32 l = 0; l < kWide; ++l)
    if (any[l] > 0) return true;
  return false;
}

inline void run_walk(const Walk& walk) {
  u32* const places = walk.places;  // per level: the step, and the branch of it that is walked
  Level here = level_at(walk, 0);
  for (u32 q = 0; q < walk.n_points; ++q) here.reach[q] = Lanes::all(1);
  u32 level = 0;
  places[0] = 0;
  places[1] = 0;
  enter(walk, walk.steps[0], here);
  while (true) {
    const WalkStep& step = walk.steps[places[2 * level]];
    u32& at = places[2 * level + 1];
    if (at == step.n_branches) {
      if (level == 0) return;
      const Level below = here;
      --level;
      here = level_at(walk, level);
      add_branch(walk, walk.steps[places[2 * level]], here, below);
      ++places[2 * level + 1];
      continue;
    }
    const WalkBranch& branch = walk.branches[step.first_branch + at];
    shares_of(step, at, walk.rows, here.own);
    if (walk.others.cells != nullptr)
      shares_of(step, at, walk.others, here.share);
    else
      *here.share = Lanes::all(branch.share);
    take(walk, step, branch, here);
    if (branch.step < 0) {
      add_leaf(walk, step, branch, here);
      ++at;
      continue;
    }
    const Level below = level_at(walk, level + 1);
    if (!go_on(walk, here, below)) {
      ++at;
      continue;
    }
    ++level;
    here = below;
    places[2 * level] = static_cast<u32>(branch.step);
    places[2 * level + 1] = 0;
    enter(walk, walk.steps[branch.step], here);
  }
}

}  // namespace

}  // namespace tw
