// The tests of a search, as orders of rows. A view puts all rows in groups, one behind the other; every border between two groups is a
// test. A numeric column is a view of its distinct values. Where it has missing cells, it is one view with these in front (whose first
// border is the question whether there is a value) and one with them behind. A test of levels is a view of two groups; such views whose
// sets of rows lie one in the other are joined, because what is known of one border bounds what lies between it and the next.
#pragma once

#include <vector>

#include "optimal/settings.hpp"
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
  std::vector<u32> group;  // by row
  u32 n_groups = 0;
  std::vector<Border> borders;  // one less than groups
};

struct Views {
  std::vector<Test> tests;
  std::vector<TestView> each;
  bool by_majority = false;  // missing cells follow the heavier branch of a node, so that a test means another thing at every node
};

Views make_views(const Table& table, const OptimalSettings& settings);

// The branch of a training cell: 0 or 1. Missing cells as the test says.
bool goes_first(const Test& test, Code code);

}  // namespace tw
