// Binary cuts of an ordered column: one sweep over the present rows in order of value (two where the missing rows try both sides).
#pragma once

#include "base/prefetch.hpp"
#include "search/family.hpp"

namespace tw {

// The cut between two values that are neighbours in the order of the column; `code` is the rank of the lower one.
// Adding 0 turns -0.0 into 0.0.
inline Cut make_cut(const SearchSettings& settings, double below, double above, Code code) {
  const double a = below + 0.0;
  const double b = above + 0.0;
  const double at = settings.observed ? (settings.strict ? b : a) : midpoint(a, b, settings.strict);
  return {at, a, b, code};
}

// The best cut of a column so far: after how many rows (or groups) it lies, and where missing rows go.
struct Place {
  double score = 0;
  std::size_t position = 0;
  i32 missing_branch = kNowhere;
  bool any = false;
  bool heavier_left = false;  // at least half of the present weight lies below

  // Of two branches tried for the missing rows (left: branch 0) the better; if equal the lower cut, then the heavier side.
  static const Place& better_missing_branch(const Place& left, const Place& right) {
    if (!left.any || !right.any) return left.any ? left : right;
    if (left.score != right.score) return left.score > right.score ? left : right;
    if (left.position != right.position) return left.position < right.position ? left : right;
    return left.heavier_left ? left : right;
  }
};

template <Criterion C>
class ThresholdSearch {
 public:
  using Cell = typename AtColumn<C>::Cell;
  using Cells = typename AtColumn<C>::Cells;

  // On the sorted keys of the node's present rows.
  static std::optional<Candidate> run(const AtColumn<C>& at, const NodeRows& node, const std::vector<u64>& keys) {
    const auto& labels = labels_of<typename C::Stat>(at.targets);
    const auto code_of = [&](std::size_t i) { return keys[i] >> 32; };
    const std::vector<i64>& words = at.targets.class_weight_words;
    const auto move = [&](std::size_t i, auto& sweep) {
      const std::size_t instance = static_cast<u32>(keys[i]);
      if constexpr (C::kClasses) {
        if (!words.empty()) {
          if (i + kPrefetchDistance < keys.size()) prefetch(words.data() + static_cast<u32>(keys[i + kPrefetchDistance]));
          sweep.move(static_cast<i32>(words[instance] & 0xffff), words[instance] >> 16);
          return;
        }
      }
      sweep.move(labels[instance], node.weights[instance]);
    };
    const auto value_with = [&](u64 key) {
      const auto code = static_cast<Code>(key >> 32);
      const Row own = node.rows[static_cast<u32>(key)];
      if (at.column.codes[own] == code) return at.column.cells.number(own);
      // The key is of a filled cell; some other row holds the value.
      return at.column.cells.number(
          *std::find_if(node.rows.begin(), node.rows.end(), [&](Row row) { return at.column.codes[row] == code; }));
    };
    u64 tried = 0;
    const auto value_of = [&](std::size_t i) { return value_with(keys[i]); };
    if (at.settings.drawn) return draw(at, keys.size(), value_of, code_of, move);
    const bool two = two_classes(at, node, keys) && !at.keeps_order();
    const Place best = two ? sweep_two_classes(at, keys, tried) : search(at, keys.size(), code_of, move, tried);
    if (!best.any) return at.presence(AtColumn<C>::Scale::pairs, 0, false, keys.empty() || code_of(0) == code_of(keys.size() - 1));
    Cells branches(2 * at.width, 0);
    for (std::size_t i = 0; i < best.position; ++i) {
      const std::size_t instance = static_cast<u32>(keys[i]);
      at.c.stat.add_row(branches.data(), labels[instance], node.weights[instance]);
    }
    std::copy_n(at.rows.present, at.width, branches.data() + at.width);
    subtract_cells(branches.data() + at.width, branches.data(), at.width);
    return finish(at, std::move(branches), best,
                  make_cut(at.settings, value_with(keys[best.position - 1]), value_with(keys[best.position]),
                           static_cast<Code>(keys[best.position - 1] >> 32)),
                  tried);
  }

