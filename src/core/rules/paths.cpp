// Paths of a tree as rules: every leaf visited once, conditions dropped by C4.5rules' errors, and the bits of what is left.
#include "rules/paths.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "base/hash.hpp"
#include "base/numbers.hpp"
#include "rules/generalise.hpp"
#include "stats/fisher.hpp"
#include "tree/branch.hpp"

namespace tw {

namespace {

constexpr double kOneCase = 1 - 1e-9;  // a weight that is a sum of fractions may lack its rounding

// Bits of one condition: which column, and which of its tests.
class ConditionBits {
 public:
  ConditionBits(const Tree& tree, const Table& table, const WeightedRows& rows, double redundancy) : tree_(tree), redundancy_(redundancy) {
    double sum = 0;
    for (const EncodedColumn& column : table.columns) {
      double bits = 0;
      if (column.kind == Kind::numeric) {
        // To release 8 a missing cell is one more value here.
        const auto values = static_cast<double>(column.n_codes + (column.n_missing > 0));
        bits = values > 1 ? 1 + 0.5 * log2_of(values) : 0;
      } else {
        std::vector<i64> quanta(column.n_codes, 0);
        for (Row row = 0; row < table.n_rows; ++row)
          if (const Code code = column.codes[row]; code != kMissing) quanta[code] += rows.quanta(row / 64, u64{1} << (row % 64));
        for (const i64 each : quanta)
          if (const double share = rows.plain(each) / rows.total(); share > 0) bits -= share * log2_of(share);
      }
      of_column_.push_back(bits);
      sum += bits;
    }
    for (const double bits : of_column_)
      if (bits > 0) of_choice_ -= bits / sum * log2_of(bits / sum);
  }

  double operator()(const Turn& turn) const {
    const auto column = static_cast<std::size_t>(tree_.column[turn.node]);
    const bool several = static_cast<Family>(tree_.family[turn.node]) == Family::grouped;
    return of_choice_ / redundancy_ + (several ? static_cast<double>(tree_.columns[column].n_levels) : of_column_[column]);
  }

 private:
  const Tree& tree_;
  double redundancy_;
  std::vector<double> of_column_;
  double of_choice_ = 0;
};

// Scores a rule of one class by its pessimistic and its actual error, and by Fisher's test where a significance is set.
class PathScorer {
 public:
  struct Count {
    double weight = 0;
    double wrong = 0;
    Count& operator+=(const Count& other) {
      weight += other.weight;
      wrong += other.wrong;
      return *this;
    }
  };

  PathScorer(const WeightedRows& rows, const SelectSettings& settings)
      : rows_(rows), significance_(settings.significance), estimate_(settings.confidence, Estimate::quinlan) {
    if (significance_ < 1) fisher_.emplace(static_cast<u64>(std::ceil(rows_.total())));
  }

  void start(u32 label) {
    right_ = &rows_.bits(label);
    default_error_ = 1 - (rows_.of(label) + 1) / (rows_.total() + 2);
  }

  template <class Words>
  Count count(Words&& words) const {
    i64 weight = 0;
    i64 right = 0;
    words([&](std::size_t w, u64 word) {
      weight += rows_.quanta(w, word);
      right += rows_.quanta(w, word & (*right_)[w]);
    });
    return {rows_.plain(weight), rows_.plain(weight - right)};
  }

  Loosened without(const Count& now, double before, const Count& more) const {
    if (more.weight <= 0) return {before, true, true};
    const Count then{now.weight + more.weight, now.wrong + more.wrong};
    const double pessimistic = expected(then);
    return {pessimistic, true, pessimistic <= before || actual(then) <= actual(now) || by_chance(now, more)};
  }

  double expected(const Count& count) const {
    return count.weight > 0 ? (count.wrong + estimate_.extra(count.weight, count.wrong)) / count.weight : default_error_;
  }
  double default_error() const { return default_error_; }

 private:
  // A rule that covers nothing makes no error.
  static double actual(const Count& count) { return count.weight > 0 ? count.wrong / count.weight : 0; }

  // Whether a condition is not significant: the cases that satisfy it and those that fail it alone differ in error by no more than chance
  // may explain. Weights count as whole cases.
  bool by_chance(const Count& now, const Count& more) const {
    if (!fisher_) return false;
    const auto whole = [](double x) { return static_cast<u64>(std::floor(x + 1e-6)); };
    const u64 all = whole(now.weight);
    const u64 others = whole(more.weight);
    const double chance = fisher_->tail(std::min(whole(now.wrong), all), all, std::min(whole(more.wrong), others), others);
    return chance > significance_ * (1 + 1e-9);  // one in twenty is significant at 0.05, however its sum is rounded
  }

  const WeightedRows& rows_;
  double significance_;
  ErrorEstimate estimate_;
  std::optional<FisherTest> fisher_;
  const Bits* right_ = nullptr;
  double default_error_ = 1;
};

class Paths {
 public:
  Paths(const Tree& tree, const std::vector<View>& cells, const Table& table, const WeightedRows& rows, const SelectSettings& settings,
        const JobControl& job)
      : tree_(tree), cells_(cells), rows_(rows), job_(job), bits_(tree, table, rows, settings.redundancy), scorer_(rows, settings) {}

