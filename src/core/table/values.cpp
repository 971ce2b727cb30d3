// Values of a column by code.
#include <algorithm>

#include "table/table.hpp"

namespace tw {

void list_values(EncodedColumn& column, double gap) {
  const bool single = column.cells.type == Type::F32;
  (single ? column.single.resize(column.n_codes) : column.values.resize(column.n_codes));
  for (std::size_t row = 0; row < column.codes.size(); ++row) {
    const Code code = column.codes[row];
    if (code == kMissing) continue;
    if (single)
      column.single[code] = column.cells.at<float>(row);
    else
      column.values[code] = column.cells.number(row);
  }
  Code begin = 0;
  for (Code code = 1; code < column.n_codes; ++code) {
    while (column.value(begin) + gap < column.value(code)) ++begin;
    column.crowd = std::max(column.crowd, code - begin + 1);
  }
  if (column.crowd > 1) return;
  // No two values are close: nobody will ask.
  column.single = {};
  column.values = {};
}

}  // namespace tw