  // The best cut of rows already summed up per value.
  static Place place(const AtColumn<C>& at, const Groups<typename C::Stat>& groups) {
    u64 tried = 0;
    return search(
        at, groups.size(), [&](std::size_t g) { return groups.codes[g]; }, [&](std::size_t g, auto& sweep) { sweep.move_group(groups[g]); },
        tried);
  }

  // On rows already summed up per value.
  static std::optional<Candidate> run(const AtColumn<C>& at, const Groups<typename C::Stat>& groups) {
    if (at.settings.drawn) {
      const auto add = [&](std::size_t g, auto& sides) { sides.move_group(groups[g]); };
      return draw(
          at, groups.size(), [&](std::size_t g) { return groups.value(at.column, g); }, [&](std::size_t g) { return groups.codes[g]; },
          add);
    }
    u64 tried = 0;
    const Place best = search(
        at, groups.size(), [&](std::size_t g) { return groups.codes[g]; }, [&](std::size_t g, auto& sweep) { sweep.move_group(groups[g]); },
        tried);
    if (!best.any) return at.presence(AtColumn<C>::Scale::pairs, 0, false, groups.size() <= 1);
    Cells branches(2 * at.width, 0);
    for (std::size_t g = 0; g < groups.size(); ++g) add_cells(branches.data() + (g < best.position ? 0 : at.width), groups[g], at.width);
    return finish(at, std::move(branches), best,
                  make_cut(at.settings, groups.value(at.column, best.position - 1), groups.value(at.column, best.position),
                           groups.codes[best.position - 1]),
                  tried);
  }

  // What lies on the two sides of a cut.
  struct Sides {
    const C& c;
    Cells left;
    Cells right;
    Sides(const AtColumn<C>& at) : c(at.c), left(at.width, 0), right(at.rows.present, at.rows.present + at.width) {}
    void move(typename C::Stat::Label label, i64 w) {
      c.stat.add_row(left.data(), label, w);
      c.stat.add_row(right.data(), label, -w);
    }
    void move_group(const Cell* cells) {
      add_cells(left.data(), cells, left.size());
      subtract_cells(right.data(), cells, right.size());
    }
  };

  // A cut that is drawn: `sides` as it divides the present rows, `below` and `above` the values next to it.
  static std::optional<Candidate> finish_drawn(const AtColumn<C>& at, const Sides& sides, double threshold, double below, double above,
                                               Code code) {
    if (at.own_too_light()) return std::nullopt;
    const auto judged = at.score_two(sides.left.data(), sides.right.data());
    if (!judged.allowed) return at.presence(AtColumn<C>::Scale::pairs, 0, false, false);
    Cells branches = sides.left;
    branches.insert(branches.end(), sides.right.begin(), sides.right.end());
    Cut cut = make_cut(at.settings, below, above, code);
    if (!at.settings.observed) cut.at = threshold + 0.0;
    return finish(at, std::move(branches), {judged.score, 0, judged.missing_branch, true, false}, cut, 1);
  }

  // The candidate of a cut that was found, or the presence split if that is better.
  static std::optional<Candidate> finish(const AtColumn<C>& at, Cells branches, const Place& best, const Cut& cut, u64 tried) {
    if (auto presence = at.presence(AtColumn<C>::Scale::pairs, best.score, true, false)) return presence;
    Split split;
    split.family = Family::threshold;
    split.strict = at.settings.strict;
    split.cuts = {cut};
    // A cut that was placed by present rows is scored anew, as columns are compared.
    const double score = at.spreads() ? at.score_two(branches.data(), branches.data() + at.width).score : best.score;
    return at.finish(std::move(split), std::move(branches), score, tried, best.missing_branch);
  }

 private:
  // A cut drawn between the least and the largest of n values in order.
  template <class ValueOf, class CodeOf, class Move>
  static std::optional<Candidate> draw(const AtColumn<C>& at, std::size_t n, const ValueOf& value_of, const CodeOf& code_of,
                                       const Move& move) {
    if (n == 0 || code_of(0) == code_of(n - 1)) return at.presence(AtColumn<C>::Scale::pairs, 0, false, true);
    const bool strict = at.settings.strict;
    const double threshold = drawn_threshold(value_of(0), value_of(n - 1), drawn_for(at.targets, at.index), strict);
    Sides sides(at);
    std::size_t i = 0;
    for (; strict ? value_of(i) < threshold : value_of(i) <= threshold; ++i) move(i, sides);
    return finish_drawn(at, sides, threshold, value_of(i - 1), value_of(i), static_cast<Code>(code_of(i - 1)));
  }

