// A tree that is grown level by level from rows that lie elsewhere, in files or on other machines. Whoever has rows counts them, sums are
// taken, and divisions come back; nodes of few rows are left to whoever gathers their rows. The tree is the one that is grown in one place.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "grow/binned/frame.hpp"
#include "grow/settings.hpp"
#include "grow/sorted/applies.hpp"
#include "tree/tree.hpp"

namespace tw {

// How the rows of a node are divided.
struct LevelDivision {
  u32 node = 0;
  u32 first_child = 0;  // the other one has the next number
  Column column = 0;
  std::vector<u8> branch;  // 0 or 1 by code, missing cells last
};

class LevelGrower {
 public:
  virtual ~LevelGrower() = default;

  // The level in hand: how nodes of the level before are divided, and of which nodes rows are to be counted then. Where none are, all that
  // is left are subtrees of few rows.
  const std::vector<LevelDivision>& divisions() const { return divisions_; }
  const std::vector<u32>& counted() const { return counted_; }
  // Counters of one node.
  virtual std::size_t counters() const = 0;
  // Sums over all rows, node by node.
  virtual void take(std::span<const i64> counts) = 0;

  // The subtrees of few rows found so far.
  const std::vector<SubtreeRoot>& small() const { return small_; }
  // The whole tree; `pieces` are the subtrees, in their order.
  virtual Tree finish(const std::vector<Tree>& pieces) = 0;

 protected:
  std::vector<LevelDivision> divisions_;
  std::vector<u32> counted_;
  std::vector<SubtreeRoot> small_;
};

// Puts a finished tree in the place of a node.
void put_in_place(const Tree& piece, u32 node, Builder& builder);

// What is known of a table of which the rows lie elsewhere.
struct TableFacts {
  Table table;                    // without rows: columns, classes and the weight of all
  std::vector<i64> class_totals;  // weight by class
};

// `small`: nodes of at most so many rows are left to others. Refuses settings for which there is no such grower.
std::unique_ptr<LevelGrower> grow_by_levels(TableFacts facts, const GrowSettings& settings, u64 small);

// Grows a subtree from its rows: their table is in bins.
Tree grow_subtree(Table table, const GrowSettings& settings, const SubtreeRoot& root, JobControl& job);

// Rows that lie in one place, as the levels divide them.
class BinnedShard {
 public:
  // `rows`: room for as many numbers as there are rows.
  BinnedShard(BinnedFrame frame, std::span<Row> rows);

  void divide(std::span<const LevelDivision> divisions);
  // Counters of these nodes, one after the other.
  std::vector<i64> count(std::span<const u32> nodes) const;
  // The rows of a node, ascending.
  std::span<const Row> rows_of(u32 node) const;
  const BinnedFrame& frame() const { return frame_; }

 private:
  struct Run {
    u32 begin;
    u32 n;
  };

  Run run_of(u32 node) const { return node < runs_.size() ? runs_[node] : Run{0, 0}; }

  BinnedFrame frame_;
  std::vector<Run> runs_;  // by node
  std::vector<Column> columns_;
};

}  // namespace tw
