// M5's trees: grown over sorted lists, models fitted from the leaves up, pruned, and written as a tree with its models.
#include "models/m5.hpp"

#include <algorithm>
#include <cmath>

#include "base/numbers.hpp"
#include "models/m5_rows.hpp"
#include "models/m5_split.hpp"
#include "tree/builder.hpp"
#include "tree/split.hpp"

namespace tw {

namespace {

struct ModelNode {
  std::size_t begin = 0;  // of every list
  std::size_t end = 0;
  double centre = 0;     // mean of the targets
  Spread all;            // around it
  i64 first_child = -1;  // the other follows it
  Split split;
  double gain = 0;
  Term tested;
  std::vector<Term> terms;  // tested here and below
  Fitted model;
  double error = 0;       // of the subtree on the training rows, see Fitted
  double parameters = 1;  // of the subtree
};

// WEKA's, in the unit of the target: a column must be better by more than this than those before it. Of a target in a small unit nothing
// would exceed it, and in a large one it drowns in rounding: it is no more than this, and no less than kAlike, times the whole target's.
constexpr double kTolerance = 1e-6;
// WEKA's too, in the unit of a column: cells that differ by less are not cut apart. In a column in a small unit none would be cut.
constexpr double kApart = 1e-6;
constexpr double kApartOfSpread = 1e-3;

bool before(const Term& a, const Term& b) { return a.column != b.column ? a.column < b.column : a.place < b.place; }

class M5 {
 public:
  M5(const Table& table, const std::vector<View>& cells, M5Rows rows, const M5Settings& settings, JobControl& job)
      : table_(table), cells_(cells), settings_(settings), job_(job), data_(std::move(rows)) {
    grow();
    sort_by_leaf();
    fit();
  }

  ModelTree tree() { return written(std::vector<u8>(nodes_.size(), 1)); }

  // The path to the leaf of most weight, the first of equals; `covered` gets its rows.
  ModelTree heaviest(std::vector<u8>& covered) {
    std::size_t best = nodes_.size();
    std::vector<std::size_t> above(nodes_.size(), 0);
    std::vector<std::size_t> open{0};
    while (!open.empty()) {
      const std::size_t at = open.back();
      open.pop_back();
      if (nodes_[at].first_child < 0) {
        if (best == nodes_.size() || nodes_[at].all.weight > nodes_[best].all.weight) best = at;
        continue;
      }
      const auto first = static_cast<std::size_t>(nodes_[at].first_child);
      above[first] = above[first + 1] = at;
      open.push_back(first + 1);
      open.push_back(first);
    }
    covered.assign(data_.size(), 0);
    for (std::size_t i = nodes_[best].begin; i < nodes_[best].end; ++i) covered[order_[i]] = 1;
    std::vector<u8> expanded(nodes_.size(), 0);
    for (std::size_t at = best; at != 0; at = above[at]) expanded[above[at]] = 1;
    return written(expanded, best);
  }

 private:
  // The rows of a node and the spread of their targets, around their own mean: far from it sums of squares would lose what tells them
  // apart.
  ModelNode node_of(std::size_t begin, std::size_t end) const {
    ModelNode node;
    node.begin = begin;
    node.end = end;
    double sum = 0;
    for (std::size_t i = begin; i < end; ++i) {
      const auto row = static_cast<u32>(data_.lists[0][i]);
      node.all.weight += data_.weight(row);
      sum += data_.weight(row) * data_.target[row];
    }
    node.centre = sum / node.all.weight;
    for (std::size_t i = begin; i < end; ++i) {
      const auto row = static_cast<u32>(data_.lists[0][i]);
      const double away = data_.target[row] - node.centre;
      node.all.sum += data_.weight(row) * away;
      node.all.squares += data_.weight(row) * away * away;
    }
    return node;
  }

