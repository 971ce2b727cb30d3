#include "models/m5.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/numbers.hpp"
#include "models/m5_split.hpp"
#include "tree/builder.hpp"

namespace tw {

namespace {

struct ModelNode {
  std::size_t begin = 0;  // of every list
  std::size_t end = 0;
  Spread all;
  i64 first_child = -1;  // the other stands behind it
  Split split;
  double gain = 0;
  Term tested;
  std::vector<Term> terms;  // tested here and below
  Fitted model;
  double error = 0;       // of the subtree on the training rows, see Fitted
  double parameters = 1;  // of the subtree
};

bool before(const Term& a, const Term& b) { return a.column != b.column ? a.column < b.column : a.place < b.place; }

class M5 {
 public:
  M5(const Table& table, const std::vector<View>& cells, const M5Settings& settings, Work& work)
      : table_(table), cells_(cells), settings_(settings), work_(work) {}

  ModelTree run() {
    read();
    grow();
    line_up();
    fit();
    return written();
  }

 private:
  // Targets and cells around their mean, divided by a power of two: sums of squares neither overflow nor lose digits.
  void read() {
    const std::size_t n = table_.n_rows;
    if (table_.weights.quanta.empty() && table_.weights.each == 1) {
      total_ = static_cast<double>(n);
    } else {
      weights_.resize(n);
      for (Row row = 0; row < n; ++row) weights_[row] = table_.weights.plain(table_.weights[row]);
      total_ = std::accumulate(weights_.begin(), weights_.end(), 0.0);
    }
    std::vector<Kind> kinds;
    std::vector<u32> levels;
    for (const EncodedColumn& column : table_.columns) {
      kinds.push_back(column.kind);
      levels.push_back(column.kind == Kind::nominal ? column.n_codes : 0);
    }
    terms_ = learn_terms(cells_, kinds, levels, table_.target.value, weights_);
    rows_ = read_rows(terms_, cells_, n);
    scale_.assign(cells_.size(), 1);
    const std::size_t width = cells_.size();
    for (std::size_t j = 0; j < width; ++j) {
      if (terms_.nominal(j) || !(terms_.spread[j] > 0)) continue;
      scale_[j] = power_of_two(terms_.spread[j]);
      for (std::size_t row = 0; row < n; ++row) rows_[row * width + j] = (rows_[row * width + j] - terms_.fill[j]) / scale_[j];
    }
    read_target();
    list_rows();
  }

  static double power_of_two(double size) {
    int exponent = 0;
    std::frexp(size, &exponent);
    return std::ldexp(1, std::clamp(exponent, -1000, 1000));
  }

  void read_target() {
    const auto& value = table_.target.value;
    double largest = 0;
    for (const double y : value) largest = std::max(largest, std::fabs(y));
    target_scale_ = largest > 0 ? power_of_two(largest) : 1;
    target_.resize(value.size());
    double sum = 0;
    for (std::size_t i = 0; i < value.size(); ++i) {
      target_[i] = value[i] / target_scale_;
      sum += (weights_.empty() ? 1 : weights_[i]) * target_[i];
    }
    target_mean_ = sum / total_;
    for (double& y : target_) y -= target_mean_;
  }

  // Every column once in order, as code << 32 | row; nominal ones by the places of their levels.
  void list_rows() {
    const std::size_t n = table_.n_rows;
    lists_.resize(cells_.size());
    for (std::size_t j = 0; j < cells_.size(); ++j) {
      work_.check();
      const EncodedColumn& column = table_.columns[j];
      std::vector<u32> code(n);
      if (column.kind == Kind::nominal) {
        for (std::size_t row = 0; row < n; ++row) code[row] = static_cast<u32>(rows_[row * cells_.size() + j]);
      } else {
        // A filled cell stands between the ranks of its neighbours, or with its equals: ranks are doubled to make room.
        u32 fill = 0;
        bool equal = false;
        if (column.n_missing > 0)
          for (std::size_t row = 0; row < n; ++row) {
            if (column.codes[row] == kMissing) continue;
            const double cell = cells_[j].number(row);
            if (cell <= terms_.fill[j]) fill = std::max(fill, column.codes[row] + 1);
            equal = equal || cell == terms_.fill[j];
          }
        for (std::size_t row = 0; row < n; ++row)
          code[row] = column.codes[row] == kMissing ? 2 * fill - (equal ? 1 : 0) : 2 * column.codes[row] + 1;
      }
      std::vector<u32> begin(2 * std::size_t{column.n_codes} + 3, 0);
      for (const u32 c : code) ++begin[c + 1];
      std::partial_sum(begin.begin(), begin.end(), begin.begin());
      lists_[j].resize(n);
      for (std::size_t row = 0; row < n; ++row) lists_[j][begin[code[row]]++] = u64{code[row]} << 32 | row;
    }
  }

