// Criteria that judge a set of rows as a whole instead of by a sum over it (medians, extremes). A measure lists the error of every
// beginning and of every end of a sorted column; cuts, missing rows and candidates are the same for all of them.
#pragma once

#include <array>
#include <cmath>
#include <span>
#include <stdexcept>

#include "search/search.hpp"

namespace tw {

// Instances of a node in order of their target, and where each of them stands there.
struct TargetOrder {
  const NodeTargets& targets;

  std::size_t size() const { return targets.by_target.size(); }
  u32 instance(std::size_t place) const { return targets.by_target[place]; }
  i64 step(std::size_t place) const { return targets.steps_of[instance(place)]; }
  u32 place_of(u32 instance) const { return targets.place[instance]; }
  // The error of the whole node, once it is known.
  double error() const { return targets.error; }
};

// One end of a column's order: the error of the first (or last) i rows, with the rows in `extra` among them.
using Errors = std::vector<double>;
// And what these rows predict, in steps: asked for where answers keep an order.
using Centres = std::vector<double>;

// A measure has
//   Measure(const NodeRows&, const NodeTargets&)     for one node,
//   void beginnings(keys, extra, Errors&, Centres*)  errors[i]: of keys[0..i) and extra; null: nobody asks for centres,
//   void ends(keys, extra, Errors&, Centres*)        errors[i]: of keys[i..n) and extra,
//   double alone(instances), all()                   of some rows, of all of the node,
//   double join(l, wl, r, wr), fall(before, after)   the error of a division, and how much lower that is,
//   double centre(keys in order of target, node)     what a set of rows predicts, in steps; value(table, node): the node itself,
//   kSum: errors are sums over the rows, in steps of the grid; otherwise they are of the worst row,
//   static void read(table, node, targets), if its targets are not plain numbers,
//   quick(), lowest(keys, least): the best cut at once, if it can tell it without all errors.
template <class Measure>
class SetSearch final : public Searcher {
 public:
  SetSearch(const Table& table, const SearchSettings& settings) : table_(table), settings_(settings) {}

  void read(const NodeRows& node, NodeTargets& targets) const override {
    if constexpr (requires { Measure::read(table_, node, targets); }) {
      Measure::read(table_, node, targets);
      describe(node, targets);
      return;
    }
    read_numbers(table_, node, targets);
    order_targets(targets);
    const MomentStat stat;
    targets.moment_total.assign(stat.width(), 0);
    for (std::size_t i = 0; i < node.rows.size(); ++i) stat.add_row(targets.moment_total.data(), targets.steps_of[i], node.weights[i]);
    describe(node, targets);
  }

  void prepare(const NodeRows&, const NodeTargets&, const std::vector<Column>&, Scratch& scratch) const override {
    scratch.prepared = false;
  }

  std::optional<Candidate> best(const NodeRows& node, const NodeTargets& targets, Column index, Scratch& scratch) const override {
    const EncodedColumn& column = table_.columns[index];
    const MomentStat stat;
    const Measure measure(node, targets);
    std::vector<Code> levels;  // nominal: by place in the order
    const bool filled = fills(settings_.missing) && column.n_missing > 0;
    if (index < node.sorted.size() && !node.sorted[index].empty() && !filled)
      return search(measure, node, targets, index, node.sorted[index], levels, drawn_cut(node, targets, index, node.sorted[index]));
    gather(stat, column, node, targets, settings_.missing, scratch);
    std::vector<u64>& keys = scratch.keys;
    Drawn drawn;
    if (column.kind == Kind::nominal) {
      levels = settings_.drawn ? by_coin(targets, index, keys, drawn) : by_centre(measure, node, targets, keys);
    } else {
      sort_keys(keys, scratch.spare, column.n_codes);
      drawn = drawn_cut(node, targets, index, keys);
    }
    if (keys.empty()) return std::nullopt;
    return search(measure, node, targets, index, keys, levels, drawn);
  }

  // The candidate of a cut of a numeric column, no row of the node being missing.
  Candidate cut_of_all(const Measure& measure, const NodeTargets& targets, Column index, const Cut& cut, i64 below, double error,
                       u64 tried) const {
    Split split;
    split.column = index;
    split.n_branches = 2;
    split.family = Family::threshold;
    split.strict = settings_.strict;
    split.cuts = {cut};
    const i64 above = targets.weight - below;
    split.missing_to = above > below ? 1 : 0;
    Candidate out = finished(measure, targets, std::move(split), error, targets.weight, below, above, TargetOrder{targets}.error(), tried);
    out.branch_present = {below, above};
    return out;
  }