  void grow() {
    side_.resize(data_.size());
    nodes_.push_back(node_of(0, data_.size()));
    deviation_ = std::sqrt(nodes_[0].all.variance());
    const double scale = root_of(nodes_[0].all.variance(), settings_.prime);
    const double unit = root_of(1 / data_.target_scale, settings_.prime);  // its square is the root of 1, scaled as targets are
    tolerance_ = std::clamp(kTolerance * unit * unit, kAlike * scale, kTolerance * scale);
    std::vector<std::size_t> open{0};
    while (!open.empty()) {
      job_.check();
      const std::size_t at = open.back();
      open.pop_back();
      if (!divide(at)) {
        job_.done += nodes_[at].end - nodes_[at].begin;
        continue;
      }
      open.push_back(static_cast<std::size_t>(nodes_[at].first_child) + 1);
      open.push_back(static_cast<std::size_t>(nodes_[at].first_child));
    }
  }

  bool divide(std::size_t at) {
    const std::size_t begin = nodes_[at].begin;
    const std::size_t end = nodes_[at].end;
    const Spread all = nodes_[at].all;
    const double deviation = std::sqrt(all.variance());
    if (all.weight < settings_.min_split || deviation < settings_.min_deviation * deviation_ * (1 - kAlike) || !(deviation > 0))
      return false;
    const double least = settings_.prime ? (all.weight < 5 ? 2 : std::floor(all.weight / 5) + 1) : 2;
    std::optional<M5Cut> best;
    std::size_t column = 0;
    for (std::size_t j = 0; j < data_.lists.size(); ++j) {
      M5CutRules rules;
      rules.fifth_root = settings_.prime;
      rules.centre = nodes_[at].centre;
      rules.least = least;
      if (best) rules.most_left = best->left_over - tolerance_ * all.weight;
      // Every term of a nominal column is a column of its own.
      if (data_.terms.nominal(j))
        rules.step = tolerance_ * all.weight;
      else if (settings_.prime)
        rules.alike = [&, j](u32 a, u32 b) { return cell(j, b) - cell(j, a) < apart(j); };
      if (const auto cut = best_cut({data_.lists[j].data() + begin, end - begin}, data_.target, data_.weights, all, rules)) {
        best = cut;
        column = j;
      }
    }
    if (!best) return false;
    describe(nodes_[at], column, begin + best->position);
    partition(begin, end, column, begin + best->position);
    const Spread above{all.weight - best->below.weight, all.sum - best->below.sum, all.squares - best->below.squares};
    nodes_[at].gain =
        std::max(0.0, all.variance() - (best->below.weight * best->below.variance() + above.weight * above.variance()) / all.weight);
    nodes_[at].first_child = static_cast<i64>(nodes_.size());
    nodes_.push_back(node_of(begin, begin + best->position));
    nodes_.push_back(node_of(begin + best->position, end));
    return true;
  }

  double apart(std::size_t column) const { return std::min(kApart, kApartOfSpread * data_.terms.spread[column]); }
  double cell(std::size_t column, u32 row) const { return data_.terms.read(cells_[column], column, data_.origin[row]); }

  // The split between the two entries at `position` of a column's list, in terms of the column.
  void describe(ModelNode& node, std::size_t column, std::size_t position) const {
    const u64* entries = data_.lists[column].data();
    Split& split = node.split;
    split.column = static_cast<Column>(column);
    split.n_branches = 2;
    const auto last = static_cast<u32>(entries[position - 1] >> 32);
    if (data_.terms.nominal(column)) {
      split.family = Family::subset;
      node.tested = {static_cast<u32>(column), static_cast<i32>(last)};
      for (u32 level = 0; level < data_.terms.n_levels(column); ++level) {
        split.levels.push_back(level);
        split.branch_of.push_back(data_.terms.rank[data_.terms.rank_begin[column] + level] > last ? 1 : 0);
      }
      split.missing_to = static_cast<i32>(split.branch_of[static_cast<std::size_t>(data_.terms.fill[column])]);
    } else {
      split.family = Family::threshold;
      node.tested = {static_cast<u32>(column), -1};
      const double below = cell(column, static_cast<u32>(entries[position - 1]));
      const double above = cell(column, static_cast<u32>(entries[position]));
      split.cuts.push_back({midpoint(below, above, false), below, above, last});
      split.missing_to = data_.terms.fill[column] <= split.cuts[0].at ? 0 : 1;
    }
    const EncodedColumn& coded = table_.columns[column];
    for (std::size_t i = node.begin; coded.n_missing > 0 && i < node.end && !split.missing_seen; ++i)
      split.missing_seen = coded.codes[data_.origin[static_cast<u32>(entries[i])]] == kMissing;
  }

