// Targets of a node as small whole numbers, and its facts.
#include <algorithm>

#include "base/prefetch.hpp"
#include "search/number_targets.hpp"
#include "search/search.hpp"

namespace tw {

void weigh_classes(const Table& table, NodeTargets& targets) {
  targets.facts.classes.clear();
  targets.weight = 0;
  i64 largest = 0;
  for (std::size_t k = 0; k < targets.classes.size(); ++k) {
    const i64 weight = targets.class_total[k];
    targets.weight += weight;
    largest = std::max(largest, weight);
    targets.facts.classes.emplace_back(targets.classes[k], table.weights.plain(weight));
  }
  targets.class_total.push_back(targets.weight);
  targets.pure = targets.classes.size() <= 1;
  targets.largest_share = static_cast<double>(largest) / static_cast<double>(targets.weight);
  targets.facts.weight = table.weights.plain(targets.weight);
  targets.facts.value = 0;
}

void read_classes(const Table& table, const NodeRows& node, NodeTargets& targets) {
  const auto& class_of = table.target.class_of;
  const std::size_t n = node.rows.size();
  targets.classes_of.resize(n);
  targets.classes.clear();
  // Classes are counted over all of them when they are few, by sorting the node's own otherwise: a small node of a table with
  // thousands of classes must not pay for those.
  std::vector<i64>& weight = targets.class_total;
  weight.clear();
  if (table.target.n_classes <= 4 * n + 16) {
    std::vector<i64>& all = targets.counts;
    all.assign(table.target.n_classes, 0);
    for (std::size_t i = 0; i < n; ++i) {
      if (i + kPrefetchDistance < n) prefetch(class_of.data() + node.rows[i + kPrefetchDistance]);
      const u32 k = class_of[node.rows[i]];
      targets.classes_of[i] = static_cast<i32>(k);
      all[k] += node.weights[i];
    }
    std::vector<i32>& local = targets.local;
    local.assign(table.target.n_classes, -1);
    for (u32 k = 0; k < table.target.n_classes; ++k) {
      if (all[k] == 0) continue;
      local[k] = static_cast<i32>(targets.classes.size());
      targets.classes.push_back(k);
      weight.push_back(all[k]);
    }
    if (targets.classes.size() < table.target.n_classes)
      for (i32& k : targets.classes_of) k = local[static_cast<std::size_t>(k)];
  } else {
    for (std::size_t i = 0; i < n; ++i) targets.classes.push_back(class_of[node.rows[i]]);
    std::sort(targets.classes.begin(), targets.classes.end());
    targets.classes.erase(std::unique(targets.classes.begin(), targets.classes.end()), targets.classes.end());
    weight.assign(targets.classes.size(), 0);
    for (std::size_t i = 0; i < n; ++i) {
      const auto at = std::lower_bound(targets.classes.begin(), targets.classes.end(), class_of[node.rows[i]]);
      targets.classes_of[i] = static_cast<i32>(at - targets.classes.begin());
      weight[static_cast<std::size_t>(targets.classes_of[i])] += node.weights[i];
    }
  }
  // Whoever looks through a column in order reads them.
  constexpr std::size_t kMostWordClasses = 1 << 16;
  const auto numeric = [](const EncodedColumn& column) { return column.kind == Kind::numeric; };
  const bool ordered = std::any_of(table.columns.begin(), table.columns.end(), numeric);
  targets.class_weight_words.resize(ordered && targets.classes.size() <= kMostWordClasses ? n : 0);
  for (std::size_t i = 0; i < targets.class_weight_words.size(); ++i)
    targets.class_weight_words[i] = node.weights[i] << 16 | targets.classes_of[i];
  weigh_classes(table, targets);
}

ColumnSummary Searcher::summarise(const NodeRows&, const NodeTargets&, Column, Scratch&) const {
  throw Invalid("this criterion judges the rows of a node together");
}
std::optional<Candidate> Searcher::choose(const ColumnSummary&, const NodeTargets&, Column) const {
  throw Invalid("this criterion judges the rows of a node together");
}
std::optional<Candidate> Searcher::best_cut(const NodeRows&, const NodeTargets&, const std::vector<double>&, Column, Scratch&) const {
  return std::nullopt;
}
std::optional<Candidate> Searcher::of_division(const NodeRows&, const NodeTargets&, const std::vector<u32>&, u32, Scratch&) const {
  return std::nullopt;
}
double Searcher::gain_of(const NodeRows&, const NodeTargets&, Column, const std::vector<i8>&) const { return 0; }

Decision least_loss(const SearchSettings& settings, u32 n_classes, const std::vector<u32>& classes, const i64* cells) {
  Decision best{std::numeric_limits<double>::infinity(), 0};
  const double tie = divides_rows(settings.missing) ? 1 - 0x1p-27 : 1;
  const auto counts = [&](std::size_t k) {
    return static_cast<double>(cells[k]) * (settings.priors.empty() ? 1 : settings.priors[classes[k]]);
  };
  const auto loss_of = [&](u32 answer) {
    double sum = 0;
    for (std::size_t k = 0; k < classes.size(); ++k) sum += counts(k) * settings.loss_of(classes[k], answer, n_classes);
    return sum;
  };
  const auto consider = [&](double loss, u32 answer) {
    if (loss < best.loss * tie) best = {loss, answer};
  };
  if (!settings.loss.empty()) {
    for (u32 answer = 0; answer < n_classes; ++answer) consider(loss_of(answer), answer);
    return best;
  }
  // Of many classes, what is lost is told from the sum of all instead of added up for every answer.
  const bool many = classes.size() > 2 * kManyClasses;
  double all = 0;
  for (std::size_t k = 0; k < classes.size(); ++k) all += counts(k);
  // All answers that do not occur cost the same, and the first of them is taken, if any.
  u32 absent = 0;
  while (absent < classes.size() && classes[absent] == absent) ++absent;
  for (std::size_t k = 0; k < classes.size(); ++k) {
    if (k == absent) consider(all, absent);
    consider(many ? all - counts(k) : loss_of(classes[k]), classes[k]);
  }
  return best;
}

void read_numbers(const Table& table, const NodeRows& node, NodeTargets& targets) {
  std::vector<double> values;
  values.reserve(node.rows.size());
  i64 total = 0;
  for (std::size_t i = 0; i < node.rows.size(); ++i) {
    values.push_back(table.target.value[node.rows[i]]);
    total += node.weights[i];
  }
  describe_numbers(table, values.data(), node.weights.data(), values.size(), total, targets);
}

void describe_numbers(const Table& table, const double* values, const i64* weights, std::size_t n, i64 total, NodeTargets& targets) {
  targets.steps_of.resize(n);
  describe_numbers(table, read_target(values, weights, n, total, targets.steps_of.data()), total, targets);
}

void describe_numbers(const Table& table, const TargetFacts& facts, i64 total, NodeTargets& targets) {
  targets.weight = total;
  targets.grid = facts.grid;
  targets.pure = facts.constant;
  targets.largest_share = 0;
  targets.facts.weight = table.weights.plain(targets.weight);
  targets.facts.value = facts.mean;
  targets.facts.impurity = std::min(facts.variance, std::numeric_limits<double>::max());
  targets.facts.label = -1;
}

}  // namespace tw
