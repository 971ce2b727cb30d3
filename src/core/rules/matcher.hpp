// Which rules hold of a row. Rules are flat columns; for matching, each column of the table is cut into the intervals (or levels) inside
// which no rule tells values apart, and each of these has the set of rules it satisfies, as bits. The rules of a row are the intersection
// over the columns.
#pragma once

#include <string>
#include <vector>

#include "base/job_control.hpp"
#include "table/table.hpp"

namespace tw {

enum class Present : u8 { none, some, all };  // which present cells satisfy a condition

// Conditions side by side; rule r owns [rule_begin[r], rule_begin[r + 1]), at most one condition per column of the table.
struct RuleColumns {
  std::vector<u32> rule_begin;
  std::vector<u32> column;
  std::vector<double> low, high;  // numeric: the closed interval; infinite where open
  std::vector<u32> level_begin;   // nominal: condition c owns [level_begin[c], level_begin[c + 1]) of `level`
  std::vector<u32> level;
  std::vector<u8> present;    // a `Present`
  std::vector<u8> missing;    // whether a missing cell satisfies it
  std::vector<double> share;  // if not: the share of the row's weight that follows the rule

  std::size_t n_rules() const { return rule_begin.empty() ? 0 : rule_begin.size() - 1; }
};

struct RuleTable {
  std::vector<Kind> kinds;
  std::vector<u32> levels;
};

// Throws Invalid unless every index is in range and every number is one.
void validate(const RuleColumns& rules, const RuleTable& table);

struct Matches {
  std::vector<i64> begin;  // row i owns [begin[i], begin[i + 1]) of the next two
  std::vector<i32> rule;   // ascending
  std::vector<double> share;
};

class Matcher {
 public:
  Matcher(RuleColumns rules, RuleTable table);

  // The first rule that holds of every row, or -1.
  std::vector<i32> first(const std::vector<View>& cells, u64 n_rows, const JobControl& job) const;
  // All rules that hold of every row, with the share of the row they hold of.
  Matches all(const std::vector<View>& cells, u64 n_rows, const JobControl& job) const;

  const RuleColumns& rules() const { return rules_; }
  const RuleTable& table() const { return table_; }

 private:
  using Words = std::vector<u64>;

  // The sets of the rules of one chunk for one column.
  struct ColumnSets {
    Column column = 0;
    std::vector<double> cuts;  // numeric: ascending; interval i begins at cuts[i - 1]
    Words sets;                // one set of rules per interval or level, side by side
    Words missing;             // rules a missing cell satisfies wholly
    Words partly;              // the same, or by a share
  };
  struct Chunk {
    std::size_t first = 0;  // its first rule
    std::size_t words = 0;
    std::vector<ColumnSets> columns;
    Words all;  // one bit per rule
  };

  Chunk compile(std::size_t first, std::size_t last) const;
  ColumnSets compile_column(const Chunk& chunk, std::size_t last, Column column) const;
  const u64* set_of(const ColumnSets& column, const Chunk& chunk, double cell, bool partly) const;
  double share_of(std::size_t rule, const std::vector<View>& cells, u64 row) const;
  bool is_missing(Column column, double cell) const;

  struct Block {
    u64 begin = 0;
    u64 end = 0;
    bool partly = false;  // rules that hold of a share count too
  };
  // Calls visit(row, words) for every row of the block.
  template <class Visit>
  void each(const Chunk& chunk, const std::vector<View>& cells, const Block& block, Words& sets, Visit&& visit) const;

  RuleColumns rules_;
  RuleTable table_;
  std::vector<Chunk> chunks_;
  bool partly_ = false;
};

}  // namespace tw
