#include <algorithm>

#include "table/table.hpp"

namespace tw {

void find_clusters(EncodedColumn& column, double gap) {
  std::vector<double> values(column.n_codes, 0);
  for (std::size_t row = 0; row < column.codes.size(); ++row)
    if (column.codes[row] != kMissing) values[column.codes[row]] = column.cells.number(row);
  column.cluster.assign(column.n_codes, 0);
  for (std::size_t code = 1; code < values.size(); ++code)
    column.cluster[code] = column.cluster[code - 1] + (values[code - 1] + gap < values[code] ? 1 : 0);
  u32 begin = 0;
  for (u32 code = 0; code < column.n_codes; ++code) {
    if (column.cluster[code] != column.cluster[begin]) begin = code;
    column.longest_cluster = std::max(column.longest_cluster, code - begin + 1);
  }
}

}  // namespace tw
