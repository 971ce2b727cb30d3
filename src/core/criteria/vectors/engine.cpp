// Targets of several numbers per row in sorted lists: the engine for tables of numbers without missing cells, in which all rows weigh the
// same. Every column is sorted once, its list divided by a bitmap as in the sorted engine. Errors of cuts are estimated from rounded
// targets, whose sums double precision holds exactly; those that come close to the lowest are computed as the plain engine does. It gives
// the plain engine's tree.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <numeric>

#include "base/hash.hpp"
#include "base/prefetch.hpp"
#include "criteria/vectors/vector_variance.hpp"
#include "grow/chooser.hpp"
#include "grow/criterion_entry.hpp"
#include "grow/driver.hpp"
#include "grow/engine.hpp"
#include "grow/limits.hpp"
#include "search/kernels.hpp"

namespace tw {

namespace {

using Pair [[gnu::vector_size(2 * sizeof(double))]] = double;

double sum_of(Pair pair) { return pair[0] + pair[1]; }
Pair pair_at(const double* numbers) {
  Pair pair;
  std::memcpy(&pair, numbers, sizeof pair);
  return pair;
}

class SortedVectors {
 public:
  struct Node {
    u32 node = 0;
    u32 depth = 0;
    u64 path = 0;
    u32 begin = 0;
    u32 n = 0;
  };
  struct NoSpace {};

  SortedVectors(const Table& table, const GrowSettings& settings, JobControl& job)
      : table_(table),
        settings_(settings),
        job_(job),
        chooser_(chooser_entry(settings.chooser)),
        searcher_(table, settings.search),
        width_(table.target.value.size() / table.n_rows),
        pairs_((width_ + 1) / 2),
        least_(static_cast<u32>(std::max<i64>(settings.search.min_leaf, 1))),
        lists_(table.columns.size() + 1),
        bitmap_(table.n_rows / 64 + 2),
        spare_(table.n_rows + kOrderPadding),
        place_(table.n_rows),
        rough_(table.n_rows * pairs_ * 2) {}

  Tree run() {
    for (Column j = 0; j < table_.columns.size(); ++j) {
      job_.check();
      sort_rows(table_.columns[j], lists_[j]);
    }
    lists_.back().resize(table_.n_rows + kOrderPadding);
    for (Row row = 0; row < table_.n_rows; ++row) lists_.back()[row] = row << 1;
    Builder builder(0, 2 * u64{table_.n_rows});
    NoSpace none;
    grow_below(*this, Node{0, 0, mix(settings_.seed), 0, table_.n_rows}, builder, none, settings_, job_);
    return std::move(builder).finish(tree_columns(table_), false);
  }

  // ---- what the driver asks for ----

  std::optional<Candidate> examine(Node& node, Builder& builder, NoSpace&) {
    job_.check();
    read(node);
    builder.describe(node.node, targets_.facts);
    if (stops(settings_, node.depth, targets_)) return std::nullopt;
    const VectorVariance measure(rows_, targets_);
    std::vector<Candidate> candidates = node.n == 2 ? apart(node, measure) : best_cuts(node, measure);
    if (candidates.empty()) return std::nullopt;
    const std::size_t pick = chooser_.choose(candidates, {settings_, node.path, {}, {}});
    if (pick >= candidates.size() ||
        !enough(settings_, candidates[pick], targets_.facts.weight, table_.weights.plain(table_.weights.total)))
      return std::nullopt;
    return std::move(candidates[pick]);
  }

