// When the sorted engine applies.
#include <algorithm>

#include "grow/part.hpp"
#include "grow/sorted_frame.hpp"

namespace tw {

namespace {

// What the settings alone say. A Python tie-breaker wants to know the path; kept candidates tell how many cuts were tried, which this
// engine does not count.
bool may_apply(const GrowSettings& settings) {
  const SearchSettings& search = settings.search;
  return settings.engine != EngineKind::plain && criterion_part(search.criterion).grow_sorted != nullptr &&
         search.numeric == Family::threshold && (search.nominal == Family::subset || search.nominal == Family::one_vs_rest) &&
         !settings.asks() && !settings.keep_candidates && settings.max_competitors == 0 && search.cuts == Cuts::all && !search.penalty &&
         settings.chooser != ChooserKind::quinlan && settings.chooser != ChooserKind::weka;
}

}  // namespace

bool sorted_applies(const Table& table, const GrowSettings& settings) {
  const SearchSettings& search = settings.search;
  const bool holes =
      std::any_of(table.columns.begin(), table.columns.end(), [](const EncodedColumn& column) { return column.n_missing > 0; });
  const bool one_branch = search.missing == Missing::learned || search.missing == Missing::majority ||
                          search.missing == Missing::surrogate || search.missing == Missing::refuse || !holes;
  // Labels are bytes; entries keep one of 32 bits for the label.
  return may_apply(settings) && one_branch && table.target.n_classes <= 256 && table.n_rows < (Row{1} << 31);
}

u32 order_from(const GrowSettings& settings) { return may_apply(settings) ? kListFrom : 0; }

}  // namespace tw
