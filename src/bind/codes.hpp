// Rows of codes, a byte or two each, as they arrive from Python.
#pragma once

#include "bind/arrays.hpp"
#include "table/table.hpp"

namespace tw::bind {

template <class T>
using Vector = nb::ndarray<T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Codes = nb::ndarray<nb::ndim<2>, nb::c_contig, nb::device::cpu>;

inline bool holds_bytes(const Codes& codes, std::size_t columns) {
  const bool bytes = codes.dtype() == nb::dtype<u8>();
  if ((!bytes && codes.dtype() != nb::dtype<u16>()) || codes.shape(1) != columns || codes.shape(0) > kMaxRows)
    throw Invalid("codes must be a matrix of one or two bytes each, a column of it for every column");
  return bytes;
}

}  // namespace tw::bind
