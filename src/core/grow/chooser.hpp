// Picks among the candidates of a node. A chooser sees all of them together, and may have them fitted again on other rows.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "base/registry.hpp"
#include "grow/settings.hpp"

namespace tw {

inline constexpr double kAverageMargin = 1e-3;  // Quinlan 1993
inline constexpr double kLeastInformation = 1e-3;
inline constexpr double kWekaTie = 1e-6;

// What a chooser may ask about besides the candidates.
struct Choice {
  const GrowSettings& settings;
  u64 node_path = 0;
  const std::vector<std::pair<Column, u32>>& path;  // (column, branch) pairs from the root, where somebody asks for it
  // The candidate at a place as it would be on these rows of the node, or nothing; empty where an engine cannot tell.
  std::function<std::optional<Candidate>(std::size_t place, const NodeRows& rows)> refit;
};

// As which chooser estimates of columns foresee the choice (grow/shortcuts/column_estimate.hpp); `no`: they cannot.
enum class Foreseen : u8 { no, best, above_average, quinlan, weka };

struct ChooserEntry {
  std::string name;
  std::string summary;
  // The place of the chosen candidate, or one beyond the last: none. `candidates` are in column order and not empty.
  std::size_t (*choose)(const std::vector<Candidate>& candidates, const Choice& choice) = nullptr;
  Foreseen foreseen = Foreseen::no;
  bool compares_gains = false;  // columns are measured by each other's gain less penalty, as in C4.5
  bool refits = false;          // it asks for candidates as they would be on other rows
};

// The chooser that settings name.
const ChooserEntry& chooser_entry(const std::string& name);

// Whether columns are compared by what their cuts cost, or measured by each other, as in C4.5.
bool counts_cuts(const GrowSettings& settings);

// The best rank among the eligible; of ties as the settings say. For choosers that only differ in who is eligible.
std::size_t best_eligible(const std::vector<Candidate>& candidates, const Choice& choice,
                          const std::function<bool(const Candidate&)>& eligible);

}  // namespace tw
