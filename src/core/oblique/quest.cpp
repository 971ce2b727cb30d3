// QUEST (Loh and Shih 1997): the column of a split is chosen by tests whose chances do not depend on how many cuts it has; the place by
// a quadratic discriminant of two groups of classes. Also its linear combinations: the discriminant of the groups by all columns.
#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "oblique/moments.hpp"
#include "oblique/planes.hpp"
#include "oblique/two_groups.hpp"
#include "stats/tails.hpp"

namespace tw {

namespace {

constexpr double kLevel = 0.05;  // of the tests, divided by how many there are

// Numbers of the rows of a node along one line, with their classes.
struct Line {
  std::vector<double> x;
  std::vector<u32> label;
  std::vector<double> weight;
  std::size_t classes = 0;
};

// Columns of the rows of a node that are looked at together: a run of numbers per row.
constexpr std::size_t kTogether = 4;

// Their classes in the order of columns, as by_class finds them one by one.
std::vector<Normal> by_class(const std::vector<double>& x, const std::vector<u32>& label, const std::vector<double>& weight,
                             std::size_t classes) {
  std::vector<double> total(classes, 0.0), mean(classes * kTogether, 0.0), variance(classes * kTogether, 0.0);
  for (std::size_t i = 0; i < label.size(); ++i) {
    total[label[i]] += weight[i];
    for (std::size_t c = 0; c < kTogether; ++c) mean[label[i] * kTogether + c] += weight[i] * x[i * kTogether + c];
  }
  for (std::size_t k = 0; k < classes; ++k)
    for (std::size_t c = 0; c < kTogether; ++c)
      if (total[k] > 0) mean[k * kTogether + c] /= total[k];
  for (std::size_t i = 0; i < label.size(); ++i)
    for (std::size_t c = 0; c < kTogether; ++c) {
      const double off = x[i * kTogether + c] - mean[label[i] * kTogether + c];
      variance[label[i] * kTogether + c] += weight[i] * off * off;
    }
  std::vector<Normal> out;
  for (std::size_t c = 0; c < kTogether; ++c)
    for (std::size_t k = 0; k < classes; ++k)
      out.push_back({total[k], mean[k * kTogether + c], total[k] > 0 ? variance[k * kTogether + c] / total[k] : 0});
  return out;
}

std::vector<Normal> by_class(const Line& line) {
  std::vector<Normal> out(line.classes);
  for (std::size_t i = 0; i < line.x.size(); ++i) {
    out[line.label[i]].weight += line.weight[i];
    out[line.label[i]].mean += line.weight[i] * line.x[i];
  }
  for (Normal& one : out)
    if (one.weight > 0) one.mean /= one.weight;
  for (std::size_t i = 0; i < line.x.size(); ++i) {
    Normal& one = out[line.label[i]];
    one.variance += line.weight[i] * (line.x[i] - one.mean) * (line.x[i] - one.mean);
  }
  for (Normal& one : out)
    if (one.weight > 0) one.variance /= one.weight;
  return out;
}

// ln of the chance that class means differ as much as these (analysis of variance).
double log_chance(std::span<const Normal> each) {
  double all = 0;
  double mean = 0;
  double present = 0;
  for (const Normal& one : each) {
    all += one.weight;
    mean += one.weight * one.mean;
    present += one.weight > 0;
  }
  if (present < 2 || !(all > present)) return 0;
  mean /= all;
  double between = 0;
  double within = 0;
  for (const Normal& one : each) {
    between += one.weight * (one.mean - mean) * (one.mean - mean);
    within += one.weight * one.variance;
  }
  if (!(between > 1e-14 * (between + within))) return 0;
  if (!(within > 0)) return -std::numeric_limits<double>::infinity();
  return log_f_tail((between / (present - 1)) / (within / (all - present)), present - 1, all - present);
}

double log_chance(const Line& line) { return log_chance(by_class(line)); }

// The same of the deviations from class means (Levene).
double log_chance_of_spread(Line line) {
  const std::vector<Normal> each = by_class(line);
  for (std::size_t i = 0; i < line.x.size(); ++i) line.x[i] = std::abs(line.x[i] - each[line.label[i]].mean);
  return log_chance(line);
}

// Where two groups of classes come apart along a line.
double place_along(const Line& line) {
  const std::vector<Normal> each = by_class(line);
  std::vector<double> means, weights;
  std::vector<std::size_t> present;
  for (std::size_t k = 0; k < each.size(); ++k)
    if (each[k].weight > 0) {
      means.push_back(each[k].mean);
      weights.push_back(each[k].weight);
      present.push_back(k);
    }
  const std::vector<u8> group = two_groups(means, 1, weights);
  Line two = line;
  two.classes = 2;
  std::vector<u32> of(each.size(), 0);
  for (std::size_t p = 0; p < present.size(); ++p) of[present[p]] = group[p];
  for (u32& k : two.label) k = of[k];
  const std::vector<Normal> sides = by_class(two);
  return place_between(sides[0], sides[1]);
}

class QuestPlane final : public PlaneSearch {
 public:
  QuestPlane(const ObliqueSettings& settings, const Features&) : settings_(settings) {}

