// The tests of a search, as orders of rows. A view puts all rows in groups, one behind the other; every border between two groups is a
// test. A numeric column is a view of its distinct values. Where it has missing cells, it is one view with these in front (whose first
// border is the question whether there is a value) and one with them behind. A test of levels is a view of two groups; such views whose
// sets of rows lie one in the other are joined, because what is known of one border bounds what lies between it and the next.
#pragma once

#include <vector>

#include "optimal/meter.hpp"
#include "table/table.hpp"
#include "tree/split.hpp"

namespace tw {

struct Test {
  Column column = 0;
  Family family = Family::none;
  Code last = 0;               // thresholds: of the codes below
  bool missing_first = false;  // missing cells go to branch 0
  std::vector<Code> levels;    // of branch 0, ascending
};

struct TestView {
  struct Border {
    u32 test = 0;
    bool flipped = false;  // the groups in front go to branch 1
  };
  // The group of every row: bytes where there are few of them, which is so for tests of levels, of which there may be thousands.
  static constexpr u32 kFew = 64;
  std::vector<u8> few;
  std::vector<u32> many;
  u32 n_groups = 0;
  std::vector<Border> borders;  // one less than groups

  u32 group(Row row) const { return many.empty() ? few[row] : many[row]; }
};

struct Views {
  std::vector<Test> tests;
  std::vector<TestView> each;
  bool by_majority = false;  // missing cells follow the heavier branch of a node, so that a test means another thing at every node
};

// No views where the search was stopped meanwhile.
Views make_views(const Table& table, const OptimalSettings& settings, Meter& meter);

// The branch of a training cell: 0 or 1. Missing cells as the test says.
bool goes_first(const Test& test, Code code);

}  // namespace tw
