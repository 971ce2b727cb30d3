// Two branches of a nominal column: one level against the rest, or two sets of levels. Sets are found in order of class share or
// mean where that is optimal (Breiman et al. 1984, section 4.2), by trying all where few levels occur, and in the orders of the
// most frequent classes beyond.
#pragma once

#include <numeric>

#include "search/at_once.hpp"
#include "search/family.hpp"

namespace tw {

template <Criterion C>
class SubsetSearch {
 public:
  using Cell = typename AtColumn<C>::Cell;
  using Cells = typename AtColumn<C>::Cells;

  SubsetSearch(const AtColumn<C>& at, const Groups<typename C::Stat>& groups) : at_(at), groups_(groups), at_once_(at, groups) {}

  // The best score alone.
  static std::optional<double> best_score(const AtColumn<C>& at, Family family, const Groups<typename C::Stat>& groups) {
    SubsetSearch search(at, groups);
    search.try_family(family);
    return search.any_ ? std::optional<double>(search.score_) : std::nullopt;
  }

  static std::optional<Candidate> one_vs_rest(const AtColumn<C>& at, const Groups<typename C::Stat>& groups) {
    SubsetSearch search(at, groups);
    search.try_family(Family::one_vs_rest);
    return search.result(Family::one_vs_rest);
  }

  static std::optional<Candidate> sets(const AtColumn<C>& at, const Groups<typename C::Stat>& groups) {
    SubsetSearch search(at, groups);
    search.try_family(Family::subset);
    return search.result(Family::subset);
  }

 private:
  using Set = std::vector<std::size_t>;  // groups in the first branch

  // Whether these two branches are the best so far; if so, they are remembered as such.
  bool better(const Cell* first, const Cell* second) {
    const auto judged = at_.score_two(first, second);
    if (!judged.allowed || (any_ && !(judged.score > score_))) return false;
    any_ = true;
    score_ = judged.score;
    missing_branch_ = judged.missing_branch;
    return true;
  }

  void try_family(Family family) {
    if (at_.own_too_light() || groups_.size() < 2) return;
    if (at_.settings.drawn) return try_drawn(family);
    if (family == Family::subset) {
      try_sets();
      return;
    }
    tried_ = groups_.size();
    for (std::size_t g = 0; g < groups_.size(); ++g) try_set({g});
  }

  // Levels go to the first branch by the toss of a coin each, or one of them does; some level goes to either branch.
  void try_drawn(Family family) {
    const u64 drawn = drawn_for(at_.targets, at_.index);
    const auto draw = [&](std::size_t g) { return mix(drawn, groups_.codes[g]); };
    Set set;
    std::size_t lowest = 0;
    for (std::size_t g = 0; g < groups_.size(); ++g) {
      if (family == Family::subset && (draw(g) & 1) != 0) set.push_back(g);
      if (draw(g) < draw(lowest)) lowest = g;
    }
    if (set.empty()) set.push_back(lowest);
    if (set.size() == groups_.size()) set.erase(set.begin() + static_cast<std::ptrdiff_t>(lowest));
    tried_ = 1;
    try_set(std::move(set));
  }

  void try_set(Set set) {
    Cells first(at_.width, 0);
    for (const std::size_t g : set) add_cells(first.data(), groups_[g], at_.width);
    Cells second(at_.rows.present, at_.rows.present + at_.width);
    subtract_cells(second.data(), first.data(), at_.width);
    if (better(first.data(), second.data())) set_ = std::move(set);
  }

  void try_sets() {
    // In order of share; equal ones stay in level order. Quotients too close to trust are compared as fractions of whole numbers.
    const auto ascending = [&](auto share) {
      std::vector<Item>& items = items_;
      items.resize(groups_.size());
      for (std::size_t g = 0; g < items.size(); ++g)
        items[g] = {static_cast<double>(share(g)) / static_cast<double>(at_.c.stat.weight(groups_[g])), g};
      std::sort(items.begin(), items.end(), [&](const Item& a, const Item& b) {
        // Counts are exact in double precision, so their quotients are rounded once and never change order; sums of steps may.
        const double close = C::kClasses ? 0 : 1e-15 * (std::fabs(a.quotient) + std::fabs(b.quotient));
        if (std::fabs(a.quotient - b.quotient) > close) return a.quotient < b.quotient;
        const i128 left = static_cast<i128>(share(a.group)) * at_.c.stat.weight(groups_[b.group]);
        const i128 right = static_cast<i128>(share(b.group)) * at_.c.stat.weight(groups_[a.group]);
        return left != right ? left < right : a.group < b.group;
      });
      order_.clear();
      for (const Item& item : items) order_.push_back(item.group);
      try_order(order_);
    };
    if constexpr (C::kClasses) {
      const u32 k = at_.c.stat.k;
      if (k >= at_.settings.fewest_for_all && groups_.size() <= at_.settings.max_exhaustive_levels)
        try_all();
      else if (k <= 2)
        ascending([&](std::size_t g) { return groups_[g][0]; });
      else
        for (const u32 j : frequent_classes(k)) ascending([&](std::size_t g) { return groups_[g][j]; });
    } else {
      ascending([&](std::size_t g) { return groups_[g][1]; });
    }
  }