  std::vector<Plane> find(const NodeMatrix& rows, Measure, u64, JobControl& job) const override {
    if (rows.n_classes < 2) return {};
    const std::vector<Moments> of_class = moments_by_class(rows, job);
    std::vector<double> means, weights;
    for (const Moments& one : of_class) {
      means.insert(means.end(), one.mean.begin(), one.mean.end());
      weights.push_back(one.weight);
    }
    const std::vector<u8> group = two_groups(means, rows.d, weights);
    Moments side[2] = {Moments(rows.d), Moments(rows.d)};
    for (std::size_t k = 0; k < group.size(); ++k) side[group[k]].add(of_class[k]);
    Discriminant by = discriminant_of(side[0], side[1], settings_.explained, job);
    Line line{values_of(by.weights, rows), rows.labels, rows.weights, 2};
    for (u32& k : line.label) k = group[k];
    const std::vector<Normal> sides = by_class(line);
    return {{std::move(by.weights), place_between(sides[0], sides[1])}};
  }

 private:
  const ObliqueSettings& settings_;
};

// One column at a time.
class QuestColumns final : public Proposer {
 public:
  QuestColumns(const Table& table, const Searcher& searcher, JobControl& job) : table_(table), searcher_(searcher), job_(job) {}

  void propose(const NodeView& node, std::span<Scratch* const> spaces, Proposals& out) const override {
    // Of the columns in the order of their chances the first that can be split.
    for (const Column j : order(node)) {
      job_.check();
      auto found = table_.columns[j].kind == Kind::numeric ? cut(j, node, *spaces[0]) : levels(j, node, *spaces[0]);
      if (!found) continue;
      out.candidates.push_back(std::move(*found));
      return;
    }
  }

  std::optional<Candidate> refit(const Candidate& candidate, const NodeView& node, Scratch& space) const override {
    return searcher_.best(node.rows, node.targets, candidate.split.column, space);
  }

 private:
  double count(i64 weight) const { return table_.weights.plain(weight); }

  Line line_of(Column j, const NodeView& node) const {
    Line line;
    line.classes = node.targets.classes.size();
    for (std::size_t i = 0; i < node.rows.rows.size(); ++i) {
      const double x = table_.columns[j].cells.number(node.rows.rows[i]);
      if (!std::isfinite(x)) continue;
      line.x.push_back(x);
      line.label.push_back(static_cast<u32>(node.targets.classes_of[i]));
      line.weight.push_back(count(node.rows.weights[i]));
    }
    return line;
  }

  // Weight by level and class.
  std::vector<double> counts_of(Column j, const NodeView& node) const {
    const std::size_t k = node.targets.classes.size();
    std::vector<double> out(table_.columns[j].n_codes * k, 0.0);
    for (std::size_t i = 0; i < node.rows.rows.size(); ++i) {
      const Code code = table_.columns[j].codes[node.rows.rows[i]];
      if (code != kMissing) out[code * k + static_cast<std::size_t>(node.targets.classes_of[i])] += count(node.rows.weights[i]);
    }
    return out;
  }

  double log_chance_of_levels(Column j, const NodeView& node) const {
    const std::size_t k = node.targets.classes.size();
    const std::vector<double> counts = counts_of(j, node);
    std::vector<double> row(counts.size() / k, 0.0), column(k, 0.0);
    double all = 0;
    for (std::size_t c = 0; c < counts.size(); ++c) {
      row[c / k] += counts[c];
      column[c % k] += counts[c];
      all += counts[c];
    }
    double statistic = 0;
    for (std::size_t c = 0; c < counts.size(); ++c) {
      const double expected = row[c / k] * column[c % k] / all;
      if (expected > 0) statistic += (counts[c] - expected) * (counts[c] - expected) / expected;
    }
    const auto used = [](const std::vector<double>& sums) {
      return std::count_if(sums.begin(), sums.end(), [](double x) { return x > 0; });
    };
    const auto degrees = static_cast<double>((used(row) - 1) * (used(column) - 1));
    return degrees > 0 ? log_chi_square_tail(statistic, degrees) : 0;
  }