  // Divides all lists of a node, each in its order.
  void partition(std::size_t begin, std::size_t end, std::size_t column, std::size_t middle) {
    for (std::size_t i = begin; i < end; ++i) side_[static_cast<u32>(data_.lists[column][i])] = i >= middle;
    spare_.resize(end - begin);
    for (std::size_t j = 0; j < data_.lists.size(); ++j) {
      if (j == column) continue;
      u64* list = data_.lists[j].data() + begin;
      std::size_t left = 0;
      std::size_t right = 0;
      for (std::size_t i = 0; i < end - begin; ++i) {
        const u64 entry = list[i];
        const u8 side = side_[static_cast<u32>(entry)];
        list[left] = entry;
        spare_[right] = entry;
        left += 1U - side;
        right += side;
      }
      std::copy_n(spare_.data(), right, list + left);
    }
  }

  // Rows in the order of the leaves: those of every node stand together.
  void sort_by_leaf() {
    const std::size_t width = cells_.size();
    const std::size_t n = data_.size();
    std::vector<double> rows(data_.cells.size());
    std::vector<double> target(n);
    std::vector<double> weights(data_.weights.size());
    order_.resize(n);
    for (std::size_t i = 0; i < n; ++i) {
      const auto row = static_cast<u32>(data_.lists[0][i]);
      order_[i] = row;
      std::copy_n(data_.cells.data() + row * width, width, rows.data() + i * width);
      target[i] = data_.target[row];
      if (!weights.empty()) weights[i] = data_.weights[row];
    }
    data_.cells = std::move(rows);
    data_.target = std::move(target);
    data_.weights = std::move(weights);
    data_.lists = {};
  }

  // From the leaves up: models, and whether a node's own is expected to err no more than its subtree.
  void fit() {
    const ModelRows rows{data_.cells, cells_.size(), data_.target, data_.weights};
    const Dropping dropping = settings_.prime ? Dropping::akaike : Dropping::estimate;
    const double times = settings_.prime ? 2 : 1;
    for (std::size_t at = nodes_.size(); at-- > 0;) {
      job_.check();
      ModelNode& node = nodes_[at];
      const double n = node.all.weight;
      if (node.first_child >= 0) join_terms(node);
      node.model = regress(rows, node.begin, node.end, settings_.linear ? node.terms : std::vector<Term>{}, dropping);
      node.error = node.model.error;
      if (node.first_child < 0) continue;
      ModelNode& left = nodes_[static_cast<std::size_t>(node.first_child)];
      ModelNode& right = nodes_[static_cast<std::size_t>(node.first_child) + 1];
      const auto measure = [&](double error) { return settings_.prime ? std::sqrt(error / n) : error / n; };
      const double v = static_cast<double>(node.model.terms.size() + 1);
      const double own = measure(node.model.error) * adjusted(n, v, times);
      const double below = measure(left.error + right.error) * adjusted(n, left.parameters + right.parameters + 1, times);
      if (settings_.pruned && (own <= below + kAlike * deviation_ || own < 1e-5 * deviation_)) {
        node.first_child = -1;
        node.parameters = v;
      } else {
        node.error = left.error + right.error;
        node.parameters = left.parameters + right.parameters + 1;
      }
    }
  }

  void join_terms(ModelNode& node) {
    std::vector<Term>& left = nodes_[static_cast<std::size_t>(node.first_child)].terms;
    std::vector<Term>& right = nodes_[static_cast<std::size_t>(node.first_child) + 1].terms;
    std::set_union(left.begin(), left.end(), right.begin(), right.end(), std::back_inserter(node.terms), before);
    const auto place = std::lower_bound(node.terms.begin(), node.terms.end(), node.tested, before);
    if (place == node.terms.end() || before(node.tested, *place)) node.terms.insert(place, node.tested);
    left = {};
    right = {};
  }

