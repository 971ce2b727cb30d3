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

// A part of a score over features: see ScorePart.
struct PlanePart {
  u32 score = 0;
  std::vector<double> weights;
  double constant = 0;
  bool squashed = false;
  double weight = 1;
};

// A sum of weighted features, and what it is compared with: rows above are on the one side, the others on the other. Without a threshold
// the best by the criterion is taken. With parts a score that is made of them; or several, of which the largest takes a row.
struct Plane {
  std::vector<double> weights;
  std::optional<double> threshold;
  std::vector<PlanePart> parts = {};
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

  Planes(const Table& table, const GrowSettings& settings, const Searcher& searcher, JobControl& job, const ObliqueSettings& oblique,
         Make make);

  void propose(const NodeView& node, std::span<Scratch* const> spaces, Proposals& out) const override;
  std::optional<Candidate> refit(const Candidate& candidate, const NodeView& node, Scratch& space) const override;

  // The best of what the method finds.
  std::optional<Candidate> best(const NodeView& node, Scratch& space) const;

 private:
  std::optional<Candidate> candidate_of(const Plane& plane, const NodeMatrix& rows, const NodeView& node, Scratch& space) const;
  static Plane needed(Plane plane, const NodeMatrix& rows);
  std::optional<Candidate> scored(const Plane& plane, const NodeView& node, Scratch& space) const;
  std::optional<Candidate> largest(Features::Scores scores, const NodeView& node, Scratch& space) const;
  std::optional<Candidate> best_cut(std::vector<DerivedTerm> terms, std::vector<ScorePart> parts, const std::vector<double>& numbers,
                                    const NodeView& node, Scratch& space) const;

  // A sum that is compared with a number: which rows lie above it (1) or not (0).
  struct Sides {
    std::vector<DerivedTerm> terms;
    std::vector<double> of;
    Cut cut;
  };
  std::optional<Sides> sides_of(std::vector<DerivedTerm> terms, double threshold, const NodeMatrix& rows, const NodeView& node) const;
  std::optional<Candidate> cut_at(Sides sides, const NodeView& node, Scratch& space) const;
  std::vector<double> numbers_of(const std::vector<DerivedTerm>& terms, const NodeMatrix& rows, const NodeView& node) const;

  const Table& table_;
  const GrowSettings& settings_;
  const ObliqueSettings oblique_;
  const Searcher& searcher_;
  JobControl& job_;
  Features features_;
  std::unique_ptr<PlaneSearch> search_;
};

const ObliqueSettings& oblique_settings(const GrowSettings& settings);

// The same plane with at most so many features, those dropped first without which it tells rows apart best (Breiman et al. 1984, as
// CART's backward elimination). `least`: a feature also goes whose loss is less than this share of the loss of the one that matters most.
void eliminate(std::vector<double>& weights, const NodeMatrix& rows, Measure measure, std::size_t most, double least);

// The two groups that a node with one score tells apart, as the labels of its rows: classes as Fisher's discriminants group them, or
// numbers above the mean and the others.
NodeMatrix grouped(NodeMatrix rows, double explained, JobControl& job);

// The values of a sum of weighted features.
std::vector<double> values_of(std::span<const double> weights, const NodeMatrix& rows);

template <class Search>
std::unique_ptr<PlaneSearch> make_search(const ObliqueSettings& settings, const Features& features) {
  return std::make_unique<Search>(settings, features);
}

template <class Search>
std::unique_ptr<Proposer> make_planes(const Table& table, const GrowSettings& settings, const Searcher& searcher, JobControl& job) {
  ObliqueSettings own = oblique_settings(settings);
  if constexpr (requires { Search::form_of(own.node); }) own.node = Search::form_of(own.node);
  return std::make_unique<Planes>(table, settings, searcher, job, own, &make_search<Search>);
}

}  // namespace tw
