// Three intervals of an ordered column. All pairs of cuts at boundary points (Fayyad and Irani 1992: a cut inside a run of one
// class is never best), on prefix summaries; a grid of them where they are too many.
#pragma once

#include "search/cut_pairs.hpp"
#include "search/threshold.hpp"

namespace tw {

template <Criterion C>
class TernarySearch {
 public:
  using Cell = typename AtColumn<C>::Cell;
  using Cells = typename AtColumn<C>::Cells;

  static std::optional<Candidate> run(const AtColumn<C>& at, const Groups<typename C::Stat>& groups) {
    const std::size_t width = at.width;
    const auto cuts = at.own_too_light() ? std::vector<std::size_t>{} : places(at, groups);
    Cells below(cuts.size() * width, 0);  // rows below each cut
    Cells sum(width, 0);
    for (std::size_t g = 0, k = 0; k < cuts.size(); ++g) {
      add_cells(sum.data(), groups[g], width);
      if (g == cuts[k]) std::copy_n(sum.begin(), width, below.begin() + static_cast<std::ptrdiff_t>(k++ * width));
    }
    Best best;
    u64 tried = 0;
    Cells branches(3 * width);
    for (std::size_t i = 0; i < cuts.size(); ++i) {
      branches.assign(2 * width, 0);
      put(branches, 0, &below[i * width], nullptr, width);
      put(branches, 1, at.rows.present, &below[i * width], width);
      judge(at, branches, {i, i}, 0, best, tried);
    }
    // A second cut must pay for itself by more than rounding.
    const double margin = kNoise * static_cast<double>(at.targets.weight) * std::max(1.0, at.targets.facts.impurity / at.c.unit());
    if (kPairsByParts && !at.tries_missing_branches() && !at.spreads()) {
      // Where no single cut leaves enough on both sides, no pair does.
      const CutPair pair = best.any ? CutPairs<C>(at.c, below, at.rows.present, at.least()).best(best.score + margin) : CutPair{};
      if (pair.any) best = {pair.score, pair.first, pair.second, kNowhere, true};
      tried += u64{cuts.size()} * (cuts.size() - 1) / 2;
    } else {
      every_pair(at, below, cuts.size(), margin, best, tried);
    }
    if (auto presence = at.presence(AtColumn<C>::Scale::sums, best.score, best.any, groups.size() <= 1)) return presence;
    if (!best.any) return std::nullopt;
    Split split;
    split.strict = at.settings.strict;
    const auto cut_at = [&](std::size_t k) {
      return make_cut(at.settings, groups.value(at.column, cuts[k]), groups.value(at.column, cuts[k] + 1), groups.codes[cuts[k]]);
    };
    split.cuts.push_back(cut_at(best.first));
    branches.assign(width, 0);
    put(branches, 0, &below[best.first * width], nullptr, width);
    if (best.second != best.first) {
      split.cuts.push_back(cut_at(best.second));
      branches.resize(2 * width);
      put(branches, 1, &below[best.second * width], &below[best.first * width], width);
    }
    split.family = split.cuts.size() == 2 ? Family::ternary : Family::threshold;
    branches.resize(branches.size() + width);
    put(branches, split.cuts.size(), at.rows.present, &below[best.second * width], width);
    return at.finish(std::move(split), std::move(branches), best.score, tried, best.missing_branch);
  }

 private:
  static constexpr bool kPairsByParts = requires { requires C::kConcave; };

  struct Best {
    double score = 0;
    std::size_t first = 0;
    std::size_t second = 0;  // the same as `first` for a single cut
    i32 missing_branch = kNowhere;
    bool any = false;
  };

  static void every_pair(const AtColumn<C>& at, const Cells& below, std::size_t n, double margin, Best& best, u64& tried) {
    const std::size_t width = at.width;
    Cells branches(3 * width, 0);
    for (std::size_t i = 0; i < n; ++i) {
      put(branches, 0, &below[i * width], nullptr, width);
      for (std::size_t j = i + 1; j < n; ++j) {
        put(branches, 1, &below[j * width], &below[i * width], width);
        put(branches, 2, at.rows.present, &below[j * width], width);
        judge(at, branches, {i, j}, best.first == best.second ? margin : 0, best, tried);
      }
    }
  }

