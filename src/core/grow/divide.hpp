// Sends the rows of a node to the branches of its split, the missing ones as the policy says.
#pragma once

#include "grow/settings.hpp"

namespace tw {

std::vector<NodeRows> divide(const Table& table, const NodeRows& node, const NodeTargets& targets, const Candidate& chosen, Missing policy);

}  // namespace tw
