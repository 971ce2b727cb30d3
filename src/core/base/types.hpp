// Plain names for the integers of the core. Everything that counts rows or cells is 64 bits wide or wider; an index into
// the rows of one table is 32 bits (a table holds fewer than 2^32 - 1 rows; cells may exceed that).
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>

namespace tw {

using i8 = std::int8_t;
using i32 = std::int32_t;
using i64 = std::int64_t;
using u8 = std::uint8_t;
using u16 = std::uint16_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;
__extension__ typedef __int128 i128;
__extension__ typedef unsigned __int128 u128;

using Row = u32;     // index of a row in the table
using Code = u32;    // rank of a numeric value, or level of a nominal one
using Column = u32;  // index of a column in the table

inline constexpr Code kMissing = std::numeric_limits<Code>::max();
inline constexpr Row kMaxRows = std::numeric_limits<Row>::max() - 1;

}  // namespace tw
