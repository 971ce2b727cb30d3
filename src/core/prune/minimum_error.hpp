// Minimum-error pruning: a node ends if the error to expect of it is no larger than that of its branches, weighted (Niblett and Bratko 1986
// by Laplace's estimate; Cestnik and Bratko 1991 by the m-estimate; for numbers Karalič and Cestnik 1991).
#pragma once

#include <optional>
#include <vector>

#include "tree/tree.hpp"

namespace tw {

// By node, the error to expect of it as a leaf. Without `m`: (errors + K - 1) / (n + K) of K declared classes. With it, class shares (or
// mean and variance) are drawn towards the root's as if m more rows had come from there.
std::vector<double> expected_error(const Tree& tree, std::optional<double> m);

std::vector<u8> minimum_error(const Tree& tree, const std::vector<double>& expected);

}  // namespace tw
