// When the sorted engine applies.
#include <algorithm>

#include "grow/part.hpp"

namespace tw {

bool sorted_applies(const Table& table, const GrowSettings& settings) {
  const SearchSettings& search = settings.search;
  const bool holes =
      std::any_of(table.columns.begin(), table.columns.end(), [](const EncodedColumn& column) { return column.n_missing > 0; });
  const bool one_branch =
      search.missing == Missing::learned || search.missing == Missing::majority || search.missing == Missing::refuse || !holes;
  const bool two_way = search.numeric == Family::threshold && (search.nominal == Family::subset || search.nominal == Family::one_vs_rest);
  const bool even = table.weights.quanta.empty() && table.weights.unit == 1;
  // Labels are bytes; entries keep one of 32 bits for the label; a Python tie-breaker wants to know the path.
  // Kept candidates tell how many cuts were tried, which this engine does not count.
  return one_branch && two_way && even && !settings.keep_candidates && table.target.n_classes <= 256 && table.n_rows < (Row{1} << 31) &&
         settings.ties != Ties::asked;
}

}  // namespace tw
