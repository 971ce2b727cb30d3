// Logistic models of the nodes of a tree: terms of a table, steps by cross-validation, fitting from the root down.
#include "models/logistic.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/numbers.hpp"
#include "models/scores.hpp"

namespace tw {

LogisticTable::LogisticTable(std::vector<View> cells, const std::vector<Kind>& kinds, const std::vector<u32>& levels,
                             std::vector<u32> class_of, u32 n_classes, const Weights& weights, std::vector<u32> fold)
    : cells_(std::move(cells)), fold_(std::move(fold)) {
  const std::size_t n = class_of.size();
  for (const i64 quanta : weights.quanta) boost_.weights.push_back(std::ldexp(static_cast<double>(quanta), -weights.shift));
  boost_.each = weights.each;
  terms_ = learn_fills(cells_, kinds, levels, n, boost_.weights);
  boost_.read = read_rows(terms_, cells_, n);
  boost_.columns = terms_.columns();
  for (u32 j = 0; j < terms_.columns(); ++j) {
    if (!terms_.nominal(j)) boost_.term.push_back({j, -1});
    if (terms_.n_levels(j) == 2) boost_.term.push_back({j, 0});
    for (u32 level = 0; terms_.n_levels(j) > 2 && level < terms_.n_levels(j); ++level) boost_.term.push_back(Term::is_at(j, level));
  }
  for (const Term& term : boost_.term) {
    const bool scaled = term.place == -1 && terms_.spread[term.column] > 0;
    boost_.middle.push_back(scaled ? terms_.fill[term.column] : 0);
    boost_.scale.push_back(scaled ? terms_.spread[term.column] : 1);
  }
  boost_.width = boost_.term.size();
  boost_.n_classes = n_classes;
  std::vector<u8> occurs(n_classes, 0);
  for (const u32 k : class_of) occurs[k] = 1;
  for (u32 k = 0; k < n_classes; ++k)
    if (occurs[k]) boost_.occurring.push_back(k);
  boost_.class_of = std::move(class_of);
  boost_.cells.resize(n * boost_.width);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t t = 0; t < boost_.term.size(); ++t)
      boost_.cells[i * boost_.width + t] = (boost_.term[t].of(row(i)) - boost_.middle[t]) / boost_.scale[t];
  for (const u32 f : fold_) n_folds_ = std::max(n_folds_, f + 1);
}

bool LogisticTable::missing(std::size_t row, std::size_t column) const {
  const double cell = cells_[column].number(row);
  return terms_.nominal(column) ? !(cell >= 0 && cell < terms_.n_levels(column)) : cell != cell;
}

void LogisticTable::write(const Committee& committee, LinearModels& models) const {
  for (u32 k = 0; k < boost_.n_classes; ++k) {
    const bool occurs = std::binary_search(boost_.occurring.begin(), boost_.occurring.end(), k);
    double intercept = committee.intercept[k];
    for (std::size_t t = 0; occurs && t < boost_.term.size(); ++t) {
      const double slope = committee.slope[k * boost_.width + t] / boost_.scale[t];
      if (slope == 0 || !std::isfinite(slope)) continue;
      intercept -= slope * boost_.middle[t];
      models.term_column.push_back(boost_.term[t].column);
      models.term_place.push_back(boost_.term[t].place);
      models.coefficient.push_back(slope);
    }
    models.intercept.push_back(occurs ? bounded(intercept) : kNever);
    models.term_begin.push_back(static_cast<u32>(models.coefficient.size()));
  }
}

Committee SparseCommittee::full(u32 n_classes, std::size_t width) const {
  Committee out(n_classes, width);
  out.intercept = intercept;
  for (const auto& [at, value] : slope) out.slope[at] = value;
  return out;
}

double weight_of(const BoostTable& table, std::span<const u32> rows) {
  double sum = 0;
  for (const u32 row : rows) sum += table.weight(row);
  return sum;
}

namespace {

SparseCommittee sparse(const Committee& committee) {
  SparseCommittee out;
  out.intercept = committee.intercept;
  for (std::size_t i = 0; i < committee.slope.size(); ++i)
    if (committee.slope[i] != 0) out.slope.emplace_back(static_cast<u32>(i), committee.slope[i]);
  return out;
}

// The rows of the fold that is left out, scored step by step.
struct Validation {
  const BoostTable& table;
  std::span<const u32> rows;
  std::vector<double> scores;
  double weight = 0;