  // Every leaf that holds a case, be it in parts, with the branches that lead to it; the rows of a branch are found once for all leaves
  // below it.
  std::vector<Draft> run() {
    std::vector<Turn> path;
    std::vector<Bits> holds;
    Failures failures(rows_.size());
    struct Open {
      u32 node;
      u32 next;
    };
    std::vector<Open> stack{{0, 0}};
    while (!stack.empty()) {
      Open& open = stack.back();
      if (open.next == tree_.n_children[open.node]) {
        if (tree_.leaf(open.node) && tree_.weight[open.node] > kOneCase && !path.empty()) add(path, holds, failures, open.node);
        stack.pop_back();
        if (!stack.empty()) {
          failures.drop(holds.back());
          path.pop_back();
          holds.pop_back();
        }
        continue;
      }
      job_.check();
      const Turn turn{open.node, open.next++};
      path.push_back(turn);
      holds.push_back(satisfying(turn));
      failures.add(holds.back());
      stack.push_back({tree_.first_child[turn.node] + turn.branch, 0});
    }
    return std::move(drafts_);
  }

 private:
  using ConditionKey = std::tuple<u32, u64, u64>;

  Bits satisfying(const Turn& turn) const {
    Bits bits(rows_.words(), 0);
    const NodeTest test(tree_, turn.node);
    const auto column = static_cast<std::size_t>(tree_.column[turn.node]);
    const auto set = [&](Row row, i32 branch) { bits[row / 64] |= u64{branch == static_cast<i32>(turn.branch)} << (row % 64); };
    if (tree_.columns[column].kind == Kind::numeric || tree_.surrogates(turn.node).size() > 0 || tree_.terms(turn.node).size() > 0) {
      for (Row row = 0; row < rows_.size(); ++row) set(row, test.branch_of(ViewRow{tree_, cells_, row}));
      return bits;
    }
    // Levels are fewer than rows: each is sent once, and missing cells as one more.
    const u32 levels = tree_.columns[column].n_levels;
    std::vector<i32> branch_of(levels + 1);
    for (u32 level = 0; level <= levels; ++level) branch_of[level] = test.branch_of(OneLevel{level < levels ? i64{level} : -1});
    for (Row row = 0; row < rows_.size(); ++row) {
      const double x = cells_[column].number(row);
      set(row, branch_of[x >= 0 && x < levels ? static_cast<u32>(x) : levels]);
    }
    return bits;
  }

  // A row of one nominal column.
  struct OneLevel {
    i64 at;
    static double number(std::size_t) { return std::numeric_limits<double>::quiet_NaN(); }
    i64 level(std::size_t) const { return at; }
  };

  // Equal for equal conditions, whichever nodes they come from.
  ConditionKey key_of(const Turn& turn) const {
    const auto column = static_cast<u32>(tree_.column[turn.node]);
    const Tree::Range terms = tree_.terms(turn.node);
    const Tree::Range cuts = tree_.cuts(turn.node);
    if (terms.size() > 0 || tree_.columns[column].kind == Kind::numeric) {
      u64 of = cuts.size() == 0 ? 0 : std::bit_cast<u64>(tree_.cut_at[cuts.begin]);
      for (std::size_t t = terms.begin; t < terms.end; ++t)
        of = mix(mix(of, tree_.term_column[t]), mix(static_cast<u64>(tree_.term_level[t]), std::bit_cast<u64>(tree_.term_coefficient[t])) ^
                                                    mix(static_cast<u64>(tree_.term_by[t]) + 1));
      return {column, turn.branch, of};
    }
    const Tree::Range listed = tree_.levels(turn.node);
    u64 levels = 0;
    for (std::size_t i = listed.begin; i < listed.end; ++i)
      if (tree_.level_branch[i] == turn.branch) levels = mix(levels, tree_.level[i] + 1);
    return {column, 2, levels};
  }

  void add(const std::vector<Turn>& path, const std::vector<Bits>& holds, const Failures& failures, u32 leaf) {
    const auto label = static_cast<u32>(tree_.label[leaf]);
    scorer_.start(label);
    PathScorer::Count now;
    const std::vector<std::size_t> left = generalised(holds, failures, scorer_, now);
    const double error = scorer_.expected(now);
    if (left.empty() || now.weight <= 0 || error >= scorer_.default_error()) return;
    Draft draft;
    draft.rule.label = label;
    draft.rule.error = error;
    draft.covers = holds[left[0]];
    std::set<ConditionKey> conditions;
    for (const std::size_t i : left) {
      draft.rule.when.push_back(path[i]);
      conditions.insert(key_of(path[i]));
      draft.bits += bits_(path[i]);
      for (std::size_t w = 0; w < draft.covers.size(); ++w) draft.covers[w] &= holds[i][w];
    }
    if (draft.never_fires()) std::fill(draft.covers.begin(), draft.covers.end(), 0);
    for (std::size_t w = 0; w < draft.covers.size(); ++w)
      if (draft.covers[w] != 0) draft.words.push_back(static_cast<u32>(w));
    double orders = 0;
    for (std::size_t k = 2; k <= left.size(); ++k) orders += log2_of(static_cast<double>(k));
    draft.bits += log2_of(static_cast<double>(left.size())) - orders;
    if (seen_.emplace(label, std::move(conditions)).second) drafts_.push_back(std::move(draft));
  }

  const Tree& tree_;
  const std::vector<View>& cells_;
  const WeightedRows& rows_;
  const JobControl& job_;
  ConditionBits bits_;
  PathScorer scorer_;
  std::set<std::pair<u32, std::set<ConditionKey>>> seen_;
  std::vector<Draft> drafts_;
};

}  // namespace

std::vector<Draft> generalised_paths(const Tree& tree, const std::vector<View>& cells, const Table& table, const WeightedRows& rows,
                                     const SelectSettings& settings, const JobControl& job) {
  return Paths(tree, cells, table, rows, settings, job).run();
}

}  // namespace tw
