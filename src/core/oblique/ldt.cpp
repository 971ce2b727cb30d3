// Linear discriminant trees (Yildiz and Alpaydin 2000): the classes of a node are gathered into two groups, told apart by Fisher's
// discriminant, whose threshold lies where normal distributions of both are as likely.
#include "oblique/climb.hpp"
#include "oblique/grouping.hpp"
#include "oblique/planes.hpp"

namespace tw {

namespace {

// Whether a plane, its constant last, has a class of its own on each side.
bool parts(const std::vector<double>& plane, const NodeMatrix& rows) {
  const std::vector<double> values = values_of(plane, rows);
  bool seen[2][2] = {{false, false}, {false, false}};
  for (std::size_t i = 0; i < rows.n; ++i) seen[values[i] + plane.back() > 0][rows.labels[i]] = true;
  return seen[0][0] != seen[0][1] && seen[1][0] != seen[1][1];
}

class Ldt final : public PlaneSearch {
 public:
  Ldt(const ObliqueSettings& settings, const Features&) : settings_(settings) {}

  std::vector<Plane> find(const NodeMatrix& rows, Measure, u64 draw, JobControl& job) const override {
    Told told = best_grouping(rows, settings_.explained, job);
    if (told.score < 0) return {};
    // Products are far from normal, so that a curve which parts two classes without an error is missed by a little: where climbing from
    // there finds one, it is taken.
    if (settings_.node == NodeForm::quadratic && rows.n_classes == 2 && rows.n >= 2 * rows.d) {
      ObliqueSettings alone = settings_;
      alone.restarts = alone.jumps = 0;
      std::vector<double> parted = Climb(rows, Measure::gini, alone, draw, job).from(told.by.weights);
      if (!parted.empty() && parts(parted, rows)) {
        parted.pop_back();
        return {{std::move(parted), std::nullopt}};
      }
    }
    return {{std::move(told.by.weights), told.by.threshold}};
  }

 private:
  const ObliqueSettings& settings_;
};

const Enrol<ProposerEntry> enrol({"ldt", "Fisher's discriminant of two groups of classes", &make_planes<Ldt>});

}  // namespace

}  // namespace tw
