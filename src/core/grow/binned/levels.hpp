// A tree that is grown level by level from rows that lie elsewhere, in files or on other machines. Whoever has rows answers questions about
// nodes in whole numbers, which are put together, and divisions come back; nodes of few rows are left to whoever gathers their rows. The
// tree is the one that is grown in one place.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "grow/binned/frame.hpp"
#include "grow/settings.hpp"
#include "grow/sorted/applies.hpp"
#include "stats/moments.hpp"
#include "tree/tree.hpp"

namespace tw {

// How the rows of a node are divided.
struct LevelDivision {
  u32 node = 0;
  u32 first_child = 0;  // the other one has the next number
  Column column = 0;
  std::vector<u8> branch;  // 0 or 1 by code, missing cells last
};

// What is asked about nodes. Ranges: the least and the largest target, as keys of which the least are taken. Otherwise counts, which are
// added up: of all rows, the sums that describe numbers, and the counters of columns.
struct LevelQuestion {
  struct OfNode {
    u32 node = 0;
    bool all_columns = true;
    std::vector<Column> columns{};  // otherwise these
    TargetRange range{};            // of numbers that are counted
  };

  bool ranges = false;
  std::vector<OfNode> nodes;
};

// How long the answer about a node is.
std::size_t answer_length(const BinnedFrame& frame, const LevelQuestion& question, std::size_t at);

// How much is held at a time.
struct LevelRoom {
  u64 rows = 0;      // nodes of at most so many are left to others
  u64 counters = 0;  // of one question, unless it is about a single node; and as many are kept to be subtracted from
};

class LevelGrower {
 public:
  virtual ~LevelGrower() = default;

  // How nodes are divided that the last answers were about, and what is to be asked once they are. Where nothing is, all that is left are
  // subtrees of few rows.
  const std::vector<LevelDivision>& divisions() const { return divisions_; }
  const LevelQuestion& question() const { return question_; }
  // The answers of all places together, node by node.
  virtual void take(std::span<const i64> answers) = 0;

  // The subtrees of few rows found so far.
  const std::vector<SubtreeRoot>& small() const { return small_; }
  // The whole tree; `pieces` are the subtrees, in their order.
  virtual Tree finish(std::span<const Tree* const> pieces) = 0;

 protected:
  std::vector<LevelDivision> divisions_;
  LevelQuestion question_;
  std::vector<SubtreeRoot> small_;
};

// Puts a finished tree in the place of a node.
void put_in_place(const Tree& piece, u32 node, Builder& builder);

// What is known of a table of which the rows lie elsewhere.
struct TableFacts {
  Table table;                    // without rows: columns, classes and the weight of all
  std::vector<i64> class_totals;  // weight by class; of numbers empty
  bool weighted = false;          // rows weigh other than one each
};

// Refuses settings for which there is no such grower.
std::unique_ptr<LevelGrower> grow_by_levels(TableFacts facts, const GrowSettings& settings, const LevelRoom& room);

// Grows a subtree from its rows, a table in bins; `facts` are of the whole table.
Tree grow_subtree(Table table, TableFacts facts, const GrowSettings& settings, const SubtreeRoot& root, JobControl& job);

// Rows that lie in one place, as the levels divide them.
class BinnedShard {
 public:
  // `rows`: those that are there, ascending. `values`: targets that are numbers, by row.
  BinnedShard(BinnedFrame frame, std::span<const double> values, std::span<Row> rows);

  void divide(std::span<const LevelDivision> divisions);
  std::vector<i64> answer(const LevelQuestion& question) const;
  // The rows of a node, ascending.
  std::span<const Row> rows_of(u32 node) const;
  const BinnedFrame& frame() const { return frame_; }

 private:
  struct Run {
    u32 begin;
    u32 n;
  };

  Run run_of(u32 node) const { return node < runs_.size() ? runs_[node] : Run{0, 0}; }
  void tell_range(u32 node, i64* out) const;
  // Sums of a node's targets, and their steps.
  TargetSums read_numbers(const LevelQuestion::OfNode& of, std::vector<i64>& steps) const;

  BinnedFrame frame_;
  std::span<const double> values_;
  std::vector<Run> runs_;  // by node
  std::vector<Column> columns_;
};

// The range that keys tell; and sums in the counters of an answer.
TargetRange range_of_keys(const i64* keys, i64 total);
inline constexpr std::size_t kSumCounters = 12;
TargetSums sums_of(const i64* counters);

}  // namespace tw