  // Whether rows of two classes, each of weight one, are divided with nothing to be done about missing ones.
  static bool two_classes(const AtColumn<C>& at, const NodeRows& node, const std::vector<u64>& keys) {
    if constexpr (kSumOfLogs<C>)
      return at.c.stat.k == 2 && !at.targets.class_weight_words.empty() && at.targets.weight == static_cast<i64>(node.rows.size()) &&
             !keys.empty() && !at.own_too_light() && (!at.spreads() || at.settings.known_cuts) && !at.tries_missing_branches() &&
             x_log2_x_upto(at.targets.weight) != nullptr;
    else
      return false;
  }

  // `sweep` for that case, in registers: scores are estimated from a table and computed only where they come close to the best.
  static Place sweep_two_classes(const AtColumn<C>& at, const std::vector<u64>& keys, u64& tried) {
    Place best;
    if constexpr (kSumOfLogs<C>) {
      const i64* words = at.targets.class_weight_words.data();
      const auto n = static_cast<i64>(keys.size());
      const double* log = x_log2_x_upto(n);
      const i64 least = at.least_side();
      const double margin = at.margin();
      const double slack = 1e-9 * static_cast<double>(n);
      const i64 ones = at.rows.present[1];
      const i64 zeros = at.rows.present[0];
      double limit = -std::numeric_limits<double>::infinity();
      i64 below = 0;  // rows of the second class
      for (i64 i = 1; i < n; ++i) {
        const auto p = static_cast<std::size_t>(i);
        if (p + kPrefetchDistance < keys.size()) prefetch(words + static_cast<u32>(keys[p + kPrefetchDistance]));
        below += words[static_cast<u32>(keys[p - 1])] & 1;
        if (i < least || (keys[p] >> 32) == (keys[p - 1] >> 32)) continue;
        if (n - i < least) break;
        if (at.too_close(keys[p - 1] >> 32, keys[p] >> 32)) continue;
        ++tried;
        const double estimate = log[below] + log[i - below] + log[ones - below] + log[zeros - (i - below)] - log[i] - log[n - i];
        if (estimate < limit) continue;
        const i64 left[3] = {i - below, below, i};
        const i64 right[3] = {zeros - left[0], ones - below, n - i};
        const double score = score_of_pair(at.c, left, right);
        if (best.any && !(score > best.score + margin)) continue;
        best = {score, p, kNowhere, true, 2 * i >= at.rows.present_weight};
        limit = score + margin - slack;
      }
    }
    return best;
  }

  template <class CodeOf, class Move>
  static Place search(const AtColumn<C>& at, std::size_t n, const CodeOf& code_of, const Move& move, u64& tried) {
    if (at.own_too_light()) return {};
    if (at.keeps_order() || (at.spreads() && !at.settings.known_cuts)) return judged(at, n, code_of, move, tried);
    if (!at.tries_missing_branches()) return sweep(at, nullptr, at.rows.present, kNowhere, n, code_of, move, tried);
    Cells all(at.rows.present, at.rows.present + at.width);
    add_cells(all.data(), at.rows.missing, at.width);
    const Place left = sweep(at, at.rows.missing, at.rows.present, 0, n, code_of, move, tried);
    const Place right = sweep(at, nullptr, all.data(), 1, n, code_of, move, tried);
    return Place::better_missing_branch(left, right);
  }

