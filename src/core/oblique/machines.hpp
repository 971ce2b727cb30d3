// Linear machines: a score for every class, of which the largest takes a row (Nilsson 1965); and what FACT and LMDT share.
#pragma once

#include <vector>

#include "oblique/planes.hpp"

namespace tw {

// By class a weight for every feature and a constant.
struct Machine {
  std::size_t d = 0;
  std::vector<double> weights;  // of class k from k * d on
  std::vector<double> constant;

  std::size_t classes() const { return constant.size(); }
  std::span<const double> of(std::size_t k) const { return {weights.data() + k * d, d}; }
};

// The rows with some of the features.
NodeMatrix some_of(const NodeMatrix& rows, std::span<const std::size_t> features);

// The feature whose weights differ least between classes, each times the deviation of the feature (Brodley and Utgoff's dispersion).
std::size_t least_dispersed(const Machine& machine, const NodeMatrix& rows);

// A machine over some of the features as a plane: of two classes one sum, compared with a number.
Plane plane_of(const Machine& machine, std::span<const std::size_t> features, std::size_t d);

// Rows in an order that depends on what stands in them and on the draw, not on where they stand in the table.
std::vector<u32> drawn_order(const NodeMatrix& rows, u64 draw);

// Where features lie at a node, and how far they spread: rounded, so that neither depends on the order of rows.
struct NodeScale {
  std::vector<double> centre, inverse;
};
NodeScale scale_of(const NodeMatrix& rows);

}  // namespace tw
