// Linear combinations as CART looks for them (Breiman, Friedman, Olshen and Stone 1984, section 5.2): from the best split of one column
// on, one column after the other is added in the amount that helps most, each also moved a little to either side; then columns that matter
// little are taken out again.
#include <algorithm>
#include <cmath>

#include "oblique/planes.hpp"

namespace tw {

namespace {

constexpr double kMoves[] = {0, -0.25, 0.25};  // by which a column is moved while its amount is looked for
constexpr int kMostPasses = 100;

class CartLc final : public PlaneSearch {
 public:
  CartLc(const ObliqueSettings& settings, const Features&) : settings_(settings) {}

  std::vector<Plane> find(const NodeMatrix& rows, Measure measure, u64, JobControl& job) const override {
    Sweep sweep(rows, measure);
    std::vector<double> weights(rows.d, 0.0);
    std::optional<Step> most;
    std::size_t first = 0;
    for (std::size_t f = 0; f < rows.d; ++f) {
      const auto found = sweep.best_shift(rows.of(f));
      if (!found || (most && !higher(found->score, most->score))) continue;
      most = found;
      first = f;
    }
    if (!most) return {};
    weights[first] = 1;
    std::vector<double> values(rows.of(first).begin(), rows.of(first).end());
    for (double& x : values) x += most->by;
    std::vector<double> moved(rows.n);
    double score = most->score;
    for (int pass = 0; pass < kMostPasses; ++pass) {
      job.check();
      const double before = score;
      for (std::size_t f = 0; f < rows.d; ++f) {
        std::optional<Step> best;
        double by = 0;
        for (const double move : kMoves) {
          for (std::size_t i = 0; i < rows.n; ++i) moved[i] = rows.of(f)[i] + move;
          const auto found = sweep.best(values, moved);
          if (!found || (best && !higher(found->score, best->score))) continue;
          best = found;
          by = move;
        }
        if (!best || !higher(best->score, score)) continue;
        weights[f] += best->by;
        score = best->score;
        for (std::size_t i = 0; i < rows.n; ++i) values[i] += best->by * (rows.of(f)[i] + by);
      }
      // The threshold is placed anew after every pass.
      const auto shift = sweep.best_shift(values);
      if (shift && higher(shift->score, score)) {
        for (double& x : values) x += shift->by;
        score = shift->score;
      }
      if (!(score - before > settings_.least_rise * before)) break;
    }
    eliminate(weights, rows, measure, rows.d, settings_.elimination);
    return {{std::move(weights), std::nullopt}};
  }

 private:
  const ObliqueSettings& settings_;
};

const Enrol<ProposerEntry> enrol({"cart-lc", "linear combinations as CART looks for them", &make_planes<CartLc>});

}  // namespace

}  // namespace tw
