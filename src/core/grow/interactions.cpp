// Which columns remain below a split.
#include "grow/interactions.hpp"

#include <algorithm>
#include <numeric>

namespace tw {

namespace {

Openness columns_in(const ColumnSets& sets, std::vector<u32> open) {
  auto out = std::make_shared<OpenColumns>();
  for (const u32 set : open) out->columns.insert(out->columns.end(), sets[set].begin(), sets[set].end());
  std::sort(out->columns.begin(), out->columns.end());
  out->columns.erase(std::unique(out->columns.begin(), out->columns.end()), out->columns.end());
  out->sets = std::move(open);
  return out;
}

}  // namespace

Openness open_at_root(const ColumnSets& sets) {
  if (sets.empty()) return nullptr;
  std::vector<u32> all(sets.size());
  std::iota(all.begin(), all.end(), 0U);
  return columns_in(sets, std::move(all));
}

Openness open_below(const ColumnSets& sets, const Openness& here, Column split) {
  if (!here) return nullptr;
  std::vector<u32> open;
  for (const u32 set : here->sets)
    if (std::binary_search(sets[set].begin(), sets[set].end(), split)) open.push_back(set);
  return open.size() == here->sets.size() ? here : columns_in(sets, std::move(open));
}

}  // namespace tw