  Validation(const BoostTable& t, std::span<const u32> r, const Committee& start)
      : table(t), rows(r), scores(r.size() * t.n_classes), weight(weight_of(t, r)) {
    for (std::size_t i = 0; i < rows.size(); ++i) start.score(table.row(rows[i]), table.width, scores.data() + i * table.n_classes);
  }
  void add_step(const Booster& booster) {
    for (std::size_t i = 0; i < rows.size(); ++i) booster.add_last(table.row(rows[i]), scores.data() + i * table.n_classes);
  }
  double error() const {
    double wrong = 0;
    for (std::size_t i = 0; i < rows.size(); ++i)
      if (predicted_class(scores.data() + i * table.n_classes, table.occurring) != table.class_of[rows[i]]) wrong += table.weight(rows[i]);
    return wrong / weight;
  }
};

// One fold: adds the errors after every step to `error`, and returns how many steps were made.
u32 try_fold(Booster& booster, Validation& validation, u32 most, u32 patience, std::vector<double>& error, const JobControl& job) {
  error[0] += validation.error();
  double least = std::numeric_limits<double>::max();
  u32 idle = 0;
  u32 steps = 0;
  while (steps < most) {
    job.check();
    if (!booster.step()) break;
    ++steps;
    validation.add_step(booster);
    error[steps] += validation.error();
    if (idle > patience) break;
    idle = error[steps] < least ? 0 : idle + 1;
    least = std::min(least, error[steps]);
  }
  return steps;
}

}  // namespace

u32 best_steps(const LogisticTable& table, std::span<const u32> rows, const Committee& start, const LogisticSettings& settings,
               const JobControl& job) {
  std::vector<double> error(settings.most + 1, 0);
  u32 completed = settings.most;
  for (u32 fold = 0; fold < table.n_folds(); ++fold) {
    std::vector<u32> train;
    std::vector<u32> test;
    for (const u32 row : rows) (table.fold()[row] == fold ? test : train).push_back(row);
    if (train.empty() || test.empty()) continue;
    Booster booster(table.boost(), train, start);
    Validation validation(table.boost(), test, start);
    completed = try_fold(booster, validation, completed, settings.patience, error, job);
  }
  return static_cast<u32>(std::min_element(error.begin(), error.begin() + completed + 1) - error.begin());
}

namespace {

double mean_entropy(const Booster& booster, const BoostTable& table, std::span<const u32> rows) {
  std::vector<double> share(table.occurring.size());
  double sum = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (std::size_t k = 0; k < share.size(); ++k) share[k] = booster.scores()[i * table.n_classes + table.occurring[k]];
    to_shares(share.data(), share.size());
    for (const double p : share)
      if (p > 0) sum -= table.weight(rows[i]) * p * log2_of(p);
  }
  return rows.empty() ? 0 : std::max(sum / weight_of(table, rows), 0.0);
}

class Fitting {
 public:
  Fitting(const LogisticTable& table, const Tree& tree, std::vector<u32> rows, const LogisticSettings& settings, JobControl& job)
      : table_(table), boost_(table.boost()), tree_(tree), rows_(std::move(rows)), settings_(settings), job_(job) {
    const std::size_t n = tree.size();
    fit_.committee.resize(n);
    fit_.wrong.assign(n, 0);
    fit_.own.assign(n, 0);
    fit_.entropy.assign(n, 0);
    fit_.ends.assign(n, 0);
    fit_.missing.assign(n, 0);
    begin_.assign(n, 0);
    end_.assign(n, 0);
  }

  LogisticFit run() {
    end_[0] = rows_.size();
    std::vector<u8> below(tree_.size(), 0);  // a node that ends
    for (std::size_t node = 0; node < tree_.size(); ++node) {
      const i32 up = tree_.parent[node];
      if (up >= 0 && (below[static_cast<std::size_t>(up)] || fit_.ends[static_cast<std::size_t>(up)])) {
        below[node] = 1;
        continue;
      }
      fit_node(node);
      if (tree_.leaf(node))
        job_.done += end_[node] - begin_[node];
      else if (!fit_.ends[node])
        divide(node);
    }
    return std::move(fit_);
  }

 private:
  void fit_node(std::size_t node) {
    job_.check();
    const std::span<const u32> rows(rows_.data() + begin_[node], end_[node] - begin_[node]);
    const i32 up = tree_.parent[node];
    Committee start = up < 0 ? Committee(boost_.n_classes, boost_.width)
                             : fit_.committee[static_cast<std::size_t>(up)].full(boost_.n_classes, boost_.width);
    u32 steps = 0;
    if (up < 0 || weight_of(boost_, rows) * boost_.each >= settings_.min_weight)
      steps = settings_.iterations ? *settings_.iterations : best_steps(table_, rows, start, settings_, job_);
    Booster booster(boost_, rows, std::move(start));
    for (u32 step = 0; step < steps && booster.step(); ++step) {
      fit_.own[node] = 1;
      job_.check();
    }
    fit_.committee[node] = sparse(booster.committee());
    fit_.wrong[node] = booster.wrong(boost_.occurring);
    fit_.entropy[node] = mean_entropy(booster, boost_, rows);
    fit_.ends[node] = !tree_.leaf(node) && fit_.entropy[node] <= settings_.min_impurity;
  }