  template <class CodeOf, class Move>
  static Place sweep(const AtColumn<C>& at, const Cell* left, const Cell* right, i32 missing_branch, std::size_t n, const CodeOf& code_of,
                     const Move& move, u64& tried) {
    Place best;
    typename PlainSweep<C>::type sweep(at.c, at.one, at.two);
    sweep.start(left, right);
    const i64 least = at.least_side();
    const double margin = at.margin();
    const i64 offset = sweep.left_weight();
    // Goes through all cuts that may be taken.
    const auto walk = [&](const auto& look) {
      for (std::size_t i = 1; i < n; ++i) {
        move(i - 1, sweep);
        if (code_of(i) == code_of(i - 1)) continue;
        if (sweep.left_weight() < least) continue;
        if (sweep.right_weight() < least) break;
        if (at.too_close(code_of(i - 1), code_of(i))) continue;
        look(i);
      }
    };
    double floor = -std::numeric_limits<double>::infinity();
    if constexpr (requires { sweep.bounds(); }) {
      if (sweep.looks_ahead() && margin > 0)  // the best depends on those before it
        return best_by_bounds(at, sweep, left, right, missing_branch, move, walk, tried);
      if (sweep.looks_ahead()) {
        walk([&](std::size_t) { floor = std::max(floor, sweep.bounds().least); });
        sweep.start(left, right);
      }
    }
    walk([&](std::size_t i) {
      ++tried;
      if constexpr (requires { sweep.bounds(); }) {
        const double most = sweep.bounds().most;
        if (most < floor || (best.any && most <= best.score + margin)) return;
      }
      const double score = sweep.score();
      if (best.any && !(score > best.score + margin)) return;
      best = {score, i, missing_branch, true, 2 * (sweep.left_weight() - offset) >= at.rows.present_weight};
    });
    return best;
  }

  // The same where a later cut must be better by a margin, and an exact score looks at many classes: the best so far is known within
  // bounds, and scored exactly only where those leave open whether it makes way, and at the end. That scores it where it lies: the rows are
  // gone through again. Whoever has done so often scores every best at once, so that no table makes it dear.
  template <class Sweep, class Move, class Walk>
  static Place best_by_bounds(const AtColumn<C>& at, Sweep& sweep, const Cell* left, const Cell* right, i32 missing_branch,
                              const Move& move, const Walk& walk, u64& tried) {
    constexpr int kMostReturns = 8;
    const double margin = at.margin();
    const i64 offset = sweep.left_weight();
    Place best;  // its score only where that is exact
    Bounds known{0, 0};
    int returns = 0;
    const auto is_exact = [&] { return known.least == known.most; };
    const auto score_best = [&] {
      sweep.start(left, right);
      for (std::size_t i = 0; i < best.position; ++i) move(i, sweep);
      best.score = sweep.score();
      known = {best.score, best.score};
    };
    walk([&](std::size_t i) {
      ++tried;
      Bounds here = sweep.bounds();
      if (best.any && here.most <= known.least + margin) return;
      const bool better = !best.any || here.least > known.most + margin;
      if (!better && !is_exact()) {
        ++returns;
        score_best();
        for (std::size_t next = best.position; next < i; ++next) move(next, sweep);
      }
      if (!better || returns >= kMostReturns) {
        const double score = sweep.score();
        if (!better && !(score > known.most + margin)) return;
        here = {score, score};
      }
      best = {here.least, i, missing_branch, true, 2 * (sweep.left_weight() - offset) >= at.rows.present_weight};
      known = here;
    });
    if (best.any && !is_exact()) score_best();
    return best;
  }

  // The general way, where both sides change with the missing rows, or must be in order.
  template <class CodeOf, class Move>
  static Place judged(const AtColumn<C>& at, std::size_t n, const CodeOf& code_of, const Move& move, u64& tried) {
    Place best;
    const i64 side = at.settings.cuts == Cuts::all ? 1 : at.least_side();
    const double margin = at.margin();
    Sides sides(at);
    const Cells& left = sides.left;
    const Cells& right = sides.right;
    for (std::size_t i = 1; i < n; ++i) {
      move(i - 1, sides);
      if (code_of(i) == code_of(i - 1)) continue;
      if (at.too_close(code_of(i - 1), code_of(i))) continue;
      if (at.c.stat.weight(left.data()) < side || at.c.stat.weight(right.data()) < side) continue;
      const auto judged = at.score_two(left.data(), right.data());
      if (!judged.allowed) continue;
      ++tried;
      if (!best.any || judged.score > best.score + margin) best = {judged.score, i, judged.missing_branch, true, false};
    }
    return best;
  }
};

template <>
struct FamilySearch<Family::threshold> {
  template <Criterion C>
  static std::optional<Candidate> best(const AtColumn<C>& at, const Groups<typename C::Stat>& groups) {
    return ThresholdSearch<C>::run(at, groups);
  }
};

}  // namespace tw