  Spread spread_of(std::size_t begin, std::size_t end) const {
    Spread all;
    for (std::size_t i = begin; i < end; ++i) {
      const auto row = static_cast<u32>(lists_[0][i]);
      const double w = weights_.empty() ? 1 : weights_[row];
      all.weight += w;
      all.sum += w * target_[row];
      all.squares += w * target_[row] * target_[row];
    }
    return all;
  }

  void grow() {
    side_.resize(table_.n_rows);
    nodes_.emplace_back();
    nodes_[0].end = table_.n_rows;
    nodes_[0].all = spread_of(0, table_.n_rows);
    deviation_ = std::sqrt(nodes_[0].all.variance());
    // WEKA's 1e-6 is in the unit of the target; relative to the target itself no unit matters.
    tolerance_ = 1e-6 * root_of(nodes_[0].all.variance(), settings_.prime);
    std::vector<std::size_t> open{0};
    while (!open.empty()) {
      work_.check();
      const std::size_t at = open.back();
      open.pop_back();
      if (!divide(at)) {
        work_.done += nodes_[at].end - nodes_[at].begin;
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
    if (all.weight < settings_.min_split || deviation < settings_.min_deviation * deviation_ || !(deviation > 0)) return false;
    const double least = settings_.prime ? (all.weight < 5 ? 2 : std::floor(all.weight / 5) + 1) : 2;
    const double now = root_of(all.variance(), settings_.prime);
    std::optional<M5Cut> best;
    std::size_t column = 0;
    double fall = -std::numeric_limits<double>::infinity();
    for (std::size_t j = 0; j < lists_.size(); ++j) {
      const auto cut = best_cut({lists_[j].data() + begin, end - begin}, target_, weights_, all, least, settings_.prime);
      if (!cut || !(now - cut->left_over / all.weight > fall + tolerance_)) continue;
      best = cut;
      fall = now - cut->left_over / all.weight;
      column = j;
    }
    if (!best) return false;
    describe(nodes_[at], column, begin + best->position);
    part(begin, end, column, begin + best->position);
    const Spread above{all.weight - best->below.weight, all.sum - best->below.sum, all.squares - best->below.squares};
    nodes_[at].gain =
        std::max(0.0, all.variance() - (best->below.weight * best->below.variance() + above.weight * above.variance()) / all.weight);
    nodes_[at].first_child = static_cast<i64>(nodes_.size());
    for (const auto& [from, to] : {std::pair{begin, begin + best->position}, std::pair{begin + best->position, end}}) {
      ModelNode child;
      child.begin = from;
      child.end = to;
      child.all = spread_of(from, to);
      nodes_.push_back(std::move(child));
    }
    return true;
  }

  // The split between the two entries at `position` of a column's list, in terms of the column.
  void describe(ModelNode& node, std::size_t column, std::size_t position) const {
    const u64* entries = lists_[column].data();
    Split& split = node.split;
    split.column = static_cast<Column>(column);
    split.n_branches = 2;
    const auto last = static_cast<u32>(entries[position - 1] >> 32);
    if (terms_.nominal(column)) {
      split.family = Family::subset;
      node.tested = {static_cast<u32>(column), static_cast<i32>(last)};
      for (u32 level = 0; level < terms_.n_levels(column); ++level) {
        split.levels.push_back(level);
        split.branch_of.push_back(terms_.rank[terms_.rank_begin[column] + level] > last ? 1 : 0);
      }
      split.missing_to = static_cast<i32>(split.branch_of[static_cast<std::size_t>(terms_.fill[column])]);
    } else {
      split.family = Family::threshold;
      node.tested = {static_cast<u32>(column), -1};
      const double below = terms_.read(cells_[column], column, static_cast<u32>(entries[position - 1]));
      const double above = terms_.read(cells_[column], column, static_cast<u32>(entries[position]));
      split.cuts.push_back({midpoint(below, above, false), below, above, last});
      split.missing_to = terms_.fill[column] <= split.cuts[0].at ? 0 : 1;
    }
    const EncodedColumn& coded = table_.columns[column];
    for (std::size_t i = node.begin; coded.n_missing > 0 && i < node.end && !split.missing_seen; ++i)
      split.missing_seen = coded.codes[static_cast<u32>(entries[i])] == kMissing;
  }

  // Divides all lists of a node, each in its order.
  void part(std::size_t begin, std::size_t end, std::size_t column, std::size_t middle) {
    for (std::size_t i = begin; i < end; ++i) side_[static_cast<u32>(lists_[column][i])] = i >= middle;
    spare_.resize(end - begin);
    for (std::size_t j = 0; j < lists_.size(); ++j) {
      if (j == column) continue;
      u64* list = lists_[j].data() + begin;
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
  void line_up() {
    const std::size_t width = cells_.size();
    const std::size_t n = table_.n_rows;
    std::vector<double> rows(rows_.size());
    std::vector<double> target(n);
    std::vector<double> weights(weights_.size());
    for (std::size_t i = 0; i < n; ++i) {
      const auto row = static_cast<u32>(lists_[0][i]);
      std::copy_n(rows_.data() + row * width, width, rows.data() + i * width);
      target[i] = target_[row];
      if (!weights.empty()) weights[i] = weights_[row];
    }
    rows_ = std::move(rows);
    target_ = std::move(target);
    weights_ = std::move(weights);
    lists_ = {};
  }

  // From the leaves up: models, and whether a node's own is expected to err no more than what hangs below it.
  void fit() {
    const ModelRows rows{rows_, cells_.size(), target_, weights_};
    const Dropping dropping = settings_.prime ? Dropping::akaike : Dropping::estimate;
    const double times = settings_.prime ? 2 : 1;
    for (std::size_t at = nodes_.size(); at-- > 0;) {
      work_.check();
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
      if (settings_.pruned && (own <= below || own < 1e-5 * deviation_)) {
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

  ModelTree written() {
    Builder builder(0);
    std::vector<std::pair<std::size_t, u32>> open{{0, 0}};
    while (!open.empty()) {
      const auto [at, id] = open.back();
      open.pop_back();
      const ModelNode& node = nodes_[at];
      NodeFacts facts;
      facts.weight = node.all.weight;
      facts.value = (node.all.sum / node.all.weight + target_mean_) * target_scale_;
      facts.impurity = std::min(node.all.variance() * target_scale_ * target_scale_, std::numeric_limits<double>::max());
      builder.describe(id, facts);
      if (node.first_child < 0) continue;
      const double gain = std::min(node.gain * target_scale_ * target_scale_, std::numeric_limits<double>::max());
      const u32 first = builder.divide(id, node.split, gain);
      open.emplace_back(static_cast<std::size_t>(node.first_child) + 1, first + 1);
      open.emplace_back(static_cast<std::size_t>(node.first_child), first);
    }
    std::vector<TreeColumn> columns;
    for (std::size_t j = 0; j < cells_.size(); ++j) {
      const u32 n_levels = terms_.nominal(j) ? terms_.n_levels(j) : 0;
      // Levels that were declared have a place, whether they occurred or not.
      columns.push_back({static_cast<Kind>(terms_.kind[j]), n_levels, std::vector<u8>(n_levels, 1)});
    }
    ModelTree out{std::move(builder).finish(std::move(columns), false), {}};
    write_models(out);
    return out;
  }

  void write_models(ModelTree& out) {
    std::vector<std::size_t> node_of(out.tree.size(), 0);
    LinearModels& models = out.models;
    models.terms = terms_;
    models.term_begin.push_back(0);
    for (std::size_t id = 0; id < out.tree.size(); ++id) {
      const ModelNode& node = nodes_[node_of[id]];
      for (u32 b = 0; b < out.tree.n_children[id]; ++b)
        node_of[out.tree.first_child[id] + b] = static_cast<std::size_t>(node.first_child) + b;
      double intercept = (node.model.intercept + target_mean_) * target_scale_;
      bool finite = true;
      std::vector<double> coefficients;
      for (std::size_t i = 0; i < node.model.terms.size(); ++i) {
        const u32 column = node.model.terms[i].column;
        const double coefficient = node.model.coefficients[i] / scale_[column] * target_scale_;
        if (!terms_.nominal(column)) intercept -= coefficient * terms_.fill[column];
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
        intercept = out.tree.value[id];  // slopes beyond the range of numbers: the mean is said
      }
      models.intercept.push_back(intercept);
      models.term_begin.push_back(static_cast<u32>(models.coefficient.size()));
    }
  }

  const Table& table_;
  const std::vector<View>& cells_;
  const M5Settings& settings_;
  Work& work_;
  Terms terms_;
  std::vector<double> rows_, scale_, target_, weights_;
  double total_ = 0;
  double target_mean_ = 0;
  double target_scale_ = 1;
  double deviation_ = 0;
  double tolerance_ = 0;
  std::vector<std::vector<u64>> lists_;
  std::vector<u8> side_;
  std::vector<u64> spare_;
  std::vector<ModelNode> nodes_;
};

}  // namespace

ModelTree grow_m5(const Table& table, const std::vector<View>& cells, const M5Settings& settings, Work& work) {
  work.total = table.n_rows;
  return M5(table, cells, settings, work).run();
}

}  // namespace tw