  template <class Add>
  void divide(Node& node, Candidate& chosen, Builder& builder, NoSpace&, const Add& add) {
    const u32 below = chosen.position;
    const Column column = chosen.split.column;
    const u32 first = builder.divide(node.node, chosen.split, chosen.gain);
    std::array<Node, 2> children{Node{first, node.depth + 1, child_path(node.path, 0), node.begin, below},
                                 Node{first + 1, node.depth + 1, child_path(node.path, 1), node.begin + below, node.n - below}};
    const u32* entries = node.n == 2 ? lists_.back().data() + node.begin : lists_[column].data() + node.begin;
    if (node.n == 2) {
      // No list of a pair is in order: which of the two lies below is looked up.
      const std::vector<Code>& codes = table_.columns[column].codes;
      for (u32 i = 0; i < 2; ++i) mark(entries[i], codes[entries[i] >> 1] < codes[entries[1 - i] >> 1]);
    } else {
      for (u32 i = 0; i < node.n; ++i) mark(entries[i], i < below);
    }
    // Nodes of one or two rows need no list but that of their rows.
    const bool ends = children[0].n <= 2 && children[1].n <= 2;
    for (std::size_t f = ends ? lists_.size() - 1 : 0; f < lists_.size(); ++f) {
      if (f == column && node.n > 2) continue;
      if (kernels().divide32(lists_[f].data() + node.begin, node.n, bitmap_.data(), spare_.data()) != below)
        throw std::logic_error("a list of a node does not hold its rows");
    }
    add_in_order(Order::depth_first, children, add);
  }

  void end(const Node& node, Builder&, NoSpace&) { job_.done += node.n; }
  void describe(Node& node, Builder& builder, NoSpace&) {
    read(node);
    builder.describe(node.node, targets_.facts);
  }
  double urgency(const Node&, const Candidate&, NoSpace&) const { return 0; }
  std::size_t rows(const Node& node) const { return node.n; }

 private:
  // The best cut of a column, as far as it is of interest.
  struct Best {
    double error = std::numeric_limits<double>::infinity();
    u32 position = 0;
    u64 tried = 0;
  };

  static void sort_rows(const EncodedColumn& column, std::vector<u32>& list) {
    std::vector<u32> starts(std::size_t{column.n_codes} + 1, 0);
    for (const Code code : column.codes) ++starts[code + 1];
    std::partial_sum(starts.begin(), starts.end(), starts.begin());
    list.resize(column.codes.size() + kOrderPadding);
    for (std::size_t row = 0; row < column.codes.size(); ++row) list[starts[column.codes[row]]++] = static_cast<u32>(row) << 1;
  }

  void mark(u32 entry, bool first) {
    const u32 id = entry >> 1;
    const u64 bit = u64{1} << (id & 63);
    u64& word = bitmap_[id >> 6];
    word = first ? word | bit : word & ~bit;
  }

  // The targets of the node, and the rounded ones: so short that sums of them are exact in double precision.
  void read(const Node& node) {
    rows_.rows.resize(node.n);
    rows_.weights.assign(node.n, 1);
    const u32* source = lists_.back().data() + node.begin;
    for (u32 i = 0; i < node.n; ++i) rows_.rows[i] = source[i] >> 1;
    searcher_.read(rows_, targets_);
    if (node.n <= 2) return;
    shift_ = std::max(0, static_cast<int>(std::bit_width(node.n)) - 2);  // steps have 50 bits
    all_.assign(2 * pairs_, 0);
    whole_ = {};
    for (u32 i = 0; i < node.n; ++i) {
      const Row row = rows_.rows[i];
      place_[row] = i;
      const i64* steps = targets_.steps_of.data() + i * width_;
      double* rough = rough_.data() + 2 * row * pairs_;
      for (std::size_t j = 0; j < width_; ++j) {
        rough[j] = static_cast<double>(steps[j] >> shift_);
        all_[j] += rough[j];
      }
    }
    bring_forward(whole_, node.n, source, {rows_, targets_});
    // In units of rounded steps, whose squares over all rows and numbers are Q, a sum of n of them is off by less than n, and an error by
    // less than 2 sqrt(2 m n Q) + m n for m numbers.
    unit_ = std::ldexp(1.0, -2 * shift_);
    const double q = to_double(whole_.squares) * unit_;
    const double cells = static_cast<double>(width_) * node.n;
    most_ = q - (2 * std::sqrt(2 * cells * q) + cells + 1e-12 * q);
  }

