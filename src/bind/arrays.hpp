// Arrays across the border: borrowed views of what Python passes in, read-only views of what the core owns.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <string>
#include <vector>

#include "base/errors.hpp"
#include "table/view.hpp"

namespace tw::bind {

namespace nb = nanobind;

using Array = nb::ndarray<nb::ro, nb::device::cpu>;

inline Type type_of(const Array& array) {
  const auto type = array.dtype();
  const auto is = [&](auto sample) { return type == nb::dtype<decltype(sample)>(); };
  if (is(float{})) return Type::F32;
  if (is(double{})) return Type::F64;
  if (is(std::int8_t{})) return Type::I8;
  if (is(std::int16_t{})) return Type::I16;
  if (is(std::int32_t{})) return Type::I32;
  if (is(std::int64_t{})) return Type::I64;
  if (is(std::uint8_t{})) return Type::U8;
  if (is(std::uint16_t{})) return Type::U16;
  if (is(std::uint32_t{})) return Type::U32;
  if (is(std::uint64_t{})) return Type::U64;
  throw Invalid("arrays must hold machine integers or 32- or 64-bit floats");
}

// Column `j` of a matrix, or a vector (j = 0).
inline View view_of(const Array& array, std::size_t j) {
  const auto size = static_cast<std::ptrdiff_t>(array.itemsize());
  const auto* data = static_cast<const std::byte*>(array.data());
  const std::ptrdiff_t row = static_cast<std::ptrdiff_t>(array.stride(0)) * size;
  const std::ptrdiff_t column = array.ndim() == 2 ? static_cast<std::ptrdiff_t>(array.stride(1)) * size : 0;
  return {data + static_cast<std::ptrdiff_t>(j) * column, row, type_of(array)};
}

template <class T>
auto share(const std::vector<T>& values, nb::handle owner) {
  return nb::ndarray<nb::numpy, const T, nb::ndim<1>>(values.data(), {values.size()}, owner);
}

template <class T>
auto give(std::vector<T>&& values) {
  auto* held = new std::vector<T>(std::move(values));
  nb::capsule owner(held, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
  return nb::ndarray<nb::numpy, T, nb::ndim<1>>(held->data(), {held->size()}, owner);
}

template <class T>
std::vector<T> take(const nb::dict& state, const char* name, const char* damaged = "the tree is damaged") {
  if (!state.contains(name)) throw Invalid(std::string(damaged) + ": it has no '" + name + "'");
  nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu> array;
  if (!nb::try_cast(state[name], array, /*convert=*/false))
    throw Invalid(std::string(damaged) + ": '" + name + "' is not an array of the right type");
  return {array.data(), array.data() + array.shape(0)};
}

// The columns of rows that come in blocks.
inline std::vector<View> views_of(const std::vector<Array>& arrays, u64 n_rows, std::size_t n_columns) {
  std::vector<View> cells;
  for (const Array& array : arrays) {
    if (array.ndim() < 1 || array.ndim() > 2 || array.shape(0) != n_rows) throw Invalid("the columns differ in length");
    for (std::size_t j = 0; j < (array.ndim() == 2 ? array.shape(1) : 1); ++j) cells.push_back(view_of(array, j));
  }
  if (cells.size() != n_columns)
    throw Invalid("the rows have " + std::to_string(cells.size()) + " columns, the model was learned from " + std::to_string(n_columns));
  return cells;
}

// The type of a column as NumPy calls it.
template <class T>
std::string type_name() {
  return (std::is_floating_point_v<T> ? "f" : std::is_signed_v<T> ? "i" : "u") + std::to_string(sizeof(T));
}

}  // namespace tw::bind
