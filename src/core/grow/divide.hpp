// Sends the rows of a node to the branches of its split, the missing ones as the policy says. The node's sorted lists go with them.
#pragma once

#include "grow/settings.hpp"

namespace tw {

std::vector<NodeRows> divide(const Table& table, NodeRows& node, const NodeTargets& targets, const Candidate& chosen, Missing policy);

}  // namespace tw
