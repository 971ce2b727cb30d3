#include <algorithm>

#include "base/memory.hpp"
#include "table/table.hpp"

namespace tw {

PackedLevels pack_levels(const Table& table) {
  PackedLevels packed;
  packed.place.assign(table.columns.size(), -1);
  for (std::size_t j = 0; j < table.columns.size(); ++j)
    if (table.columns[j].kind == Kind::nominal && table.columns[j].n_codes <= PackedLevels::kMostLevels)
      packed.place[j] = static_cast<i32>(packed.width++);
  const std::size_t bytes = std::size_t{table.n_rows} * packed.width;
  packed.levels.reserve(bytes);
  read_anywhere(packed.levels.data(), bytes);
  packed.levels.resize(bytes);
  for (std::size_t j = 0; j < table.columns.size(); ++j) {
    if (packed.place[j] < 0) continue;
    u8* to = packed.levels.data() + packed.place[j];
    for (Row row = 0; row < table.n_rows; ++row, to += packed.width)
      *to = static_cast<u8>(std::min(table.columns[j].codes[row], table.columns[j].n_codes));
  }
  return packed;
}

}  // namespace tw
