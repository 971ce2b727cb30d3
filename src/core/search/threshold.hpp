// Binary cuts of an ordered column: one sweep over the known rows in order of value (two where the missing rows try both sides).
#pragma once

#include "search/family.hpp"

namespace tw {

// The cut between the values of two rows that are neighbours in the order of the column. Adding 0 turns -0.0 into 0.0.
inline Cut make_cut(const EncodedColumn& column, const SearchSettings& settings, Row below, Row above) {
  const double a = column.cells.number(below) + 0.0;
  const double b = column.cells.number(above) + 0.0;
  const double at = settings.observed ? (settings.strict ? b : a) : midpoint(a, b, settings.strict);
  return {at, a, b, column.codes[below]};
}

template <Criterion C>
class ThresholdSearch {
 public:
  using Cell = typename AtColumn<C>::Cell;
  using Cells = typename AtColumn<C>::Cells;

  static std::optional<Candidate> run(AtColumn<C>& at) {
    auto& keys = at.scratch.keys;
    sort_keys(keys, at.scratch.spare, at.column.n_codes);
    Place best;
    u64 tried = 0;
    if (at.own_too_light()) {
    } else if (at.spreads()) {
      best = judged(at, tried);
    } else if (at.homes_tried()) {
      Cells all(at.rows.known, at.rows.known + at.width);
      add_cells(all.data(), at.rows.missing, at.width);
      const Place left = sweep(at, at.rows.missing, at.rows.known, 0, tried);
      best = sweep(at, nullptr, all.data(), 1, tried);
      if (left.any &&
          (!best.any || left.score > best.score ||
           (left.score == best.score && (left.position < best.position || (left.position == best.position && left.heavier_left)))))
        best = left;
    } else {
      best = sweep(at, nullptr, at.rows.known, kNowhere, tried);
    }
    const bool one_value = keys.empty() || (keys.front() >> 32) == (keys.back() >> 32);
    if (auto presence = at.presence(AtColumn<C>::Scale::pairs, best.score, best.any, one_value)) return presence;
    if (!best.any) return std::nullopt;
    Cells branches(2 * at.width, 0);
    for (std::size_t i = 0; i < keys.size(); ++i) {
      const std::size_t instance = static_cast<u32>(keys[i]);
      at.c.stat.add_row(branches.data() + (i < best.position ? 0 : at.width), at.labels[instance], at.node.weights[instance]);
    }
    Split split;
    split.family = Family::threshold;
    split.strict = at.settings.strict;
    split.cuts = {make_cut(at.column, at.settings, at.row_with(keys[best.position - 1]), at.row_with(keys[best.position]))};
    return at.finish(std::move(split), std::move(branches), best.score, tried, best.home);
  }

 private:
  struct Place {
    double score = 0;
    std::size_t position = 0;  // rows below the cut
    i32 home = kNowhere;
    bool any = false;
    bool heavier_left = false;  // at least half of the known weight lies below
  };

  static Place sweep(const AtColumn<C>& at, const Cell* left, const Cell* right, i32 home, u64& tried) {
    const auto& keys = at.scratch.keys;
    Place best;
    Sweep<C> sweep(at.c, at.one, at.two);
    sweep.start(left, right);
    const i64 least = at.least();
    const i64 offset = sweep.left_weight();
    for (std::size_t i = 1; i < keys.size(); ++i) {
      const std::size_t instance = static_cast<u32>(keys[i - 1]);
      sweep.move(at.labels[instance], at.node.weights[instance]);
      if ((keys[i] >> 32) == (keys[i - 1] >> 32)) continue;
      if (sweep.left_weight() < least) continue;
      if (sweep.right_weight() < least) break;
      ++tried;
      const double score = sweep.score();
      if (best.any && !(score > best.score)) continue;
      best = {score, i, home, true, 2 * (sweep.left_weight() - offset) >= at.rows.known_weight};
    }
    return best;
  }

  // The general way, where both sides change with the missing rows.
  static Place judged(const AtColumn<C>& at, u64& tried) {
    const auto& keys = at.scratch.keys;
    Place best;
    Cells left(at.width, 0);
    Cells right(at.rows.known, at.rows.known + at.width);
    for (std::size_t i = 1; i < keys.size(); ++i) {
      const std::size_t instance = static_cast<u32>(keys[i - 1]);
      at.c.stat.add_row(left.data(), at.labels[instance], at.node.weights[instance]);
      at.c.stat.add_row(right.data(), at.labels[instance], -at.node.weights[instance]);
      if ((keys[i] >> 32) == (keys[i - 1] >> 32)) continue;
      const auto judged = at.judge_two(left.data(), right.data());
      if (!judged.allowed) continue;
      ++tried;
      if (!best.any || judged.score > best.score) best = {judged.score, i, judged.home, true, false};
    }
    return best;
  }
};

}  // namespace tw
