// Looks for NaN or infinite cells, block by block.
#include "table/nonfinite.hpp"

#include <algorithm>

namespace tw {

namespace {

template <class Bits>
struct Float;
template <>
struct Float<u32> {
  static constexpr u32 kInfinity = 0x7f800000U;
};
template <>
struct Float<u64> {
  static constexpr u64 kInfinity = 0x7ff0000000000000U;
};

// On the bits without their sign, infinity is the largest number and NaNs lie beyond. Adds instead of returning early: the
// loop becomes a vector loop.
template <class Bits>
bool in_run(const std::byte* data, std::size_t count, bool missing) {
  constexpr Bits infinity = Float<Bits>::kInfinity;
  Bits found = 0;
  for (std::size_t i = 0; i < count; ++i) {
    Bits bits;
    std::memcpy(&bits, data + i * sizeof(Bits), sizeof(Bits));
    bits &= ~Bits{0} >> 1;
    found |= static_cast<Bits>(missing ? bits >= infinity : bits == infinity);
  }
  return found != 0;
}

template <class Bits>
bool in_column(const View& view, std::size_t first, std::size_t last, bool missing) {
  if (view.stride == static_cast<std::ptrdiff_t>(sizeof(Bits)))
    return in_run<Bits>(view.data + first * sizeof(Bits), last - first, missing);
  constexpr Bits infinity = Float<Bits>::kInfinity;
  for (std::size_t row = first; row < last; ++row) {
    const Bits bits = view.at<Bits>(row) & (~Bits{0} >> 1);
    if (missing ? bits >= infinity : bits == infinity) return true;
  }
  return false;
}

// Rows without gaps: the columns lie side by side and the next row follows.
bool row_major(const std::vector<View>& columns, std::size_t size) {
  for (std::size_t j = 0; j < columns.size(); ++j)
    if (columns[j].type != columns[0].type || columns[j].data != columns[0].data + j * size ||
        columns[j].stride != static_cast<std::ptrdiff_t>(columns.size() * size))
      return false;
  return true;
}

}  // namespace

bool holds_nonfinite(const std::vector<View>& columns, std::size_t first, std::size_t last, Nonfinite nonfinite) {
  if (nonfinite == Nonfinite::nothing || columns.empty()) return false;
  const bool missing = nonfinite == Nonfinite::infinite_or_missing;
  const std::size_t n = columns.size();
  if (columns[0].type == Type::F32 && row_major(columns, 4))
    return in_run<u32>(columns[0].data + first * n * 4, (last - first) * n, missing);
  if (columns[0].type == Type::F64 && row_major(columns, 8))
    return in_run<u64>(columns[0].data + first * n * 8, (last - first) * n, missing);
  return std::any_of(columns.begin(), columns.end(), [&](const View& view) {
    if (view.type == Type::F32) return in_column<u32>(view, first, last, missing);
    return view.type == Type::F64 && in_column<u64>(view, first, last, missing);
  });
}

}  // namespace tw
