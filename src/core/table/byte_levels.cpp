#include <algorithm>

#include "base/memory.hpp"
#include "table/table.hpp"

namespace tw {

ByteLevels make_byte_levels(const Table& table) {
  ByteLevels bytes;
  bytes.place.assign(table.columns.size(), -1);
  for (std::size_t j = 0; j < table.columns.size(); ++j)
    if (table.columns[j].kind == Kind::nominal && table.columns[j].n_codes <= ByteLevels::kMostLevels)
      bytes.place[j] = static_cast<i32>(bytes.width++);
  const std::size_t size = std::size_t{table.n_rows} * bytes.width;
  bytes.levels.reserve(size);
  expect_random_reads(bytes.levels.data(), size);
  bytes.levels.resize(size);
  for (std::size_t j = 0; j < table.columns.size(); ++j) {
    if (bytes.place[j] < 0) continue;
    u8* to = bytes.levels.data() + bytes.place[j];
    for (Row row = 0; row < table.n_rows; ++row, to += bytes.width)
      *to = static_cast<u8>(std::min(table.columns[j].codes[row], table.columns[j].n_codes));
  }
  return bytes;
}

}  // namespace tw