  static void put(Cells& branches, std::size_t b, const Cell* cells, const Cell* minus, std::size_t width) {
    std::copy_n(cells, width, branches.begin() + static_cast<std::ptrdiff_t>(b * width));
    if (minus != nullptr) subtract_cells(branches.data() + b * width, minus, width);
  }

  static std::vector<std::size_t> places(const AtColumn<C>& at, const Groups<typename C::Stat>& groups) {
    std::vector<std::size_t> cuts;
    for (std::size_t g = 0; g + 1 < groups.size(); ++g)
      if (!inside_run(at, groups, g)) cuts.push_back(g);
    if (cuts.empty())  // the present rows are of one class
      for (std::size_t g = 0; g + 1 < groups.size(); ++g) cuts.push_back(g);
    if (cuts.size() <= at.settings.max_ternary) return cuts;
    std::vector<std::size_t> grid;
    const std::size_t n = at.settings.ternary_grid;
    for (std::size_t i = 0; i < n; ++i) grid.push_back(cuts[(2 * i + 1) * cuts.size() / (2 * n)]);
    return grid;
  }

  static bool inside_run(const AtColumn<C>& at, const Groups<typename C::Stat>& groups, std::size_t g) {
    if constexpr (C::kClasses) {
      // A branch that takes the missing rows must keep present rows, so the best place may lie inside a run then.
      if (at.settings.min_leaf > 1 || at.tries_missing_branches()) return false;
      const std::size_t k = at.width - 1;
      for (std::size_t j = 0; j < k; ++j)
        if (groups[g][j] == groups[g][k]) return groups[g + 1][j] == groups[g + 1][k];
    }
    return false;
  }

  static void judge(const AtColumn<C>& at, const Cells& branches, std::pair<std::size_t, std::size_t> cuts, double margin, Best& best,
                    u64& tried) {
    const std::size_t n = branches.size() / at.width;
    const auto cells = [&](std::size_t b) { return branches.data() + b * at.width; };
    const auto consider = [&](double score, i32 missing_branch) {
      if (!best.any || score > best.score + margin) best = {score, cuts.first, cuts.second, missing_branch, true};
    };
    ++tried;
    const i64 least = at.least();
    if (at.tries_missing_branches()) {
      // Branches for the missing rows in order of present weight, so that equal scores leave the heavier branch in place.
      std::vector<std::size_t> missing_branches(n);
      for (std::size_t b = 0; b < n; ++b) missing_branches[b] = b;
      std::stable_sort(missing_branches.begin(), missing_branches.end(),
                       [&](std::size_t a, std::size_t b) { return at.c.stat.weight(cells(a)) > at.c.stat.weight(cells(b)); });
      for (const std::size_t missing_branch : missing_branches) {
        double score = 0;
        bool enough = true;
        for (std::size_t b = 0; b < n; ++b) {
          std::copy_n(cells(b), at.width, at.one);
          if (b == missing_branch) add_cells(at.one, at.rows.missing, at.width);
          enough = enough && at.c.stat.weight(at.one) >= least;
          score += at.c.worth(at.one);
        }
        if (enough) consider(score, static_cast<i32>(missing_branch));
      }
      return;
    }
    double score = 0;
    for (std::size_t b = 0; b < n; ++b) {
      std::copy_n(cells(b), at.width, at.one);
      if (at.spreads()) at.add_share(at.one);
      if (at.c.stat.weight(at.one) < least) return;
      score += at.c.worth(at.one);
    }
    consider(score, kNowhere);
  }
};

template <>
struct FamilySearch<Family::ternary> {
  template <Criterion C>
  static std::optional<Candidate> best(const AtColumn<C>& at, const Groups<typename C::Stat>& groups) {
    return TernarySearch<C>::run(at, groups);
  }
};

}  // namespace tw
