// Means and scatter of the features of a node by class: all that discriminants are made of.
#pragma once

#include <vector>

#include "base/job_control.hpp"
#include "oblique/features.hpp"
#include "oblique/solve.hpp"

namespace tw {

// Of some rows: their weight, their mean, and the sum of weighted products of what is off it.
struct Moments {
  double weight = 0;
  std::vector<double> mean;
  Symmetric scatter;

  explicit Moments(std::size_t d) : mean(d, 0.0), scatter(d) {}
  // Takes in the rows of another.
  void add(const Moments& other);
};

std::vector<Moments> moments_by_class(const NodeMatrix& rows, const JobControl& job);

// A direction in which two groups lie apart (Fisher), with the value halfway between them, less what the larger one is likelier by.
struct Discriminant {
  std::vector<double> weights;
  double threshold = 0;
};

// Fisher's direction from the first group to the second. Where features depend on each other, it is looked for among the principal
// components of all rows that keep `explained` of their variance.
Discriminant discriminant_of(const Moments& first, const Moments& second, double explained, const JobControl& job);

}  // namespace tw
