// A borrowed run of numbers of any machine type, at any stride, or of the few that are not 0: how columns arrive from outside. Owns
// nothing.
#pragma once

#include <algorithm>
#include <cstring>

#include "base/types.hpp"

namespace tw {

enum class Type : u8 { F32, F64, I8, I16, I32, I64, U8, U16, U32, U64, Sparse };

// Cells that are not 0, by row; all others are.
struct SparseCells {
  const i32* rows = nullptr;  // ascending
  const double* values = nullptr;
  std::size_t n = 0;
  std::size_t n_rows = 0;

  double number(std::size_t row) const {
    const i32* found = std::lower_bound(rows, rows + n, static_cast<i32>(row));
    return found != rows + n && *found == static_cast<i32>(row) ? values[found - rows] : 0;
  }
};

struct View {
  const std::byte* data = nullptr;  // of Type::Sparse: one SparseCells, at stride 0
  std::ptrdiff_t stride = 0;        // bytes from one row to the next; may be negative or 0
  Type type = Type::F64;

  template <class T>
  T at(std::size_t row) const {
    T value;  // memcpy: the address need not be aligned for T
    std::memcpy(&value, data + static_cast<std::ptrdiff_t>(row) * stride, sizeof(T));
    return value;
  }

  const SparseCells& sparse() const { return *reinterpret_cast<const SparseCells*>(data); }

  double number(std::size_t row) const {
    switch (type) {
      case Type::F32: return static_cast<double>(at<float>(row));
      case Type::F64: return at<double>(row);
      case Type::I8: return static_cast<double>(at<std::int8_t>(row));
      case Type::I16: return static_cast<double>(at<std::int16_t>(row));
      case Type::I32: return static_cast<double>(at<std::int32_t>(row));
      case Type::I64: return static_cast<double>(at<std::int64_t>(row));
      case Type::U8: return static_cast<double>(at<std::uint8_t>(row));
      case Type::U16: return static_cast<double>(at<std::uint16_t>(row));
      case Type::U32: return static_cast<double>(at<std::uint32_t>(row));
      case Type::U64: return static_cast<double>(at<std::uint64_t>(row));
      case Type::Sparse: return sparse().number(row);
    }
    return 0;
  }
};

}  // namespace tw
