// One branch per declared level (nominal) or per interval (discretised), empty ones included.
#pragma once

#include "search/family.hpp"

namespace tw {

template <Criterion C>
class MultiwaySearch {
 public:
  using Cell = typename AtColumn<C>::Cell;
  using Cells = typename AtColumn<C>::Cells;

  static std::optional<Candidate> run(const AtColumn<C>& at, const Groups<typename C::Stat>& groups) {
    const std::size_t width = at.width;
    Cells branches(std::size_t{at.column.n_codes} * width, 0);
    for (std::size_t g = 0; g < groups.size(); ++g)
      std::copy_n(groups[g], width, branches.begin() + static_cast<std::ptrdiff_t>(groups.codes[g] * width));
    Found found;
    if (at.tries_missing_branches()) {
      if (const auto missing_branch = best_missing_branch(at, branches, groups.codes)) {
        Cells with = branches;
        add_cells(with.data() + *missing_branch * width, at.rows.missing, width);
        found.consider(at, with, static_cast<i32>(*missing_branch));
      }
    } else if (at.spreads()) {
      Cells with = branches;
      for (std::size_t b = 0; b * width < with.size(); ++b) at.add_share(with.data() + b * width);
      found.consider(at, with, kNowhere);
    } else if (!(at.own_branch() && groups.size() <= 1)) {
      found.consider(at, branches, kNowhere);
    }
    if (auto presence = at.presence(AtColumn<C>::Scale::sums, found.score, found.any, groups.size() <= 1)) return presence;
    if (!found.any) return std::nullopt;
    Split split;
    if (at.column.discretised) {
      split.family = Family::discretised;
      for (std::size_t i = 0; i < at.column.edges.size(); ++i) {
        const Edge& edge = at.column.edges[i];
        split.cuts.push_back({edge.at, edge.below, edge.above, static_cast<u32>(i)});
      }
    } else {
      split.family = Family::multiway;
      for (Code level = 0; level < at.column.n_codes; ++level) {
        split.levels.push_back(level);
        split.branch_of.push_back(level);
      }
    }
    return at.finish(std::move(split), std::move(branches), found.score, 1, found.missing_branch);
  }

 private:
  // The branch that loses least by taking in the missing rows; of equals the one with more present weight, then the lower.
  static std::optional<Code> best_missing_branch(const AtColumn<C>& at, const Cells& branches, const std::vector<Code>& codes) {
    const auto weight = [&](Code code) { return at.c.stat.weight(branches.data() + code * at.width); };
    std::size_t enough = 0;
    for (const Code code : codes) enough += weight(code) >= at.least();
    std::optional<Code> best;
    double least_loss = 0;
    for (const Code code : codes) {
      const Cell* present = branches.data() + code * at.width;
      std::copy_n(present, at.width, at.one);
      add_cells(at.one, at.rows.missing, at.width);
      const bool grows = weight(code) < at.least() && at.c.stat.weight(at.one) >= at.least();
      if (codes.size() < 2 || enough + grows < 2) continue;
      const double loss = at.c.worth(present) - at.c.worth(at.one);
      if (!best || loss < least_loss || (loss == least_loss && weight(code) > weight(*best))) {
        best = code;
        least_loss = loss;
      }
    }
    return best;
  }

  struct Found {
    double score = 0;
    i32 missing_branch = kNowhere;
    bool any = false;

    void consider(const AtColumn<C>& at, const Cells& branches, i32 where) {
      double sum = 0;
      int filled = 0;
      int enough = 0;
      for (std::size_t b = 0; b * at.width < branches.size(); ++b) {
        const i64 w = at.c.stat.weight(branches.data() + b * at.width);
        if (w == 0) continue;
        ++filled;
        enough += w >= at.least();
        sum += at.c.worth(branches.data() + b * at.width);
      }
      if (at.own_branch()) {
        ++filled;
        enough += at.rows.missing_weight >= at.least();
      }
      if (filled < 2 || enough < 2) return;
      if (!any || sum > score) *this = {sum, where, true};
    }
  };
};

template <>
struct FamilySearch<Family::multiway> {
  template <Criterion C>
  static std::optional<Candidate> best(const AtColumn<C>& at, const Groups<typename C::Stat>& groups) {
    return MultiwaySearch<C>::run(at, groups);
  }
};

// Intervals are levels in order.
template <>
struct FamilySearch<Family::discretised> {
  template <Criterion C>
  static std::optional<Candidate> best(const AtColumn<C>& at, const Groups<typename C::Stat>& groups) {
    return MultiwaySearch<C>::run(at, groups);
  }
};

}  // namespace tw
