// Pessimistic estimates of the errors of trees; see stats/error_estimate.hpp.
#pragma once

#include "stats/error_estimate.hpp"
#include "tree/tree.hpp"

namespace tw {

// Errors to expect of the whole tree, from the weights in its leaves.
double estimated_errors(const Tree& tree, const ErrorEstimate& estimate);

// Weight of the rows of a node that are not of its most frequent class.
double errors_at(const Tree& tree, std::size_t node);

// Weight of the rows of a node as their classes count: what is counted of them under priors or class weights, else their own weight.
double weight_at(const Tree& tree, std::size_t node);

}  // namespace tw
