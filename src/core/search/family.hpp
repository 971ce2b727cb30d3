// What all split families share at one column of one node: the gathered rows, how missing rows enter a score, and how a
// division that was found becomes a finished candidate. The families themselves are in the files named after them.
#pragma once

#include <cmath>
#include <optional>
#include <stdexcept>

#include "search/column_rows.hpp"
#include "search/criterion.hpp"
#include "search/cut_rules.hpp"

namespace tw {

// How a family is searched: specialised in the family's own file with
//   template <Criterion C> static std::optional<Candidate> best(const AtColumn<C>&, const Groups<typename C::Stat>&);
template <Family>
struct FamilySearch;

inline constexpr double kNoise = 1e-12;  // a gain below this share of the node's impurity is rounding

template <Criterion C>
struct AtColumn {
  using Stat = typename C::Stat;
  using Cell = typename Stat::Cell;
  using Cells = std::vector<Cell>;

  const C& c;
  const SearchSettings& settings;
  const EncodedColumn& column;
  Column index;
  const NodeTargets& targets;
  ColumnRows<Stat> rows;
  std::size_t width;
  Cell* one;  // work space for two summaries
  Cell* two;

  bool some_missing() const { return rows.missing_weight > 0; }
  bool tries_missing_branches() const { return settings.missing == Missing::learned && some_missing(); }
  bool own_branch() const { return settings.missing == Missing::own && some_missing(); }
  bool spreads() const { return settings.missing == Missing::spread && some_missing(); }
  i64 least() const { return std::max<i64>(settings.min_leaf, 1); }
  bool own_too_light() const { return own_branch() && rows.missing_weight < least(); }

  i64 least_side() const {
    if constexpr (C::kClasses)
      return tw::least_side(settings, targets, rows.present_weight, c.declared);
    else
      return least();
  }
  bool too_close(u64 a, u64 b) const { return tw::too_close(settings, column, a, b); }
  double margin() const { return cut_margin(settings, targets); }

  OrderCheck order() const { return {settings, targets, index}; }
  // Whether answers may only rise with this column, or only fall.
  bool keeps_order() const { return settings.direction_of(index) != 0; }
  bool in_order(const Cell* below, const Cell* above) const { return !keeps_order() || order().allows(below, above); }

  // Adds to `branch` its share of the missing rows, in proportion to its present weight.
  void add_share(Cell* branch) const {
    const i64 w = c.stat.weight(branch);
    for (std::size_t i = 0; i < width; ++i) branch[i] += scaled_cell(rows.missing[i], w, rows.present_weight);
  }

  struct ScoredPair {
    double score = 0;
    i32 missing_branch = kNowhere;  // branch of the missing rows, where that was tried
    bool allowed = false;
  };

  // Scores two branches of present rows under the missing policy.
  ScoredPair score_two(const Cell* l, const Cell* r) const {
    ScoredPair out;
    const i64 wl = c.stat.weight(l);
    const i64 wr = c.stat.weight(r);
    if (wl <= 0 || wr <= 0) return out;
    const auto enough = [&](const Cell* a, const Cell* b) {
      return c.stat.weight(a) >= least() && c.stat.weight(b) >= least() && in_order(a, b);
    };
    if (tries_missing_branches()) {
      const auto with = [&](const Cell* present, Cell* sum) -> const Cell* {
        for (std::size_t i = 0; i < width; ++i) sum[i] = present[i] + rows.missing[i];
        return sum;
      };
      const Cell* left = with(l, one);
      const Cell* right = with(r, two);
      if (enough(left, r)) out = {score_of_pair(c, left, r), 0, true};
      if (enough(l, right)) {
        const double score = score_of_pair(c, l, right);
        if (!out.allowed || score > out.score || (score == out.score && wr > wl)) out = {score, 1, true};
      }
      return out;
    }
    if (spreads()) {
      std::copy_n(l, width, one);
      std::copy_n(r, width, two);
      add_share(one);
      add_share(two);
      l = one;
      r = two;
    }
    if (enough(l, r)) out = {score_of_pair(c, l, r), kNowhere, true};
    return out;
  }

  enum class Scale : u8 { pairs, sums };

