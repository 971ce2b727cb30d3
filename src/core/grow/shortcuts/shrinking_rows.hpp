// Rows that become fewer: what stays of a table is looked at again and again, each time without some more rows. Columns are kept in order
// and summed up in blocks and levels, so that a look costs blocks, and rows only where the best cut may lie.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "grow/shortcuts/entropy_estimator.hpp"

namespace tw {

class ShrinkingRows {
 public:
  // All rows of the table.
  ShrinkingRows(const Table& table, const GrowSettings& settings);

  // Takes these weights off these rows.
  void take(std::span<const Row> rows, std::span<const i64> weights);

  // The rows that are left, as a node.
  NodeRows rest() const;

  // The split of that node, whose targets are given; nothing certain where estimates leave a doubt, and a full search has to tell.
  struct Look {
    bool certain = false;
    std::optional<Candidate> chosen;  // none: there is no candidate
  };
  Look look(NodeRows& node, const NodeTargets& targets, Scratch& scratch);

 private:
  static constexpr u32 kNoPlace = ~u32{0};

  // The present rows of a numeric column in order of value, and blocks of them.
  struct Ordered {
    std::vector<u64> keys;          // code << 32 | row, of rows that are left or were when the list was made
    std::vector<u32> place;         // of each row
    std::vector<u32> before, next;  // by place: the nearest places of rows that are left
    std::vector<i64> moved;         // by block and class: weight
    std::vector<u32> cuts;          // by block
    int shift = 0;
  };
  class Blocks;

  Blocks blocks_of(Column index) const;
  void order(Column index);
  void unlink(Column index, u32 place);
  void prepare(const NodeTargets& targets, Scratch& scratch) const;
  void list(Column index, const NodeRows& node, std::vector<u64>& cells) const;

  const Table& table_;
  const GrowSettings& settings_;
  std::unique_ptr<Searcher> searcher_;
  std::optional<EntropyEstimator> estimator_;  // nothing else is kept where there is none
  const std::size_t k_;
  std::vector<i64> left_;  // by row: weight
  std::size_t rows_left_ = 0;
  std::size_t rows_listed_ = 0;
  std::vector<Ordered> ordered_;          // by column; numeric ones
  std::vector<std::vector<i64>> counts_;  // by column; nominal ones: by level (then missing) and class
  std::vector<Column> columns_;
};

}  // namespace tw
