// Standardised columns, their products, and the way back to terms in the units of the table.
#include "oblique/features.hpp"

#include <algorithm>
#include <cmath>
#include <map>

namespace tw {

namespace {

constexpr double kFineness = 1024;         // centres are whole multiples of this part of the scale
constexpr double kWeightSteps = 0x1p20;    // weights are whole multiples of this part of the largest
constexpr std::size_t kMostRaw = 1 << 25;  // cells that are kept beside the features
constexpr int kLeastScale = -500;          // as a power of two
constexpr int kLargestScale = 500;

// The mean and the scale of a numeric column; no scale (0) where it is constant.
Standard standard_of(const Table& table, u32 index) {
  const EncodedColumn& column = table.columns[index];
  double largest = 0;
  double weight = 0;
  for (Row row = 0; row < table.n_rows; ++row) {
    const double x = column.cells.number(row);
    if (!std::isfinite(x)) continue;
    largest = std::max(largest, std::abs(x));
    weight += static_cast<double>(table.weights[row]);
  }
  Standard out{index, DerivedTerm::kNumber, 0, 0, 0};
  if (weight == 0 || largest == 0) return out;
  int exponent = 0;  // numbers are brought below 1, so that no sum overflows
  std::frexp(largest, &exponent);
  // A power of two changes no digit; the reciprocal of very small ones is beyond the range of numbers.
  const bool plain = std::abs(exponent) < 1000;
  const double unit = std::ldexp(1.0, plain ? -exponent : 0);
  const auto scaled = [&](double x) { return plain ? x * unit : std::ldexp(x, -exponent); };
  double mean = 0;
  for (Row row = 0; row < table.n_rows; ++row) {
    const double x = column.cells.number(row);
    if (std::isfinite(x)) mean += scaled(x) * (static_cast<double>(table.weights[row]) / weight);
  }
  double variance = 0;
  for (Row row = 0; row < table.n_rows; ++row) {
    const double x = column.cells.number(row);
    const double off = scaled(x) - mean;
    if (std::isfinite(x)) variance += off * off * (static_cast<double>(table.weights[row]) / weight);
  }
  out.fill = std::ldexp(mean, exponent);
  if (!(std::sqrt(variance) > 1e-12 * std::abs(mean))) return out;
  int power = 0;
  if (std::frexp(std::sqrt(variance), &power) < 0x1.6a09e667f3bcdp-1) --power;  // the nearer of two powers of two
  power = std::clamp(power + exponent, kLeastScale, kLargestScale);
  out.inverse = std::ldexp(1.0, -power);
  out.centre = std::round(out.fill * out.inverse * kFineness) / kFineness;
  out.fill = std::ldexp(out.centre, power);
  return out;
}

void add_levels(const Table& table, u32 index, std::vector<Standard>& out) {
  const EncodedColumn& column = table.columns[index];
  std::vector<i64> weight(column.n_codes, 0);
  i64 all = 0;
  for (Row row = 0; row < table.n_rows; ++row)
    if (column.codes[row] != kMissing) {
      weight[column.codes[row]] += table.weights[row];
      all += table.weights[row];
    }
  const auto most = std::max_element(weight.begin(), weight.end()) - weight.begin();
  std::vector<u32> seen;
  for (u32 level = 0; level < column.n_codes; ++level)
    if (weight[level] > 0) seen.push_back(level);
  if (seen.size() < 2) return;
  if (seen.size() == 2) seen.erase(seen.begin());  // the other says nothing more
  for (const u32 level : seen) {
    const double share = static_cast<double>(weight[level]) / static_cast<double>(all);
    const double deviation = std::sqrt(share * (1 - share));
    int power = 0;
    if (std::frexp(deviation, &power) < 0x1.6a09e667f3bcdp-1) --power;
    const double inverse = std::ldexp(1.0, -power);
    const double centre = std::round(share * inverse * kFineness) / kFineness;
    out.push_back({index, static_cast<i32>(level), static_cast<i64>(level) == most ? 1.0 : 0.0, inverse, centre});
  }
}

}  // namespace

Features::Features(const Table& table, NodeForm form) : table_(table), squares_(form == NodeForm::squares) {
  for (u32 j = 0; j < table.columns.size(); ++j) {
    if (table.columns[j].kind == Kind::nominal) {
      add_levels(table, j, standards_);
    } else {
      const Standard one = standard_of(table, j);
      if (one.inverse > 0) standards_.push_back(one);
    }
  }
  for (u32 j = 0; j < standards_.size(); ++j) features_.push_back({j, Feature::kAlone});
  const auto number = [&](u32 j) { return standards_[j].level == DerivedTerm::kNumber; };
  const bool any = std::any_of(standards_.begin(), standards_.end(), [](const Standard& one) { return one.level == DerivedTerm::kNumber; });
  if (form == NodeForm::sphere && any) features_.push_back({0, Feature::kSquares});
  if (form == NodeForm::squares)
    for (u32 j = 0; j < standards_.size(); ++j)
      if (number(j)) features_.push_back({j, static_cast<i32>(j)});
  if (form == NodeForm::quadratic || form == NodeForm::ellipsoid)
    for (u32 i = 0; i < standards_.size(); ++i)
      for (u32 j = i; number(i) && j < standards_.size(); ++j)
        if (number(j)) features_.push_back({i, static_cast<i32>(j)});
}

std::size_t Features::place(u32 column, i32 level) const {
  const auto before = [](const Standard& one, const std::pair<u32, i32>& asked) { return std::pair{one.column, one.level} < asked; };
  return static_cast<std::size_t>(std::lower_bound(standards_.begin(), standards_.end(), std::pair{column, level}, before) -
                                  standards_.begin());
}

NodeMatrix Features::read(const NodeRows& node, const NodeTargets& targets, const std::vector<double>& factors) const {
  NodeMatrix out;
  out.n = node.rows.size();
  out.d = squares_ ? standards_.size() : features_.size();
  out.cells.resize(out.n * out.d);
  const bool kept = out.n * standards_.size() <= kMostRaw;
  if (kept) out.raw.resize(out.n * standards_.size());
  const std::span<const Row> every(node.rows);
  for (std::size_t begin = 0; begin < out.n; begin += kBlock) {
    const auto rows = every.subspan(begin, std::min(kBlock, out.n - begin));
    for (std::size_t s = 0; s < standards_.size(); ++s) {
      const Standard& one = standards_[s];
      double* to = out.cells.data() + s * out.n + begin;
      double* from = kept ? out.raw.data() + s * out.n + begin : to;
      cells_of(table_.columns[one.column], one.level, one.fill, rows, from);
      for (std::size_t i = 0; i < rows.size(); ++i) to[i] = from[i] * one.inverse - one.centre;
    }
  }
  for (std::size_t f = standards_.size(); f < out.d; ++f) {
    double* to = out.cells.data() + f * out.n;
    const Feature& feature = features_[f];
    if (feature.second == Feature::kSquares) {
      std::fill_n(to, out.n, 0.0);
      for (std::size_t s = 0; s < standards_.size(); ++s)
        for (std::size_t i = 0; standards_[s].level == DerivedTerm::kNumber && i < out.n; ++i)
          to[i] += out.cells[s * out.n + i] * out.cells[s * out.n + i];
      continue;
    }
    const double* a = out.cells.data() + feature.first * out.n;
    const double* b = out.cells.data() + static_cast<std::size_t>(feature.second) * out.n;
    for (std::size_t i = 0; i < out.n; ++i) to[i] = a[i] * b[i];
  }
  out.weights.resize(out.n);
  out.n_classes = static_cast<u32>(table_.target.nominal() ? targets.classes.size() : 0);
  if (out.n_classes > 0) {
    out.labels.resize(out.n);
    for (std::size_t i = 0; i < out.n; ++i) {
      const auto k = static_cast<u32>(targets.classes_of[i]);
      out.labels[i] = k;
      out.weights[i] = static_cast<double>(node.weights[i]) * (factors.empty() ? 1 : factors[targets.classes[k]]);
    }
  } else {
    out.targets.resize(out.n);
    for (std::size_t i = 0; i < out.n; ++i) {
      out.targets[i] = static_cast<double>(targets.steps_of[i]);
      out.weights[i] = static_cast<double>(node.weights[i]);
    }
  }
  double mean = 0;
  for (std::size_t i = 0; i < out.n; ++i) {
    out.total += out.weights[i];
    if (out.n_classes == 0) mean += out.weights[i] * out.targets[i];
  }
  for (double& y : out.targets) y -= std::round(mean / out.total);
  return out;
}

namespace {

// The number with four significant digits.
double short_number(double x) {
  constexpr int kDigits = 4;
  constexpr double kPowers[] = {1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};
  constexpr int kMost = 15;
  int digits = 0;  // before the point
  double size = std::abs(x);
  if (!(size > 1e-11) || !(size < 1e11)) return x;
  while (size >= kPowers[digits]) ++digits;
  while (digits < 1 && size * kPowers[1 - digits] < 1) --digits;
  const int places = kDigits - digits;
  if (places > kMost) return x;
  return places >= 0 ? std::round(x * kPowers[places]) / kPowers[places] : std::round(x / kPowers[-places]) * kPowers[-places];
}

}  // namespace

Features::Sum Features::terms(std::span<const double> weights, bool brief, bool as_is) const {
  double largest = 0;
  for (const double w : weights) largest = std::max(largest, std::abs(w));
  if (!(largest > 0) || !std::isfinite(largest)) return {};
  int power = 0;
  std::frexp(largest, &power);
  const double step = std::ldexp(1.0, power) / kWeightSteps;
  // By standardised column: what it is multiplied with; and what products of two are.
  std::vector<double> linear(standards_.size(), 0);
  std::map<std::pair<u32, u32>, double> products;
  const auto multiply = [&](u32 i, u32 j, double w) {
    products[{i, j}] += w;
    linear[i] -= w * standards_[j].centre;
    linear[j] -= w * standards_[i].centre;
  };
  for (std::size_t f = 0; f < weights.size(); ++f) {
    const double w = std::round(weights[f] / step) * step;
    if (w == 0) continue;
    const Feature& feature = features_[f];
    if (feature.second == Feature::kAlone) {
      linear[feature.first] += w;
    } else if (feature.second != Feature::kSquares) {
      multiply(feature.first, static_cast<u32>(feature.second), w);
    } else {
      for (u32 s = 0; s < standards_.size(); ++s)
        if (standards_[s].level == DerivedTerm::kNumber) multiply(s, s, w);
    }
  }
  Sum out;
  std::size_t first = 0;
  for (std::size_t s = 1; s < linear.size(); ++s)
    if (std::abs(linear[s]) > std::abs(linear[first])) first = s;
  if (as_is) {
    out.per = 1;
  } else if (products.empty()) {
    out.per = linear[first] * standards_[first].inverse;
  } else {
    const auto& [pair, w] = *products.begin();
    out.per = w * standards_[pair.first].inverse * standards_[pair.second].inverse;
  }
  // What is not lost: the sum of features is that of the terms times `per`, and this.
  for (const auto& [pair, w] : products) out.constant -= w * standards_[pair.first].centre * standards_[pair.second].centre;
  for (std::size_t s = 0; s < standards_.size(); ++s) {
    if (linear[s] == 0) continue;
    const Standard& one = standards_[s];
    double coefficient = linear[s] * (one.inverse / out.per);
    if (brief && products.empty()) coefficient = short_number(coefficient);
    out.constant -= coefficient * (one.centre / one.inverse) * out.per;
    out.terms.push_back({one.column, one.level, coefficient, one.fill});
  }
  for (const auto& [pair, w] : products) {
    const Standard &a = standards_[pair.first], &b = standards_[pair.second];
    const double coefficient = !as_is && pair == products.begin()->first ? 1 : w * ((a.inverse / out.per) * b.inverse);
    out.terms.push_back({a.column, a.level, coefficient, a.fill, static_cast<i32>(b.column), b.fill});
  }
  std::erase_if(out.terms, [](const DerivedTerm& term) { return term.coefficient == 0; });
  for (const DerivedTerm& term : out.terms)
    if (!std::isfinite(term.coefficient)) return {};
  if (!std::isfinite(out.constant) || !std::isfinite(out.per)) return {};
  return out;
}

}  // namespace tw
