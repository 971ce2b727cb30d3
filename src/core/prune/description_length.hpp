// Pruning by description length: the tree and what it leaves open are sent as bits, and the shortest message wins (Rissanen 1978; for trees
// Quinlan and Rivest 1989; the code of the classes is that of Mehta, Rissanen and Agrawal 1995).
#pragma once

#include <vector>

#include "tree/tree.hpp"

namespace tw {

// Bits of a node as a leaf: its rows' targets, given that they are there. Classes, n rows of K declared ones: the sum of
// n_k log2(n / n_k), and (K - 1)/2 log2(n / 2) + log2(pi^(K/2) / Gamma(K/2)), not below 0. Numbers, told apart down to `precision`:
// n times the bits of a normal residual, 1/2 log2(2 pi e variance / precision^2), not below 0, and log2(n) for mean and variance.
std::vector<double> leaf_bits(const Tree& tree, double precision);

// Bits of a node's split: log2(columns) for its column; log2(n - 1) for every cut among n rows, L - 1 for a division of L listed levels in
// two, L log2(branches) in more, log2(declared levels) for one against the rest, none where every level has a branch of its own.
std::vector<double> split_bits(const Tree& tree);

// Every node sends one bit, leaf or split, and then the bits of either. A node ends if that is no longer than its split and branches.
std::vector<u8> description_length(const Tree& tree, const std::vector<double>& leaf, const std::vector<double>& split);

}  // namespace tw
