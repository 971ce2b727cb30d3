// Numeric columns cut into intervals before any tree is grown: equal width, equal frequency, and the entropy method with
// the description-length stop of Fayyad and Irani (1993).
#include <algorithm>
#include <utility>

#include "base/numbers.hpp"
#include "table/table.hpp"

namespace tw {

namespace {

using Values = std::vector<double>;  // of the codes, ascending

Values values_of(const EncodedColumn& column) {
  Values values(column.n_codes);
  for (Row row = 0; row < column.codes.size(); ++row)
    if (column.codes[row] != kMissing) values[column.codes[row]] = column.cells.number(row) + 0.0;
  return values;
}

std::vector<double> equal_width(const Values& values, u32 bins) {
  std::vector<double> edges;
  if (values.empty()) return edges;
  const double low = values.front();
  const double high = values.back();
  for (u32 j = 1; j < bins; ++j) {
    const double width = high - low;
    const double share = static_cast<double>(j) / bins;
    const double edge = width <= std::numeric_limits<double>::max() / bins ? low + width * j / bins : low * (1 - share) + high * share;
    if (edge > low && edge < high && (edges.empty() || edge > edges.back())) edges.push_back(edge);
  }
  return edges;
}

std::vector<i64> weight_of_codes(const EncodedColumn& column, const Weights& weights) {
  std::vector<i64> sums(column.n_codes, 0);
  for (Row row = 0; row < column.codes.size(); ++row)
    if (column.codes[row] != kMissing) sums[column.codes[row]] += weights[row];
  return sums;
}

double edge_after(const Values& values, Code code) { return midpoint(values[code], values[code + 1], /*strict=*/false); }

std::vector<double> equal_frequency(const EncodedColumn& column, const Values& values, u32 bins, const Weights& weights) {
  const auto sums = weight_of_codes(column, weights);
  i64 total = 0;
  for (const i64 w : sums) total += w;
  std::vector<double> edges;
  i64 cumulated = 0;
  u32 j = 1;
  for (Code code = 0; code + 1 < column.n_codes; ++code) {
    cumulated += sums[code];
    bool passed = false;
    while (j < bins && static_cast<i128>(cumulated) * bins >= static_cast<i128>(total) * j) {
      passed = true;
      ++j;
    }
    if (passed) edges.push_back(edge_after(values, code));
  }
  return edges;
}

struct Span {
  Code begin;
  Code end;
};

class Mdlp {
 public:
  Mdlp(const EncodedColumn& column, const Target& target, const Weights& weights)
      : column_(column), k_(target.n_classes), weights_(weights), counts_(std::size_t{column.n_codes} * k_, 0) {
    for (Row row = 0; row < column.codes.size(); ++row)
      if (column.codes[row] != kMissing) counts_[std::size_t{column.codes[row]} * k_ + target.class_of[row]] += weights[row];
  }

  std::vector<double> edges(const Values& values) const {
    std::vector<Code> cuts;
    std::vector<Span> open{{0, column_.n_codes}};
    while (!open.empty()) {
      const Span span = open.back();
      open.pop_back();
      if (span.end - span.begin < 2) continue;
      const Code cut = accepted_cut(span);
      if (cut == kMissing) continue;
      cuts.push_back(cut);
      open.push_back({span.begin, cut + 1});
      open.push_back({cut + 1, span.end});
    }
    std::sort(cuts.begin(), cuts.end());
    std::vector<double> edges;
    for (const Code cut : cuts) edges.push_back(edge_after(values, cut));
    return edges;
  }

 private:
  struct Side {
    double bits;     // weight * entropy, in quanta
    double classes;  // classes that occur
    double weight;
  };

  Side side(const std::vector<i64>& counts) const {
    Side s{0, 0, 0};
    i64 total = 0;
    for (const i64 c : counts) {
      total += c;
      s.classes += c > 0;
      s.bits -= x_log2_x(c);
    }
    s.bits += x_log2_x(total);
    s.weight = static_cast<double>(total);
    return s;
  }

  // The last code of the lower part, or kMissing if no cut pays for its description.
  Code accepted_cut(Span span) const {
    std::vector<i64> left(k_, 0);
    std::vector<i64> right(k_, 0);
    for (Code code = span.begin; code < span.end; ++code)
      for (u32 c = 0; c < k_; ++c) right[c] += counts_[std::size_t{code} * k_ + c];
    const Side all = side(right);
    Code best = kMissing;
    Side best_left{};
    Side best_right{};
    double best_bits = all.bits;
    for (Code code = span.begin; code + 1 < span.end; ++code) {
      for (u32 c = 0; c < k_; ++c) {
        const i64 moved = counts_[std::size_t{code} * k_ + c];
        left[c] += moved;
        right[c] -= moved;
      }
      const Side l = side(left);
      const Side r = side(right);
      if (l.bits + r.bits < best_bits) {
        best_bits = l.bits + r.bits;
        best = code;
        best_left = l;
        best_right = r;
      }
    }
    if (best == kMissing) return best;
    const double n = weights_.plain(all.weight);
    if (n <= 1) return kMissing;
    const double gain = (all.bits - best_bits) / all.weight;
    const auto entropy = [](const Side& s) { return s.weight > 0 ? s.bits / s.weight : 0; };
    // log2(3^k - 2), which for many classes is k log2 3 to the last bit.
    const double prior = all.classes < 30 ? log2_of(power_of_three(all.classes) - 2) : all.classes * log2_of(3);
    const double delta =
        prior - (all.classes * entropy(all) - best_left.classes * entropy(best_left) - best_right.classes * entropy(best_right));
    return gain > (log2_of(n - 1) + delta) / n ? best : kMissing;
  }

  static double power_of_three(double k) {
    double p = 1;
    for (int i = 0; i < static_cast<int>(k); ++i) p *= 3;
    return p;
  }

  const EncodedColumn& column_;
  u32 k_;
  const Weights& weights_;
  std::vector<i64> counts_;
};

// Ends of intervals with what lies next to them, so that they can be written with few digits.
std::vector<Edge> between_neighbours(const std::vector<double>& edges, const Values& values) {
  std::vector<Edge> out;
  for (std::size_t i = 0; i < edges.size(); ++i) {
    const auto next = std::upper_bound(values.begin(), values.end(), edges[i]);
    double below = next == values.begin() ? edges[i] : next[-1];
    double above = next == values.end() ? edges[i] : *next;
    if (i > 0) below = std::max(below, midpoint(edges[i - 1], edges[i], /*strict=*/true));
    if (i + 1 < edges.size()) above = std::min(above, midpoint(edges[i], edges[i + 1], /*strict=*/true));
    out.push_back({edges[i], below, above});
  }
  return out;
}

}  // namespace

void discretise(EncodedColumn& column, Discretiser method, u32 bins, const Target& target, const Weights& weights) {
  const Values values = values_of(column);
  std::vector<double> edges;
  switch (method) {
    case Discretiser::equal_width: edges = equal_width(values, bins); break;
    case Discretiser::equal_frequency: edges = equal_frequency(column, values, bins, weights); break;
    case Discretiser::mdlp: edges = Mdlp(column, target, weights).edges(values); break;
  }
  column.edges = between_neighbours(edges, values);
  std::vector<Code> interval(column.n_codes);
  Code at = 0;
  for (Code code = 0; code < column.n_codes; ++code) {
    while (at < edges.size() && values[code] > edges[at]) ++at;
    interval[code] = at;
  }
  for (Code& code : column.codes)
    if (code != kMissing) code = interval[code];
  column.n_codes = static_cast<u32>(column.edges.size() + 1);
  column.discretised = true;
}

}  // namespace tw
