// The one search behind OC1 and CART's linear combinations: how far to go in a given direction, so that the sides of 0 tell the rows apart
// best. Every row changes sides once on the way, where its own value passes 0 (Murthy, Kasif and Salzberg 1994).
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "oblique/features.hpp"

namespace tw {

// How well two sides tell rows apart; larger is better.
enum class Measure : u8 { gini, twoing, entropy, error, variance };

Measure measure_of(const std::string& criterion, const NodeMatrix& rows);

struct Step {
  double by = 0;
  double score = 0;
};

class Sweep {
 public:
  Sweep(const NodeMatrix& rows, Measure measure);

  // The score of the sides of 0: above, or not.
  double score(std::span<const double> values);

  // The best step along `direction`; nothing where no two rows come apart on the way.
  std::optional<Step> best(std::span<const double> values, std::span<const double> direction);

  // The same where every row moves alike: the best threshold.
  std::optional<Step> best_shift(std::span<const double> values) { return best(values, ones_); }

 private:
  void clear();
  void add(std::size_t row, double sign);
  double worth() const;

  // How many of the rows have passed at the best place (0: there is none), and how good it is.
  struct Place {
    std::size_t at = 0;
    double score = 0;
  };
  Place place_by_classes();
  Place place_by_sums();

  const NodeMatrix& rows_;
  Measure measure_;
  std::size_t k_ = 0;
  std::vector<double> ones_;
  std::vector<double> above_, all_;  // weight by class; or weight and sum of targets
  double above_weight_ = 0;
  std::vector<double> line_;    // by row: weight times the one number that is summed up, where that tells all
  std::vector<double> passes_;  // by row: the step at which it passes 0
  std::vector<double> way_;     // by row: 1 where it comes above 0 there, -1 where it goes below
  std::vector<u64> keys_, spare_;
};

// Whether one score is larger than another by more than rounding.
inline bool higher(double score, double than) { return score > than + 1e-12 * (than < 0 ? -than : than); }

}  // namespace tw