  std::vector<u32> frequent_classes(u32 k) const {
    std::vector<u32> order(k);
    std::iota(order.begin(), order.end(), 0U);
    const auto more = [&](u32 a, u32 b) { return at_.rows.present[a] > at_.rows.present[b]; };
    std::stable_sort(order.begin(), order.end(), more);
    order.resize(std::min(k, at_.settings.max_orders));
    return order;
  }

  // Scores not above do not matter.
  double floor() const { return any_ ? score_ : -std::numeric_limits<double>::infinity(); }

  void try_order(const Set& order) {
    tried_ += order.size() - 1;
    if constexpr (AtOnce<C>::kPossible) {
      if (at_once_.applies()) {
        const auto n = static_cast<std::ptrdiff_t>(at_once_.best_start(order, floor()));
        if (n > 0) try_set({order.begin(), order.begin() + n});
        return;
      }
    }
    Cells& first = first_;
    Cells& second = second_;
    first.assign(at_.width, 0);
    second.assign(at_.rows.present, at_.rows.present + at_.width);
    std::size_t best = 0;
    for (std::size_t i = 0; i + 1 < order.size(); ++i) {
      add_cells(first.data(), groups_[order[i]], at_.width);
      subtract_cells(second.data(), groups_[order[i]], at_.width);
      if (better(first.data(), second.data())) best = i + 1;
    }
    if (best > 0) set_.assign(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(best));
  }

  // Every division once: the first group stays in the first branch, the bits of `mask` are the groups of the second.
  void try_all() {
    tried_ = (u64{1} << (groups_.size() - 1)) - 1;
    if constexpr (AtOnce<C>::kPossible) {
      if (at_once_.applies()) {
        const u64 best = at_once_.best_mask(floor());
        if (best > 0) try_set(first_of(best));
        return;
      }
    }
    const std::size_t n = groups_.size();
    Cells sums(at_.width << (n - 1), 0);
    Cells first(at_.width);
    u64 best = 0;
    for (u64 mask = 1; mask < u64{1} << (n - 1); ++mask) {
      const auto low = static_cast<std::size_t>(std::countr_zero(mask));
      Cell* second = sums.data() + mask * at_.width;
      const Cell* before = sums.data() + (mask & (mask - 1)) * at_.width;
      const Cell* added = groups_[low + 1];
      for (std::size_t i = 0; i < at_.width; ++i) {
        second[i] = before[i] + added[i];
        first[i] = at_.rows.present[i] - second[i];
      }
      if (better(first.data(), second)) best = mask;
    }
    if (best > 0) set_ = first_of(best);
  }

  Set first_of(u64 second) const {
    Set set{0};
    for (std::size_t g = 1; g < groups_.size(); ++g)
      if (((second >> (g - 1)) & 1) == 0) set.push_back(g);
    return set;
  }

  std::optional<Candidate> result(Family family) {
    if (auto presence = at_.presence(AtColumn<C>::Scale::pairs, score_, any_, groups_.size() <= 1)) return presence;
    if (!any_) return std::nullopt;
    std::vector<u8> in_first(groups_.size(), 0);
    for (const std::size_t g : set_) in_first[g] = 1;
    Split split;
    split.family = family;
    // Sets are named so that the lowest level that occurs is in the first branch.
    const bool flip = family == Family::subset && !in_first[0];
    if (flip && missing_branch_ >= 0) missing_branch_ = 1 - missing_branch_;
    Cells branches(2 * at_.width, 0);
    for (std::size_t g = 0; g < groups_.size(); ++g) {
      const u32 branch = (in_first[g] != 0) != flip ? 0 : 1;
      add_cells(branches.data() + branch * at_.width, groups_[g], at_.width);
      if (family == Family::one_vs_rest && branch == 1) continue;
      split.levels.push_back(groups_.codes[g]);
      split.branch_of.push_back(branch);
    }
    if (family == Family::one_vs_rest) split.otherwise = 1;
    return at_.finish(std::move(split), std::move(branches), score_, tried_, missing_branch_);
  }

  const AtColumn<C>& at_;
  const Groups<typename C::Stat>& groups_;
  AtOnce<C> at_once_;
  struct Item {
    double quotient;
    std::size_t group;
  };

  std::vector<Item> items_;  // work space of one order
  Set order_;
  Cells first_;
  Cells second_;
  Set set_;
  double score_ = 0;
  i32 missing_branch_ = kNowhere;
  bool any_ = false;
  u64 tried_ = 0;
};

template <>
struct FamilySearch<Family::one_vs_rest> {
  template <Criterion C>
  static std::optional<Candidate> best(const AtColumn<C>& at, const Groups<typename C::Stat>& groups) {
    return SubsetSearch<C>::one_vs_rest(at, groups);
  }
};

template <>
struct FamilySearch<Family::subset> {
  template <Criterion C>
  static std::optional<Candidate> best(const AtColumn<C>& at, const Groups<typename C::Stat>& groups) {
    return SubsetSearch<C>::sets(at, groups);
  }
};

}  // namespace tw