  // The chances of columns without missing cells, some at a time.
  void look_together(const std::vector<Column>& columns, const NodeView& node, std::vector<double>& chance) const {
    const std::size_t n = node.rows.rows.size();
    const std::size_t k = node.targets.classes.size();
    std::vector<u32> label(n);
    std::vector<double> weight(n), x(n * kTogether);
    for (std::size_t i = 0; i < n; ++i) {
      label[i] = static_cast<u32>(node.targets.classes_of[i]);
      weight[i] = count(node.rows.weights[i]);
    }
    const std::span<const Row> rows(node.rows.rows);
    double cells[kBlock];
    for (std::size_t first = 0; first < columns.size(); first += kTogether) {
      job_.check();
      const std::size_t some = std::min(kTogether, columns.size() - first);
      for (std::size_t begin = 0; begin < n; begin += kBlock) {
        const std::size_t many = std::min(kBlock, n - begin);
        for (std::size_t c = 0; c < some; ++c) {
          cells_of(table_.columns[columns[first + c]], DerivedTerm::kNumber, 0, rows.subspan(begin, many), cells);
          for (std::size_t i = 0; i < many; ++i) x[(begin + i) * kTogether + c] = cells[i];
        }
      }
      const std::vector<Normal> found = by_class(x, label, weight, k);
      for (std::size_t c = 0; c < some; ++c) chance[columns[first + c]] = log_chance(std::span(found).subspan(c * k, k));
    }
  }

  std::vector<Column> order(const NodeView& node) const {
    const std::size_t m = table_.columns.size();
    std::vector<double> chance(m, 0.0);
    std::vector<Column> columns(m), whole;
    double numbers = 0;
    for (Column j = 0; j < m; ++j) {
      columns[j] = j;
      const bool number = table_.columns[j].kind == Kind::numeric;
      numbers += number;
      if (number && table_.columns[j].n_missing == 0)
        whole.push_back(j);
      else
        chance[j] = number ? log_chance(line_of(j, node)) : log_chance_of_levels(j, node);
    }
    look_together(whole, node, chance);
    const auto sorted = [&](const std::vector<double>& by) {
      std::stable_sort(columns.begin(), columns.end(),
                       [&](Column a, Column b) { return by[a] < by[b] && by[a] < by[b] - 1e-12 * std::abs(by[b]); });
    };
    const double least = *std::min_element(chance.begin(), chance.end());
    if (least < std::log(kLevel / static_cast<double>(m)) || numbers == 0) {
      sorted(chance);
      return columns;
    }
    std::vector<double> spread(m, 1.0);
    for (Column j = 0; j < m; ++j)
      if (table_.columns[j].kind == Kind::numeric) spread[j] = log_chance_of_spread(line_of(j, node));
    const bool differ = *std::min_element(spread.begin(), spread.end()) < std::log(kLevel / (static_cast<double>(m) + numbers));
    sorted(differ ? spread : chance);
    return columns;
  }

  // The candidate of a division in two: 0 and 1, NaN where the cell is missing; or that of known cells against missing ones.
  std::optional<Candidate> divided(Column j, const NodeView& node, const std::vector<double>& side, Scratch& space) const {
    return searcher_.best_cut(node.rows, node.targets, side, j, space);
  }

  std::optional<Candidate> cut(Column j, const NodeView& node, Scratch& space) const {
    const Line line = line_of(j, node);
    if (line.x.size() < 2) return std::nullopt;
    double at = place_along(line);
    if (!std::isfinite(at)) return std::nullopt;
    const auto [low, high] = std::minmax_element(line.x.begin(), line.x.end());
    if (!(*low < *high)) return std::nullopt;
    if (at < *low || at >= *high) at = *low + (*high - *low) / 2;
    if (at >= *high) at = *low;
    const EncodedColumn& column = table_.columns[j];
    std::vector<double> side(node.rows.rows.size());
    Cut cut{at, -std::numeric_limits<double>::infinity(), std::numeric_limits<double>::infinity(), 0};
    for (std::size_t i = 0; i < side.size(); ++i) {
      const double x = column.cells.number(node.rows.rows[i]);
      side[i] = std::isnan(x) ? x : x <= at ? 0 : 1;
      if (x <= at && x > cut.below) {
        cut.below = x;
        cut.last_below = column.codes[node.rows.rows[i]];
      }
      if (x > at) cut.above = std::min(cut.above, x);
    }
    auto found = divided(j, node, side, space);
    if (found && found->split.family == Family::threshold) found->split.cuts[0] = cut;
    return found;
  }

