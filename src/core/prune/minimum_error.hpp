// Minimum-error pruning: a node ends if the error to expect of it is no larger than that of its branches, weighted (Niblett and Bratko 1986
// by Laplace's estimate; Cestnik and Bratko 1991 by the m-estimate; for numbers Karalič and Cestnik 1991).
#pragma once

#include <optional>
#include <vector>

#include "prune/costs.hpp"

namespace tw {

// By node, the loss to expect of the best answer it could give as a leaf. Without `m`, class shares are (n_k + 1) / (n + K) of K declared
// classes, so that the expected error is (errors + K - 1) / (n + K). With it, class shares (or mean and variance) are drawn towards the
// root's as if m more rows had come from there.
std::vector<double> expected_error(const Tree& tree, std::optional<double> m, const Costs& costs);

std::vector<u8> minimum_error(const Tree& tree, const std::vector<double>& expected);

}  // namespace tw
