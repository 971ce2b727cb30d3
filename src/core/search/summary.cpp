// Adds up summaries of columns.
#include "search/summary.hpp"

#include <algorithm>

namespace tw {

namespace {

// Cells of two ascending lists of codes, added up where they meet; the missing rows stand behind.
template <class Cell>
std::vector<Cell> merged(const std::vector<Code>& codes, const ColumnSummary& one, const ColumnSummary& two) {
  const std::vector<Cell>& first = one.cells<Cell>();
  const std::vector<Cell>& second = two.cells<Cell>();
  const std::size_t width = first.size() / (one.codes.size() + 1);
  std::vector<Cell> out((codes.size() + 1) * width, 0);
  const auto put = [&](const ColumnSummary& from, const std::vector<Cell>& cells) {
    std::size_t at = 0;
    for (std::size_t g = 0; g <= from.codes.size(); ++g) {
      if (g == from.codes.size())
        at = codes.size();
      else
        while (codes[at] != from.codes[g]) ++at;
      for (std::size_t i = 0; i < width; ++i) out[at * width + i] += cells[g * width + i];
    }
  };
  put(one, first);
  put(two, second);
  return out;
}

}  // namespace

void ColumnSummary::add(const ColumnSummary& more) {
  if (class_cells.empty() && moment_cells.empty()) {  // of no rows yet
    *this = more;
    return;
  }
  std::vector<Code> all;
  std::set_union(codes.begin(), codes.end(), more.codes.begin(), more.codes.end(), std::back_inserter(all));
  if (!class_cells.empty()) class_cells = merged<i64>(all, *this, more);
  if (!moment_cells.empty()) moment_cells = merged<i128>(all, *this, more);
  if (!values.empty() || !more.values.empty()) {
    std::vector<double> of_all(all.size());
    const auto put = [&](const ColumnSummary& from) {
      for (std::size_t g = 0; g < from.codes.size(); ++g)
        of_all[static_cast<std::size_t>(std::lower_bound(all.begin(), all.end(), from.codes[g]) - all.begin())] = from.values[g];
    };
    put(*this);
    put(more);
    values = std::move(of_all);
  }
  codes = std::move(all);
}

}  // namespace tw