  // Whether present and missing rows may be told apart; in an order of answers the missing ones then stand above all others.
  bool presence_fits() const {
    if (rows.present_weight < least() || rows.missing_weight < least()) return false;
    return in_order(rows.present, rows.missing);
  }

  // Present against missing, scored as the family scores its own splits: as a pair, or as a sum of worths.
  std::optional<Candidate> presence(Scale scale_of_score, double best_cut, bool any_cut, bool one_value) const {
    const bool wanted = tries_missing_branches() || (own_branch() && one_value);
    if (!wanted || !presence_fits()) return std::nullopt;
    const double score =
        scale_of_score == Scale::pairs ? score_of_pair(c, rows.present, rows.missing) : c.worth(rows.present) + c.worth(rows.missing);
    if (any_cut && !(score > best_cut)) return std::nullopt;
    Split split;
    split.family = Family::presence;
    split.column = index;
    split.n_branches = 2;
    split.missing_to = 1;
    split.missing_seen = true;
    Cells branches(rows.present, rows.present + width);
    branches.insert(branches.end(), rows.missing, rows.missing + width);
    return finish_seen(std::move(split), branches, score, 1, {rows.present_weight, 0});
  }

  // From branches of present rows to a candidate: the missing rows take their place, then gains are computed.
  std::optional<Candidate> finish(Split split, Cells branches, double score, u64 tried, i32 missing_branch) const {
    std::vector<i64> present;
    const std::size_t n = branches.size() / width;
    for (std::size_t b = 0; b < n; ++b) present.push_back(c.stat.weight(branches.data() + b * width));
    if (tries_missing_branches()) add_cells(branches.data() + static_cast<std::size_t>(missing_branch) * width, rows.missing, width);
    if (spreads())
      for (std::size_t b = 0; b < n; ++b) add_share(branches.data() + b * width);
    split.column = index;
    split.missing_seen = some_missing();
    split.n_branches = static_cast<u32>(n);
    const i32 heaviest = heaviest_branch(branches);
    // Where there are surrogates, a level that did not occur here is as good as missing.
    if (traits_of(split.family).unlisted_to_heaviest && settings.missing != Missing::surrogate) split.otherwise = heaviest;
    if (own_branch()) {
      branches.insert(branches.end(), rows.missing, rows.missing + width);
      present.push_back(0);
      split.missing_to = static_cast<i32>(split.n_branches++);
    } else if (divides_rows(settings.missing)) {
      split.missing_to = kAllBranches;
    } else if (tries_missing_branches()) {
      split.missing_to = missing_branch;
    } else {
      split.missing_to = heaviest;
    }
    return finish_seen(std::move(split), branches, score, tried, std::move(present));
  }

 private:
  i32 heaviest_branch(const Cells& branches) const {
    std::size_t best = 0;
    for (std::size_t b = 1; b * width < branches.size(); ++b)
      if (c.stat.weight(branches.data() + b * width) > c.stat.weight(branches.data() + best * width)) best = b;
    return static_cast<i32>(best);
  }

  // `branches` are the rows as the gain sees them.
  std::optional<Candidate> finish_seen(Split split, const Cells& branches, double score, u64 tried, std::vector<i64> present) const {
    const std::size_t n = branches.size() / width;
    Candidate candidate;
    if (keeps_order()) candidate.sides = {order().value(branches.data()), order().value(branches.data() + width)};
    Cells parent(width, 0);
    for (std::size_t b = 0; b < n; ++b) add_cells(parent.data(), branches.data() + b * width, width);
    const double seen = static_cast<double>(c.stat.weight(parent.data()));
    double worth = worth_of(branches) - c.worth(parent.data());
    double noise = 0;
    if constexpr (C::kClasses) {
      noise = std::max(kNoise * targets.facts.impurity * seen, c.rounding(targets.weight));
    } else {
      noise = kNoise * worth_of(branches);
      if (n == 2) {  // exact
        worth = c.pair(branches.data(), branches.data() + width);
        noise = 0;
      }
    }
    if (worth <= noise) worth = 0;
    const bool share = present_only(settings.missing) && settings.missing != Missing::ignore;
    const double all = static_cast<double>(targets.weight);
    const double present_share = share ? static_cast<double>(rows.present_weight) / all : 1;
    const double fall = worth / seen * present_share;
    // The unit of huge targets is infinite: no fall is no gain all the same.
    candidate.gain = fall > 0 ? std::min(fall * c.unit(), std::numeric_limits<double>::max()) : 0;
    candidate.after = after(branches, parent, candidate.gain);
    candidate.split_info = split_information(branches);
    candidate.score = score;
    candidate.tried = tried;
    candidate.branch_present = std::move(present);
    candidate.split = std::move(split);
    candidate.wide = column.kind == Kind::nominal && column.n_codes >= settings.wide_levels;
    if (candidate.split.family == Family::threshold) {
      if (settings.penalty) candidate.penalty = log2_of(static_cast<double>(tried)) / targets.facts.weight;
      if (candidate.gain - candidate.penalty <= least_gain(settings)) return std::nullopt;
    }
    const Outcome outcome{candidate.gain - candidate.penalty, candidate.split_info, candidate.after, score * present_share};
    const std::optional<double> merit = merit_of(branches, outcome, present_share);
    if (!merit || !significant(branches)) return std::nullopt;
    candidate.merit = *merit;
    // Numeric targets are compared in steps of the node's grid, where nothing under- or overflows.
    candidate.rank = C::kClasses ? *merit : fall;
    return candidate;
  }