  // Rows of a node by branch, in their order.
  void divide(std::size_t node) {
    const u32 first = tree_.first_child[node];
    std::vector<std::vector<u32>> by_branch(tree_.n_children[node]);
    for (std::size_t i = begin_[node]; i < end_[node]; ++i) {
      const u32 row = rows_[i];
      by_branch[branch_of(table_.terms(), tree_, node, table_.row(row))].push_back(row);
      if (table_.missing(row, static_cast<std::size_t>(tree_.column[node]))) fit_.missing[node] = 1;
    }
    std::size_t at = begin_[node];
    for (std::size_t b = 0; b < by_branch.size(); ++b) {
      begin_[first + b] = at;
      std::copy(by_branch[b].begin(), by_branch[b].end(), rows_.begin() + static_cast<std::ptrdiff_t>(at));
      at += by_branch[b].size();
      end_[first + b] = at;
    }
  }

  const LogisticTable& table_;
  const BoostTable& boost_;
  const Tree& tree_;
  std::vector<u32> rows_;
  const LogisticSettings& settings_;
  JobControl& job_;
  std::vector<std::size_t> begin_, end_;
  LogisticFit fit_;
};

}  // namespace

LogisticFit fit_logistic(const LogisticTable& table, const Tree& tree, std::vector<u32> rows, const LogisticSettings& settings,
                         JobControl& job) {
  job.total = rows.size();
  return Fitting(table, tree, std::move(rows), settings, job).run();
}

std::vector<double> wrong_at(const LogisticTable& table, const Tree& tree, const LogisticFit& fit, std::span<const u32> rows) {
  const BoostTable& boost = table.boost();
  std::vector<double> wrong(tree.size(), 0);
  std::vector<double> scores(boost.n_classes);
  for (const u32 row : rows) {
    std::size_t node = 0;
    while (true) {
      const SparseCommittee& committee = fit.committee[node];
      scores = committee.intercept;
      for (const auto& [at, slope] : committee.slope) scores[at / boost.width] += slope * boost.row(row)[at % boost.width];
      if (predicted_class(scores.data(), boost.occurring) != boost.class_of[row]) wrong[node] += boost.weight(row);
      if (tree.leaf(node) || fit.ends[node]) break;
      node = tree.first_child[node] + branch_of(table.terms(), tree, node, table.row(row));
    }
  }
  return wrong;
}

namespace {

// The committee of a node that has no regression: the shares of its classes.
Committee of_shares(const Tree& tree, std::size_t node, std::size_t width) {
  constexpr double kNone = -30;  // of a class that does not occur: a share of 1e-13
  Committee out(tree.n_classes, width);
  std::fill(out.intercept.begin(), out.intercept.end(), kNone);
  double total = 0;
  const Tree::Range classes = tree.classes(node);
  for (std::size_t c = classes.begin; c < classes.end; ++c) total += tree.class_weight[c];
  constexpr double kLn2 = 0.69314718055994530942;
  for (std::size_t c = classes.begin; c < classes.end; ++c)
    out.intercept[tree.class_id[c]] = std::max(kNone, kLn2 * log2_of(tree.class_weight[c] / total));
  return out;
}

bool blank(const SparseCommittee& committee) {
  return committee.slope.empty() && std::all_of(committee.intercept.begin(), committee.intercept.end(), [](double v) { return v == 0; });
}

}  // namespace

LogisticTree finished(const LogisticTable& table, const Tree& tree, const LogisticFit& fit, const std::vector<u8>& cut, bool posterior) {
  std::vector<u8> ends(tree.size(), 0);
  std::vector<std::size_t> kept;
  std::vector<u8> removed(tree.size(), 0);
  for (std::size_t i = 0; i < tree.size(); ++i) {
    const auto up = static_cast<std::size_t>(std::max(tree.parent[i], 0));
    removed[i] = i > 0 && (removed[up] || ends[up]);
    ends[i] = cut[i] || fit.ends[i];
    if (!removed[i]) kept.push_back(i);
  }
  LogisticTree out{cut_back(tree, ends), {}};
  Tree& done = out.tree;
  out.models.terms = table.terms();
  out.models.term_begin.push_back(0);
  std::vector<double> filled(table.terms().columns());
  for (std::size_t j = 0; j < filled.size(); ++j) filled[j] = table.terms().filled(j);
  for (std::size_t i = 0; i < kept.size(); ++i) {
    const SparseCommittee& committee = fit.committee[kept[i]];
    table.write(blank(committee) ? of_shares(done, i, table.boost().width) : committee.full(done.n_classes, table.boost().width),
                out.models);
    if (posterior) done.impurity[i] = fit.entropy[kept[i]];
    if (done.leaf(i)) continue;
    done.missing_to[i] = static_cast<i32>(branch_of(table.terms(), done, i, filled.data()));
    done.missing_seen[i] = fit.missing[kept[i]];
  }
  for (std::size_t i = 0; posterior && i < done.size(); ++i) {
    if (done.leaf(i)) continue;
    double below = 0;
    for (u32 c = done.first_child[i]; c < done.first_child[i] + done.n_children[i]; ++c) below += done.weight[c] * fit.entropy[kept[c]];
    done.gain[i] = done.weight[i] > 0 ? fit.entropy[kept[i]] - below / done.weight[i] : 0;
  }
  return out;
}

}  // namespace tw
