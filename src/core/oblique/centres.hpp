// Squared distances from the means of classes, as weights of features: spheres, and ellipsoids.
#pragma once

#include <vector>

#include "base/job_control.hpp"
#include "oblique/features.hpp"

namespace tw {

// For every class the distance from its mean: by the class's own covariance where features have products, else Euclidean. Of numbers those
// above the mean, and the others, are two classes.
std::vector<std::vector<double>> distances(const NodeMatrix& rows, const Features& features, const JobControl& job);

}  // namespace tw
