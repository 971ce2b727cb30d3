// Poisson deviance around the mean, for counts and rates (Chaudhuri, Lo, Loh and Yang 1995; halved, as in scikit-learn): the mean of
// y log(y / mean). Only weights and sums enter a cut, so that it is one more criterion of moments.
#include <cmath>

#include "grow/criterion_entry.hpp"
#include "search/search.hpp"

namespace tw {

struct Poisson {
  using Stat = MomentStat;
  static constexpr bool kClasses = false;
  static constexpr bool kTwoBranches = false;
  static constexpr bool kRankIsScore = true;

  MomentStat stat;
  TargetGrid grid;

  Poisson(const NodeTargets& targets, const SearchSettings&, u32) : grid(targets.grid) {}

  // The sum of the targets; rounding may not make a sum of numbers from 0 up negative.
  double sum(const i128* cells) const { return std::max(0.0, grid.centre * to_double(cells[0]) + grid.step * to_double(cells[1])); }
  double worth(const i128* cells) const {
    const double total = sum(cells);
    return total > 0 ? total * log2_of(total / to_double(cells[0])) * kNatural : 0;
  }
  double pair(const i128* l, const i128* r) const {
    const i128 all[2] = {l[0] + r[0], l[1] + r[1]};
    const double parts = worth(l) + worth(r);
    const double fall = parts - worth(all);
    return fall > 1e-13 * (std::fabs(worth(l)) + std::fabs(worth(r)) + sum(all)) ? fall : 0;
  }
  double unit() const { return 1; }
  std::optional<double> merit(const Outcome& o) const { return o.gain; }

  void describe(const Table& table, const NodeRows& node, NodeTargets& targets) const {
    double own = 0;
    for (std::size_t i = 0; i < node.rows.size(); ++i) {
      const double y = table.target.value[node.rows[i]];
      if (y > 0) own += static_cast<double>(node.weights[i]) * y * log2_of(y) * kNatural;
    }
    const double deviance = (own - worth(targets.moment_total.data())) / static_cast<double>(targets.weight);
    targets.facts.impurity = targets.pure ? 0 : std::clamp(deviance, 0.0, std::numeric_limits<double>::max());
  }

  static constexpr double kNatural = 0.69314718055994530942;  // log 2
};

namespace {

// Cuts as of any criterion of moments; nodes are described by their deviance.
class PoissonSearch final : public Searcher {
 public:
  PoissonSearch(const Table& table, const SearchSettings& settings) : table_(table), settings_(settings), search_(table, settings) {}

  void read(const NodeRows& node, NodeTargets& targets) const override {
    search_.read(node, targets);
    Poisson(targets, settings_, 0).describe(table_, node, targets);
  }
  void prepare(const NodeRows& node, const NodeTargets& targets, const std::vector<Column>& columns, Scratch& scratch) const override {
    search_.prepare(node, targets, columns, scratch);
  }
  std::optional<Candidate> best(const NodeRows& node, const NodeTargets& targets, Column column, Scratch& scratch) const override {
    return search_.best(node, targets, column, scratch);
  }

 private:
  const Table& table_;
  const SearchSettings& settings_;
  Search<Poisson> search_;
};

std::unique_ptr<Searcher> make(const Table& table, const SearchSettings& settings) {
  return std::make_unique<PoissonSearch>(table, settings);
}

const Enrol<CriterionEntry> enrol({.name = "poisson",
                                   .summary = "fall of the halved mean Poisson deviance from the mean",
                                   .classes = false,
                                   .make = &make,
                                   .surrogates = false,
                                   .measure = "deviance"});

}  // namespace

}  // namespace tw