 private:
  void describe(const NodeRows& node, NodeTargets& targets) const {
    const Measure measure(node, targets);
    targets.facts.value = measure.value(table_, node);
    targets.error = measure.all();
    targets.facts.impurity = std::min(error_of_node(targets) * targets.grid.step, std::numeric_limits<double>::max());
  }

  // The one division that is drawn for a column: how many keys lie before it, none where all divisions are looked at; the threshold.
  struct Drawn {
    std::size_t position = 0;
    double threshold = 0;
  };

  Drawn drawn_cut(const NodeRows& node, const NodeTargets& targets, Column index, const std::vector<u64>& keys) const {
    if (!settings_.drawn || keys.empty() || keys.front() >> 32 == keys.back() >> 32) return {};
    const EncodedColumn& column = table_.columns[index];
    const auto value_of = [&](std::size_t i) { return value_with(column, node, keys[i]); };
    Drawn out;
    out.threshold = drawn_threshold(value_of(0), value_of(keys.size() - 1), drawn_for(targets, index), settings_.strict);
    while (settings_.strict ? value_of(out.position) < out.threshold : value_of(out.position) <= out.threshold) ++out.position;
    return out;
  }

  struct Found {
    double error = 0;
    std::size_t position = 0;
    i32 missing_branch = kNowhere;
    bool any = false;
    std::array<double, 2> sides{};  // what both answer, where that is asked for
  };

  // What both sides of every cut predict, and the order they must be in; null: nobody asks.
  struct Sides {
    Centres below, above;
    const OrderCheck* order = nullptr;
  };

  // All beginnings of the keys, or all ends; with what they predict, where that is asked for.
  static void summed(const Measure& measure, const std::vector<u64>& keys, const std::vector<u32>& extra, bool beginnings, bool asked,
                     Errors& errors, Centres& centres) {
    if constexpr (requires { measure.beginnings(keys, extra, errors, &centres); }) {
      Centres* const wanted = asked ? &centres : nullptr;
      return beginnings ? measure.beginnings(keys, extra, errors, wanted) : measure.ends(keys, extra, errors, wanted);
    } else {
      if (asked) throw std::logic_error("this measure tells no order of answers");
      return beginnings ? measure.beginnings(keys, extra, errors) : measure.ends(keys, extra, errors);
    }
  }

  static double error_of_node(const NodeTargets& targets) {
    const double error = TargetOrder{targets}.error();
    return Measure::kSum ? error / static_cast<double>(targets.weight) : error;
  }

  static void order_targets(NodeTargets& targets) {
    const std::size_t n = targets.steps_of.size();
    std::vector<std::pair<i64, u32>> order(n);
    for (std::size_t i = 0; i < n; ++i) order[i] = {targets.steps_of[i], static_cast<u32>(i)};
    std::sort(order.begin(), order.end());
    targets.by_target.resize(n);
    targets.place.resize(n);
    for (std::size_t i = 0; i < n; ++i) {
      targets.by_target[i] = order[i].second;
      targets.place[order[i].second] = static_cast<u32>(i);
    }
  }