  double value(Column j, u32 entry) const { return table_.columns[j].cells.number(entry >> 1); }
  Candidate candidate(const VectorVariance& measure, Column j, u32 lower, u32 upper, const Best& best) const {
    const Cut cut = make_cut(settings_.search, value(j, lower), value(j, upper), table_.columns[j].codes[lower >> 1]);
    Candidate out = searcher_.cut_of_all(measure, targets_, j, cut, best.position, best.error, best.tried);
    out.position = best.position;
    return out;
  }

  // Two rows err by nothing once they are apart, whichever column does it: the first of equals is taken.
  std::vector<Candidate> apart(const Node& node, const VectorVariance& measure) const {
    if (least_ > 1) return {};
    const u32* entries = lists_.back().data() + node.begin;
    for (Column j = 0; j < table_.columns.size(); ++j) {
      const std::vector<Code>& codes = table_.columns[j].codes;
      const Code a = codes[entries[0] >> 1];
      const Code b = codes[entries[1] >> 1];
      if (a == b) continue;
      return {candidate(measure, j, entries[a < b ? 0 : 1], entries[a < b ? 1 : 0], {0, 1, 1})};
    }
    return {};
  }

  // The best cuts of the columns that may be chosen: errors further from the lowest cannot tie with it.
  std::vector<Candidate> best_cuts(const Node& node, const VectorVariance& measure) {
    const double margin = 1e-9 * targets_.error;
    double lowest = std::numeric_limits<double>::infinity();
    best_.resize(table_.columns.size());
    for (Column j = 0; j < table_.columns.size(); ++j) {
      job_.check();
      with_pairs([&](auto pairs) { best_[j] = best_cut<decltype(pairs)::value>(node, measure, j, lowest + margin); });
      lowest = std::min(lowest, best_[j].error);
    }
    std::vector<Candidate> candidates;
    for (Column j = 0; j < table_.columns.size(); ++j) {
      const Best& best = best_[j];
      if (best.position == 0 || best.error > lowest + margin) continue;
      const u32* entries = lists_[j].data() + node.begin;
      candidates.push_back(candidate(measure, j, entries[best.position - 1], entries[best.position], best));
    }
    return candidates;
  }

  template <class Use>
  void with_pairs(const Use& use) const {
    [&]<std::size_t... p>(std::index_sequence<p...>) {
      ((pairs_ == p + 1 ? use(std::integral_constant<std::size_t, p + 1>{}) : void()), ...);
    }(std::make_index_sequence<(VectorVariance::kMostAbreast + 1) / 2>{});
  }

  // Exact sums of what lies below a place of a list, brought forward as they are asked for.
  struct Below {
    u32 position = 0;
    i128 squares = 0;
    std::array<i128, VectorVariance::kMostAbreast> sum{};
  };
  void bring_forward(Below& below, u32 position, const u32* entries, const VectorVariance& measure) const {
    for (; below.position < position; ++below.position) {
      const u32 instance = place_[entries[below.position] >> 1];
      below.squares += measure.squares(instance);
      for (std::size_t j = 0; j < width_; ++j) below.sum[j] += measure.steps(instance)[j];
    }
  }

