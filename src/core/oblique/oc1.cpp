// OC1 (Murthy, Kasif and Salzberg 1994): hills are climbed by changing one coefficient at a time to the best of its critical values, first
// from the best axis-parallel split, then from random planes; at a local optimum random directions are tried.
#include "oblique/centres.hpp"
#include "oblique/climb.hpp"
#include "oblique/grouping.hpp"
#include "oblique/planes.hpp"

namespace tw {

namespace {

class Oc1 final : public PlaneSearch {
 public:
  Oc1(const ObliqueSettings& settings, const Features& features) : settings_(settings), features_(features) {}

  std::vector<Plane> find(const NodeMatrix& rows, Measure measure, u64 draw, JobControl& job) const override {
    // As the authors have it, planes are not looked for among few rows: many of them would tell these apart.
    if (rows.n < 2 * rows.d) return {};
    // Of curves there are too many for random ones to come near a good one.
    std::vector<std::vector<double>> starts;
    if (settings_.node != NodeForm::linear) {
      starts = distances(rows, features_, job);
      Told told = best_grouping(rows, settings_.explained, job);
      if (told.score >= 0) starts.push_back(std::move(told.by.weights));
    }
    std::vector<double> best = Climb(rows, measure, settings_, mix(draw, 0x0c1), job).best(starts);
    if (best.empty()) return {};
    best.pop_back();
    return {{std::move(best), std::nullopt}};
  }

 private:
  const ObliqueSettings& settings_;
  const Features& features_;
};

const Enrol<ProposerEntry> enrol({"oc1", "planes by climbing hills from random starts", &make_planes<Oc1>});

}  // namespace

}  // namespace tw