  // Levels in the order of what they would predict; a key then holds a place in that order. Returns the level at every place.
  std::vector<Code> by_centre(const Measure& measure, const NodeRows& node, const NodeTargets& targets, std::vector<u64>& keys) const {
    const TargetOrder order{targets};
    // Rows of a level in order of their target.
    std::stable_sort(keys.begin(), keys.end(), [&](u64 a, u64 b) {
      if (a >> 32 != b >> 32) return a >> 32 < b >> 32;
      return order.place_of(static_cast<u32>(a)) < order.place_of(static_cast<u32>(b));
    });
    std::vector<std::pair<double, std::span<const u64>>> levels;
    for (std::size_t i = 0, end; i < keys.size(); i = end) {
      for (end = i; end < keys.size() && keys[end] >> 32 == keys[i] >> 32; ++end) {
      }
      levels.emplace_back(measure.centre({keys.data() + i, end - i}, node), std::span<const u64>(keys.data() + i, end - i));
    }
    std::stable_sort(levels.begin(), levels.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    std::vector<u64> ordered;
    ordered.reserve(keys.size());
    for (std::size_t place = 0; place < levels.size(); ++place)
      for (const u64 key : levels[place].second) ordered.push_back(u64{place} << 32 | static_cast<u32>(key));
    std::vector<Code> codes;
    for (const auto& level : levels) codes.push_back(static_cast<Code>(level.second[0] >> 32));
    keys.swap(ordered);
    return codes;
  }

  // Levels that the toss of a coin sends to the first branch, then the others; some level goes to either. A key then holds a place.
  static std::vector<Code> by_coin(const NodeTargets& targets, Column index, std::vector<u64>& keys, Drawn& drawn) {
    std::vector<Code> codes;
    for (const u64 key : keys) codes.push_back(static_cast<Code>(key >> 32));
    std::sort(codes.begin(), codes.end());
    codes.erase(std::unique(codes.begin(), codes.end()), codes.end());
    const auto coin = [&](Code code) { return mix(drawn_for(targets, index), code); };
    const auto lowest = std::min_element(codes.begin(), codes.end(), [&](Code a, Code b) { return coin(a) < coin(b); });
    const Code turned = lowest == codes.end() ? 0 : *lowest;
    auto first = std::stable_partition(codes.begin(), codes.end(), [&](Code code) { return (coin(code) & 1) != 0; });
    if (first == codes.begin() || first == codes.end()) {
      const bool alone = first == codes.begin();
      first = std::stable_partition(codes.begin(), codes.end(), [&](Code code) { return (code == turned) == alone; });
    }
    const auto ends = static_cast<std::size_t>(first - codes.begin());
    const auto place = [&](u64 key) {
      return static_cast<u64>(std::find(codes.begin(), codes.end(), static_cast<Code>(key >> 32)) - codes.begin());
    };
    for (u64& key : keys) key = place(key) << 32 | static_cast<u32>(key);
    std::stable_sort(keys.begin(), keys.end(), [](u64 a, u64 b) { return a >> 32 < b >> 32; });
    if (codes.size() > 1)
      drawn.position =
          static_cast<std::size_t>(std::find_if(keys.begin(), keys.end(), [&](u64 key) { return key >> 32 >= ends; }) - keys.begin());
    return codes;
  }

  std::optional<Candidate> search(const Measure& measure, const NodeRows& node, const NodeTargets& targets, Column index,
                                  const std::vector<u64>& keys, const std::vector<Code>& levels, const Drawn& drawn) const {
    const EncodedColumn& column = table_.columns[index];
    std::vector<u32> missing;
    i64 missing_weight = 0;
    if (keys.size() < node.rows.size())
      for (std::size_t i = 0; i < node.rows.size(); ++i)
        if (column.codes[node.rows[i]] == kMissing) {
          missing.push_back(static_cast<u32>(i));
          missing_weight += node.weights[i];
        }
    const bool missing_branches = settings_.missing == Missing::learned && !missing.empty();
    static thread_local Errors left;
    static thread_local Errors right;
    Found best;
    u64 tried = 0;
    const OrderCheck order(settings_, targets, index);
    const bool ordered = settings_.direction_of(index) != 0;
    if (!settings_.drawn && !ordered && node.rows.size() == 2 && keys.size() == 2) {  // two rows err by nothing once they are apart
      const bool apart = keys[0] >> 32 != keys[1] >> 32 && std::min(node.weights[0], node.weights[1]) >= least();
      return apart ? candidate(measure, node, targets, index, keys, levels, {0, 1, kNowhere, true, {}}, 0, 1, drawn) : std::nullopt;
    }
    if constexpr (requires { measure.lowest(keys, i64{}); }) {
      if (!settings_.drawn && !ordered && missing.empty() && measure.quick()) {
        const auto found = measure.lowest(keys, least());
        if (found.position == 0) return std::nullopt;
        return candidate(measure, node, targets, index, keys, levels, {found.error, found.position, kNowhere, true, {}}, 0, found.tried,
                         drawn);
      }
    }
    const std::vector<u32> none;
    for (i32 missing_branch = missing_branches ? 0 : kNowhere; missing_branch <= (missing_branches ? 1 : kNowhere); ++missing_branch) {
      Sides sides;
      summed(measure, keys, missing_branch == 0 ? missing : none, true, ordered, left, sides.below);
      summed(measure, keys, missing_branch == 1 ? missing : none, false, ordered, right, sides.above);
      sides.order = ordered ? &order : nullptr;
      const Found found =
          lowest(measure, node, keys, left, right, sides, missing_branch, missing_weight, targets.weight, drawn.position, tried);
      if (found.any && (!best.any || found.error < best.error || (found.error == best.error && heavier_right(node, keys, best.position))))
        best = found;
    }
    const i64 present = targets.weight - missing_weight;
    Centres known, lost;
    if (ordered && missing_branches) {
      summed(measure, keys, none, true, true, left, known);
      summed(measure, {}, missing, true, true, right, lost);
    }
    std::array<double, 2> apart_answer{};
    if (!lost.empty()) apart_answer = {order.value_of(known.back()), order.value_of(lost.front())};
    const bool fits = lost.empty() || order.allows(apart_answer[0], apart_answer[1]);
    if (missing_branches && fits && present >= least() && missing_weight >= least()) {
      measure.beginnings(keys, none, left);
      const double apart = measure.join(left[keys.size()], present, measure.alone(missing), missing_weight);
      if (!best.any || apart < best.error)
        return presence(measure, targets, index, apart, present, missing_weight, tried + 1, apart_answer);
    }
    if (!best.any) return std::nullopt;
    return candidate(measure, node, targets, index, keys, levels, best, missing_weight, tried, drawn);
  }

  i64 least() const { return std::max<i64>(settings_.min_leaf, 1); }

  static bool heavier_right(const NodeRows& node, const std::vector<u64>& keys, std::size_t position) {
    i64 below = 0;
    i64 all = 0;
    for (std::size_t i = 0; i < keys.size(); ++i) {
      const i64 w = node.weights[static_cast<u32>(keys[i])];
      all += w;
      if (i < position) below += w;
    }
    return 2 * below < all;
  }

  Found lowest(const Measure& measure, const NodeRows& node, const std::vector<u64>& keys, const Errors& left, const Errors& right,
               const Sides& sides, i32 missing_branch, i64 missing_weight, i64 weight, std::size_t only, u64& tried) const {
    Found best;
    i64 below = missing_branch == 0 ? missing_weight : 0;
    const i64 all = missing_branch == kNowhere ? weight - missing_weight : weight;
    for (std::size_t i = 1; i < keys.size(); ++i) {
      below += node.weights[static_cast<u32>(keys[i - 1])];
      if (keys[i] >> 32 == keys[i - 1] >> 32 || below < least() || (settings_.drawn && i != only)) continue;
      if (all - below < least()) break;
      std::array<double, 2> answers{};
      if (sides.order != nullptr) {
        answers = {sides.order->value_of(sides.below[i]), sides.order->value_of(sides.above[i])};
        if (!sides.order->allows(answers[0], answers[1])) continue;
      }
      ++tried;
      const double error = measure.join(left[i], below, right[i], all - below);
      if (!best.any || error < best.error) best = {error, i, missing_branch, true, answers};
    }
    return best;
  }

  Candidate finished(const Measure& measure, const NodeTargets& targets, Split split, double error, i64 seen, i64 left, i64 right,
                     double present_error, u64 tried) const {
    Candidate out;
    const double before = present_error;
    double fall = std::max(0.0, measure.fall(before, error)) / (Measure::kSum ? static_cast<double>(seen) : 1);
    const double share = settings_.missing == Missing::majority ? static_cast<double>(seen) / static_cast<double>(targets.weight) : 1;
    fall *= share;
    out.gain = std::min(fall * targets.grid.step, std::numeric_limits<double>::max());
    out.after = std::max(0.0, targets.facts.impurity - out.gain);
    out.merit = out.gain;
    // Ties of the worst error are settled by the mean of both sides.
    out.rank = Measure::kSum ? fall : std::max(0.0, before * (1 + Measure::kMean) - error) * share;
    out.score = -error;
    out.tried = tried;
    double bits = x_log2_x(targets.weight) - x_log2_x(left) - x_log2_x(right);
    if (present_only(settings_.missing)) bits -= x_log2_x(targets.weight - seen);
    out.split_info = std::max(0.0, bits / static_cast<double>(targets.weight));
    out.split = std::move(split);
    return out;
  }

  std::optional<Candidate> presence(const Measure& measure, const NodeTargets& targets, Column index, double error, i64 present,
                                    i64 missing, u64 tried, const std::array<double, 2>& sides) const {
    Split split;
    split.family = Family::presence;
    split.column = index;
    split.n_branches = 2;
    split.missing_to = 1;
    split.missing_seen = true;
    Candidate out =
        finished(measure, targets, std::move(split), error, targets.weight, present, missing, TargetOrder{targets}.error(), tried);
    out.branch_present = {present, 0};
    out.sides = sides;
    return out;
  }

  std::optional<Candidate> candidate(const Measure& measure, const NodeRows& node, const NodeTargets& targets, Column index,
                                     const std::vector<u64>& keys, const std::vector<Code>& levels, const Found& best, i64 missing_weight,
                                     u64 tried, const Drawn& drawn) const {
    const EncodedColumn& column = table_.columns[index];
    i64 below = 0;
    for (std::size_t i = 0; i < best.position; ++i) below += node.weights[static_cast<u32>(keys[i])];
    const i64 present = targets.weight - missing_weight;
    Split split;
    split.column = index;
    split.n_branches = 2;
    split.missing_seen = missing_weight > 0;
    std::vector<i64> branch_present{below, present - below};
    i64 with[2] = {below, present - below};
    if (best.missing_branch != kNowhere) with[best.missing_branch] += missing_weight;
    bool turned = false;
    if (column.kind == Kind::nominal) {
      split.family = Family::subset;
      turned = list_levels(levels, static_cast<std::size_t>(keys[best.position] >> 32), split);
      if (turned) {
        std::swap(branch_present[0], branch_present[1]);
        std::swap(with[0], with[1]);
      }
    } else {
      split.family = Family::threshold;
      split.strict = settings_.strict;
      split.cuts = {make_cut(settings_, value_with(column, node, keys[best.position - 1]), value_with(column, node, keys[best.position]),
                             static_cast<Code>(keys[best.position - 1] >> 32))};
      if (settings_.drawn && !settings_.observed) split.cuts[0].at = drawn.threshold + 0.0;
    }
    const i32 heaviest = with[1] > with[0] ? 1 : 0;
    if (split.family == Family::subset) split.otherwise = heaviest;
    split.missing_to = best.missing_branch == kNowhere ? heaviest : (turned ? 1 - best.missing_branch : best.missing_branch);
    const bool all = best.missing_branch != kNowhere || missing_weight == 0;
    double before = TargetOrder{targets}.error();
    if (!all) {
      Errors errors;
      measure.beginnings(keys, {}, errors);
      before = errors[keys.size()];
    }
    if (fills(settings_.missing) && column.n_missing > 0) place_filled(column, node, targets, split);
    Candidate out =
        finished(measure, targets, std::move(split), best.error, all ? targets.weight : present, with[0], with[1], before, tried);
    out.branch_present = std::move(branch_present);
    out.sides = best.sides;
    return out;
  }

  // The first branch holds the lowest level that occurs; returns whether the order was turned for that.
  static bool list_levels(const std::vector<Code>& levels, std::size_t first_above, Split& split) {
    std::vector<std::pair<Code, u32>> listed;
    for (std::size_t place = 0; place < levels.size(); ++place) listed.emplace_back(levels[place], place >= first_above);
    std::sort(listed.begin(), listed.end());
    const bool turned = listed[0].second == 1;
    for (const auto& [code, branch] : listed) {
      split.levels.push_back(code);
      split.branch_of.push_back(turned ? 1 - branch : branch);
    }
    return turned;
  }

  static double value_with(const EncodedColumn& column, const NodeRows& node, u64 key) {
    const auto code = static_cast<Code>(key >> 32);
    const Row own = node.rows[static_cast<u32>(key)];
    if (column.codes[own] == code) return column.cells.number(own);
    // The key is of a filled cell; some other row holds the value.
    return column.cells.number(*std::find_if(node.rows.begin(), node.rows.end(), [&](Row row) { return column.codes[row] == code; }));
  }

  void place_filled(const EncodedColumn& column, const NodeRows& node, const NodeTargets& targets, Split& split) const {
    const Fill fill = find_fill(column, node, targets, settings_.missing);
    if (std::any_of(node.rows.begin(), node.rows.end(), [&](Row row) { return column.codes[row] == kMissing; })) {
      split.missing_to = static_cast<i32>(branch_of_code(split, fill.overall));
      split.missing_seen = true;
    }
  }

  const Table& table_;
  const SearchSettings& settings_;
};

}  // namespace tw