  // Levels on a line along which the classes lie as far apart as they can (the largest discriminant coordinate), cut as numbers are.
  std::optional<Candidate> levels(Column j, const NodeView& node, Scratch& space) const {
    const std::size_t k = node.targets.classes.size();
    const std::vector<double> counts = counts_of(j, node);
    const std::size_t n = counts.size() / k;
    std::vector<double> row(n, 0.0), column(k, 0.0);
    double all = 0;
    for (std::size_t c = 0; c < counts.size(); ++c) {
      row[c / k] += counts[c];
      column[c % k] += counts[c];
      all += counts[c];
    }
    const auto off = [&](std::size_t level, std::size_t c) {
      return (counts[level * k + c] - row[level] * column[c] / all) / std::sqrt(column[c]);
    };
    Symmetric between(k);
    for (std::size_t level = 0; level < n; ++level)
      for (std::size_t a = 0; row[level] > 0 && a < k; ++a)
        for (std::size_t b = 0; b < k; ++b)
          if (column[a] > 0 && column[b] > 0) between(a, b) += off(level, a) * off(level, b) / row[level];
    const Axes axes = axes_of(between, job_);
    if (!(axes.values[0] > 1e-14)) return std::nullopt;
    std::vector<double> score(n, 0.0);
    Line line;
    line.classes = k;
    for (std::size_t level = 0; level < n; ++level) {
      if (!(row[level] > 0)) continue;
      for (std::size_t c = 0; c < k; ++c)
        if (column[c] > 0) score[level] += axes.axes(0, c) * off(level, c) / row[level];
      for (std::size_t c = 0; c < k; ++c) {
        if (!(counts[level * k + c] > 0)) continue;
        line.x.push_back(score[level]);
        line.label.push_back(static_cast<u32>(c));
        line.weight.push_back(counts[level * k + c]);
      }
    }
    const double at = place_along(line);
    std::vector<u32> of(n, 0);
    const auto low = std::find_if(row.begin(), row.end(), [](double x) { return x > 0; }) - row.begin();
    for (std::size_t level = 0; level < n; ++level) of[level] = (score[level] <= at) != (score[static_cast<std::size_t>(low)] <= at);
    std::vector<double> side(node.rows.rows.size());
    for (std::size_t i = 0; i < side.size(); ++i) {
      const Code code = table_.columns[j].codes[node.rows.rows[i]];
      side[i] = code == kMissing ? std::numeric_limits<double>::quiet_NaN() : of[code];
    }
    auto found = divided(j, node, side, space);
    if (!found || found->split.family != Family::threshold) return found;
    Split& split = found->split;
    split.family = Family::subset;
    split.cuts.clear();
    for (std::size_t level = 0; level < n; ++level) {
      if (!(row[level] > 0)) continue;
      split.levels.push_back(static_cast<Code>(level));
      split.branch_of.push_back(of[level]);
    }
    split.otherwise = found->branch_present[1] > found->branch_present[0] ? 1 : 0;
    return found;
  }

  const Table& table_;
  const Searcher& searcher_;
  JobControl& job_;
};

std::unique_ptr<Proposer> make_columns(const Table& table, const GrowSettings& settings, const Searcher& searcher, JobControl& job) {
  if (fills(settings.search.missing)) throw Invalid("QUEST fills no missing cells: choose another missing=");
  if (!table.target.nominal()) throw Invalid("QUEST tells classes apart, the target is numbers");
  return std::make_unique<QuestColumns>(table, searcher, job);
}

const Enrol<ProposerEntry> columns({"quest-columns", "one column chosen by tests, cut by a quadratic discriminant", &make_columns});
const Enrol<ProposerEntry> planes({"quest", "the discriminant of two groups of classes", &make_planes<QuestPlane>});

}  // namespace

}  // namespace tw