  // The tree in which nodes that are not `expanded` are leaves.
  ModelTree written(const std::vector<u8>& expanded, std::size_t chosen = 0) {
    Builder builder(0);
    std::vector<std::pair<std::size_t, u32>> open{{0, 0}};
    while (!open.empty()) {
      const auto [at, id] = open.back();
      open.pop_back();
      const ModelNode& node = nodes_[at];
      NodeFacts facts;
      facts.weight = node.all.weight;
      facts.value = (node.centre + data_.target_mean) * data_.target_scale;
      facts.impurity = std::min(node.all.variance() * data_.target_scale * data_.target_scale, std::numeric_limits<double>::max());
      builder.describe(id, facts);
      if (node.first_child < 0 || !expanded[at]) continue;
      const double gain = std::min(node.gain * data_.target_scale * data_.target_scale, std::numeric_limits<double>::max());
      const u32 first = builder.divide(id, node.split, gain);
      open.emplace_back(static_cast<std::size_t>(node.first_child) + 1, first + 1);
      open.emplace_back(static_cast<std::size_t>(node.first_child), first);
    }
    std::vector<TreeColumn> columns;
    for (std::size_t j = 0; j < cells_.size(); ++j) {
      const u32 n_levels = data_.terms.nominal(j) ? data_.terms.n_levels(j) : 0;
      // Declared levels have a place, whether they occurred or not.
      columns.push_back({static_cast<Kind>(data_.terms.kind[j]), n_levels, std::vector<u8>(n_levels, 1)});
    }
    ModelTree out{std::move(builder).finish(std::move(columns), false), {}, 0};
    write_models(out, chosen);
    return out;
  }

  void write_models(ModelTree& out, std::size_t chosen) {
    std::vector<std::size_t> node_of(out.tree.size(), 0);
    LinearModels& models = out.models;
    models.terms = data_.terms;
    models.term_begin.push_back(0);
    for (std::size_t id = 0; id < out.tree.size(); ++id) {
      const ModelNode& node = nodes_[node_of[id]];
      if (node_of[id] == chosen) out.chosen = static_cast<u32>(id);
      for (u32 b = 0; b < out.tree.n_children[id]; ++b)
        node_of[out.tree.first_child[id] + b] = static_cast<std::size_t>(node.first_child) + b;
      double intercept = (node.model.intercept + data_.target_mean) * data_.target_scale;
      bool finite = true;
      std::vector<double> coefficients;
      for (std::size_t i = 0; i < node.model.terms.size(); ++i) {
        const u32 column = node.model.terms[i].column;
        const double coefficient = node.model.coefficients[i] / data_.scale[column] * data_.target_scale;
        if (!data_.terms.nominal(column)) intercept -= coefficient * data_.terms.fill[column];
        coefficients.push_back(coefficient);
        finite = finite && std::isfinite(coefficient);
      }
      if (finite && std::isfinite(intercept)) {
        for (std::size_t i = 0; i < coefficients.size(); ++i) {
          models.term_column.push_back(node.model.terms[i].column);
          models.term_place.push_back(node.model.terms[i].place);
          models.coefficient.push_back(coefficients[i]);
        }
      } else {
        intercept = out.tree.value[id];  // slopes that overflow: the mean is predicted
      }
      models.intercept.push_back(intercept);
      models.term_begin.push_back(static_cast<u32>(models.coefficient.size()));
    }
  }

  const Table& table_;
  const std::vector<View>& cells_;
  const M5Settings& settings_;
  JobControl& job_;
  M5Rows data_;
  std::vector<u32> order_;  // rows in the order of the leaves
  double deviation_ = 0;
  double tolerance_ = 0;
  std::vector<u8> side_;
  std::vector<u64> spare_;
  std::vector<ModelNode> nodes_;
};

}  // namespace

ModelTree grow_m5(const Table& table, const std::vector<View>& cells, const M5Settings& settings, JobControl& job) {
  job.total = table.n_rows;
  return M5(table, cells, read_m5_rows(table, cells, job), settings, job).tree();
}

std::vector<ModelTree> cover_m5(const Table& table, const std::vector<View>& cells, const M5Settings& settings, JobControl& job) {
  job.total = table.n_rows;
  M5Rows left = read_m5_rows(table, cells, job);
  std::vector<ModelTree> out;
  std::vector<u8> covered;
  while (left.size() > 0) {
    out.push_back(M5(table, cells, left, settings, job).heaviest(covered));
    left.remove(covered);
    job.done = table.n_rows - left.size();
  }
  return out;
}

}  // namespace tw
