// Sends the rows of a node to the branches of its split, the missing ones as the policy says. The node's sorted lists go with them.
#pragma once

#include "grow/settings.hpp"

namespace tw {

// Smaller nodes sort for themselves sooner than lists are kept for them.
inline constexpr std::size_t kKeepLists = 32;

std::vector<NodeRows> divide(const Table& table, NodeRows& node, const NodeTargets& targets, const Candidate& chosen, Missing policy);

}  // namespace tw
