// What the members of a forest say of rows, added up: all members see a block of rows before the next block is begun.
#pragma once

#include <span>
#include <vector>

#include "base/job_control.hpp"
#include "table/nonfinite.hpp"
#include "tree/tree.hpp"

namespace tw {

// A member, and what its nodes add to the sums of a row: node i the entries [begin[i], begin[i + 1]); without offsets one each, to the sum
// `output`.
struct Member {
  const Tree* tree = nullptr;
  std::span<const u32> begin, outputs;
  std::span<const double> values;
  double weight = 1;
  u32 output = 0;
};

enum class Added : u8 {
  all,
  refused,  // a cell was met that may not be there
  divided,  // a row ended in several leaves of a member: what is said of it is not a sum over leaves
};

// Adds weight times value of every member's leaf, in the order of the members, to `sums` (rows x n_sums), which the caller has set.
Added add_answers(std::span<const Member> members, const std::vector<View>& cells, u64 n_rows, std::size_t n_sums, Nonfinite nonfinite,
                  unsigned threads, JobControl& job, double* sums);

}  // namespace tw
