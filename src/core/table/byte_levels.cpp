// Levels of all nominal columns of a row side by side, a byte each.
#include <algorithm>

#include "base/memory.hpp"
#include "table/columns.hpp"

namespace tw {

ByteLevels make_byte_levels(const Columns& columns, Row n_rows) {
  ByteLevels bytes;
  bytes.place.assign(columns.size(), -1);
  for (std::size_t j = 0; j < columns.size(); ++j)
    if (columns[j].kind == Kind::nominal && columns[j].n_codes <= ByteLevels::kMostLevels) bytes.place[j] = static_cast<i32>(bytes.width++);
  const std::size_t size = std::size_t{n_rows} * bytes.width;
  bytes.levels.reserve(size);
  expect_random_reads(bytes.levels.data(), size);
  bytes.levels.resize(size);
  for (std::size_t j = 0; j < columns.size(); ++j) {
    if (bytes.place[j] < 0) continue;
    u8* to = bytes.levels.data() + bytes.place[j];
    for (Row row = 0; row < n_rows; ++row, to += bytes.width) *to = static_cast<u8>(std::min(columns[j].codes[row], columns[j].n_codes));
  }
  return bytes;
}

}  // namespace tw
