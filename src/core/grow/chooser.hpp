// Picks among the candidates of all columns of a node.
#pragma once

#include "grow/settings.hpp"

namespace tw {

inline constexpr double kAverageMargin = 1e-3;  // Quinlan 1993
inline constexpr double kLeastInformation = 1e-3;
inline constexpr double kWekaTie = 1e-6;

// The place of the chosen candidate. `candidates` are in column order and not empty.
std::size_t choose(const std::vector<Candidate>& candidates, const GrowSettings& settings, u64 node_path,
                   const std::vector<std::pair<Column, u32>>& path);

// The columns in an order drawn anew at each node, which depends on the node's path alone.
std::vector<Column> draw_order(const std::vector<Column>& columns, u64 node_path);

}  // namespace tw
