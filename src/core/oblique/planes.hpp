// What the searches of this room share: the features of a node are read, a method finds planes through them, and each becomes a candidate:
// a threshold on a sum of terms, in the units of the table, with the score that any other candidate would have.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "base/errors.hpp"
#include "grow/settings.hpp"
#include "oblique/features.hpp"
#include "oblique/sweep.hpp"
#include "search/proposer.hpp"

namespace tw {

// A sum of weighted features, and what it is compared with: rows above are on the one side, the others on the other. Without a threshold
// the best by the criterion is taken.
struct Plane {
  std::vector<double> weights;
  std::optional<double> threshold;
};

// Finds planes for the rows of a node.
class PlaneSearch {
 public:
  virtual ~PlaneSearch() = default;
  // `draw`: what is drawn at random depends on it alone.
  virtual std::vector<Plane> find(const NodeMatrix& rows, Measure measure, u64 draw, JobControl& job) const = 0;
};

class Planes final : public Proposer {
 public:
  using Make = std::unique_ptr<PlaneSearch> (*)(const ObliqueSettings&, const Features&);

  Planes(const Table& table, const GrowSettings& settings, const Searcher& searcher, JobControl& job, Make make);

  void propose(const NodeView& node, std::span<Scratch* const> spaces, Proposals& out) const override;
  std::optional<Candidate> refit(const Candidate& candidate, const NodeView& node, Scratch& space) const override;

 private:
  std::optional<Candidate> candidate_of(const Plane& plane, const NodeView& node, Scratch& space) const;
  std::optional<Candidate> best_cut(std::vector<DerivedTerm> terms, const NodeView& node, Scratch& space) const;
  std::optional<Candidate> cut_at(std::vector<DerivedTerm> terms, double threshold, const NodeView& node, Scratch& space) const;

  const Table& table_;
  const GrowSettings& settings_;
  const ObliqueSettings& oblique_;
  const Searcher& searcher_;
  JobControl& job_;
  Features features_;
  std::unique_ptr<PlaneSearch> search_;
};

const ObliqueSettings& oblique_settings(const GrowSettings& settings);

// The same plane with at most so many features, those dropped first without which it tells rows apart best (Breiman et al. 1984, as
// CART's backward elimination). `least`: a feature also goes whose loss is less than this share of the loss of the one that matters most.
void eliminate(std::vector<double>& weights, const NodeMatrix& rows, Measure measure, std::size_t most, double least);

// The values of a sum of weighted features.
std::vector<double> values_of(std::span<const double> weights, const NodeMatrix& rows);

template <class Search>
std::unique_ptr<PlaneSearch> make_search(const ObliqueSettings& settings, const Features& features) {
  return std::make_unique<Search>(settings, features);
}

template <class Search>
std::unique_ptr<Proposer> make_planes(const Table& table, const GrowSettings& settings, const Searcher& searcher, JobControl& job) {
  return std::make_unique<Planes>(table, settings, searcher, job, &make_search<Search>);
}

}  // namespace tw