  // The first of the cuts of least error; errors above the ceiling do not matter.
  template <std::size_t kPairs>
  Best best_cut(const Node& node, const VectorVariance& measure, Column column, double ceiling) const {
    const u32* entries = lists_[column].data() + node.begin;
    const std::vector<Code>& codes = table_.columns[column].codes;
    const Below& all = whole_;
    const auto needed = [&](double error) { return most_ - error * unit_; };
    double need = needed(ceiling);
    std::array<Pair, kPairs> left{};
    std::array<Pair, kPairs> total;
    for (std::size_t p = 0; p < kPairs; ++p) total[p] = pair_at(all_.data() + 2 * p);
    Below below;
    Best best;
    for (u32 i = 1; i < node.n; ++i) {
      if (i + kPrefetchDistance < node.n) prefetch(rough_.data() + std::size_t{entries[i + kPrefetchDistance] >> 1} * 2 * kPairs);
      const double* rough = rough_.data() + std::size_t{entries[i - 1] >> 1} * 2 * kPairs;
      Pair l{};
      Pair r{};
      for (std::size_t p = 0; p < kPairs; ++p) {
        left[p] += pair_at(rough + 2 * p);
        const Pair right = total[p] - left[p];
        l += left[p] * left[p];
        r += right * right;
      }
      const u32 above = node.n - i;
      const auto rows_below = static_cast<double>(i);
      const auto rows_above = static_cast<double>(above);
      if (sum_of(l) * rows_above + sum_of(r) * rows_below < need * rows_below * rows_above) continue;
      if (i < least_ || above < least_ || codes[entries[i - 1] >> 1] == codes[entries[i] >> 1]) continue;
      bring_forward(below, i, entries, measure);
      std::array<i128, VectorVariance::kMostAbreast> upper;
      for (std::size_t j = 0; j < width_; ++j) upper[j] = all.sum[j] - below.sum[j];
      const double error = measure.join(measure.error_of(i, below.squares, below.sum.data()), i,
                                        measure.error_of(above, all.squares - below.squares, upper.data()), above);
      if (best.position > 0 && !(error < best.error)) continue;
      best.error = error;
      best.position = i;
      need = needed(std::min(error, ceiling));
    }
    return best;
  }

  const Table& table_;
  const GrowSettings& settings_;
  JobControl& job_;
  const ChooserEntry& chooser_;
  const SetSearch<VectorVariance> searcher_;
  const std::size_t width_;
  const std::size_t pairs_;  // of numbers of a row
  const u32 least_;
  std::vector<std::vector<u32>> lists_;  // row << 1, by column in order of value; the last in order of rows
  std::vector<u64> bitmap_;
  std::vector<u32> spare_;
  NodeRows rows_;  // and the rest: of the node in hand
  NodeTargets targets_;
  Below whole_;
  int shift_ = 0;
  double unit_ = 1;            // of errors, in steps
  double most_ = 0;            // what sums may reach at most if errors are none, less what estimates may be off by
  std::vector<u32> place_;     // by row: its instance
  std::vector<double> rough_;  // by row: its numbers, and one more where they are odd
  std::vector<double> all_;    // what they add up to
  std::vector<Best> best_;
};

bool applies(const Table& table, const GrowSettings& settings) {
  const SearchSettings& search = settings.search;
  const auto plain = [](const EncodedColumn& column) {
    return column.kind == Kind::numeric && column.n_missing == 0 && !column.discretised && column.cells.data != nullptr;
  };
  return settings.shortcuts() && !settings.refuses_some() && search.criterion == kVectors && !search.callback && settings.columns_alone() &&
         settings.chooser == "best" && settings.ties == Ties::first && search.numeric == Family::threshold && !search.drawn &&
         search.cuts == Cuts::all && settings.order() == Order::depth_first && settings.max_features == 0 && !keeps_some(settings) &&
         settings.min_every <= 0 && search.missing != Missing::surrogate && table.weights.quanta.empty() && table.weights.unit == 1 &&
         table.n_rows < (Row{1} << 31) && table.target.value.size() / table.n_rows <= VectorVariance::kMostAbreast &&
         std::all_of(table.columns.begin(), table.columns.end(), plain);
}

Tree grow_vectors(Table& table, const GrowSettings& settings, JobControl& job) {
  refuse_dense(table.columns, table.n_rows);
  for (Column j = 0; j < table.columns.size(); ++j)
    if (table.columns[j].codes.empty()) rank_rows(table.columns.edit(j));
  return SortedVectors(table, settings, job).run();
}

const Enrol<EngineEntry> engine({"vectors", 1, &applies, &grow_vectors});

}  // namespace

}  // namespace tw
