// What each column contributes to what a forest says of rows: Shapley values of its members, added up (Lundberg et al. 2020).
#pragma once

#include <span>
#include <vector>

#include "forest/contribution_plan.hpp"

namespace tw {

// Rows to explain; with a background, the others that stand in for what is not known of a row, instead of the training rows.
struct Explained {
  const std::vector<View>& cells;
  u64 n_rows = 0;
  const std::vector<View>* background = nullptr;
  u64 n_background = 0;
};

struct Contributions {
  std::vector<double> base;    // per sum, what is said if nothing is known; without a background only
  std::vector<double> values;  // rows x columns x sums
};

// gates[i] are those of member i.
Contributions contributions(std::span<const Member> members, std::span<const std::vector<SoftGate>> gates, const Explained& rows,
                            u32 n_sums, unsigned threads, JobControl& job);

}  // namespace tw