  std::optional<double> merit_of(const Cells& branches, const Outcome& outcome, double present_share) const {
    if constexpr (JudgesDivisions<C>) {
      std::vector<const Cell*> listed;
      for (std::size_t b = 0; b * width < branches.size(); ++b) listed.push_back(branches.data() + b * width);
      const double score = c.division(listed) * present_share;
      return score > -std::numeric_limits<double>::infinity() ? std::optional<double>(score) : std::nullopt;
    } else {
      return c.merit(outcome);
    }
  }

  double worth_of(const Cells& branches) const {
    double sum = 0;
    for (std::size_t b = 0; b * width < branches.size(); ++b)
      if (c.stat.weight(branches.data() + b * width) > 0) sum += c.worth(branches.data() + b * width);
    return sum;
  }

  double after(const Cells& branches, const Cells& parent, double gain) const {
    if constexpr (C::kClasses) {
      double sum = 0;
      for (std::size_t b = 0; b * width < branches.size(); ++b) {
        const Cell* cells = branches.data() + b * width;
        const i64 w = c.stat.weight(cells);
        if (w > 0) sum += static_cast<double>(w) * c.impurity(cells);
      }
      return sum / static_cast<double>(c.stat.weight(parent.data()));
    } else {
      return std::max(0.0, targets.facts.impurity - gain);
    }
  }

  double split_information(const Cells& branches) const {
    double bits = x_log2_x(targets.weight);
    for (std::size_t b = 0; b * width < branches.size(); ++b) bits -= x_log2_x(c.stat.weight(branches.data() + b * width));
    if (present_only(settings.missing)) bits -= x_log2_x(rows.missing_weight);
    return std::max(0.0, bits / static_cast<double>(targets.weight));
  }

  bool significant(const Cells& branches) const {
    if constexpr (C::kClasses) {
      if (settings.significance <= 0) return true;
      const std::size_t k = width - 1;
      const std::size_t n = branches.size() / width;
      Cells sum(width, 0);
      double filled = 0;
      for (std::size_t b = 0; b < n; ++b) {
        add_cells(sum.data(), branches.data() + b * width, width);
        filled += branches[b * width + k] > 0;
      }
      double statistic = 0;
      double classes = 0;
      const double total = static_cast<double>(sum[k]);
      for (std::size_t j = 0; j < k; ++j) {
        classes += sum[j] > 0;
        if (sum[j] == 0) continue;
        for (std::size_t b = 0; b < n; ++b) {
          if (branches[b * width + k] == 0) continue;
          const double expected = static_cast<double>(sum[j]) * static_cast<double>(branches[b * width + k]) / total;
          const double off = static_cast<double>(branches[b * width + j]) - expected;
          statistic += off * off / expected;
        }
      }
      return chi_square_tail(statistic / scale(), (filled - 1) * (classes - 1)) <= settings.significance;
    } else {
      return true;
    }
  }

  // Quanta per unit of weight: the statistic counts rows.
  double scale() const { return static_cast<double>(targets.weight) / targets.facts.weight; }
};

}  // namespace tw
