// Bins of rows that lie in several places, found in rounds, and numbers as codes.
#include <nanobind/stl/optional.h>

#include <optional>

#include "bind/codes.hpp"
#include "bind/rooms.hpp"
#include "table/binned.hpp"

namespace tw::bind {

namespace {

auto count_keys(const BinSearch& search, const Array& cells, const std::optional<Vector<const i64>>& weights) {
  if (cells.ndim() != 1 || (weights && weights->shape(0) != cells.shape(0))) throw Invalid("cells must be a vector, and so must weights");
  std::vector<i64> counters(search.counters());
  const View view = view_of(cells, 0);
  {
    const nb::gil_scoped_release release;
    count_numbers(search, view, weights ? weights->data() : nullptr, static_cast<Row>(cells.shape(0)), counters.data());
  }
  return give(std::move(counters));
}

// Codes of a numeric column, in its column of a matrix: keys of the least and the largest number by code, and the missing cells.
auto code_column(const Array& cells, const Vector<const u64>& ends, const Codes& out, std::size_t column) {
  if (cells.ndim() != 1 || cells.shape(0) != out.shape(0) || column >= out.shape(1)) throw Invalid("cells and codes differ in length");
  Bins bins;
  bins.ends.assign(ends.data(), ends.data() + ends.shape(0));
  const bool bytes = holds_bytes(out, out.shape(1));
  if (bins.size() > (bytes ? kMostByteCodes : kMostCodes)) throw Invalid("there are more bins than codes");
  const std::ptrdiff_t size = bytes ? 1 : 2;
  auto* to = static_cast<std::byte*>(out.data()) + static_cast<std::ptrdiff_t>(column) * size;
  const View view = view_of(cells, 0);
  CodedNumbers seen(0);
  {
    const nb::gil_scoped_release release;
    seen = code_numbers(view, static_cast<Row>(cells.shape(0)), bins, bytes, to, static_cast<std::ptrdiff_t>(out.shape(1)) * size);
  }
  return nb::make_tuple(give(std::move(seen.least)), give(std::move(seen.most)), seen.missing);
}

auto numbers_of_keys(const Vector<const u64>& keys, bool single) {
  std::vector<double> out;
  for (std::size_t i = 0; i < keys.shape(0); ++i) out.push_back(number_of_key(keys.data()[i], single ? Type::F32 : Type::F64));
  return give(std::move(out));
}

}  // namespace

void add_bins(nb::module_& module) {
  nb::class_<BinSearch>(module, "BinSearch", "The search for the bins of a numeric column whose cells lie in several places.")
      .def(
          "__init__", [](BinSearch* self, u32 most, bool single) { new (self) BinSearch(most, single ? 32 : 64); }, nb::arg("max_bins"),
          nb::arg("single"))
      .def_prop_ro("done", &BinSearch::done)
      .def("count", &count_keys, nb::arg("cells"), nb::arg("weights") = nb::none(),
           "Counters of the round in hand, which add up over all places.")
      .def(
          "take",
          [](BinSearch& self, const Vector<const i64>& counters) {
            if (counters.shape(0) != self.counters()) throw Invalid("there are not as many counts as were asked for");
            self.take({counters.data(), counters.shape(0)});
          },
          nb::arg("counters"), "End a round.")
      .def_prop_ro("counters", &BinSearch::counters, "Counters of the round in hand.")
      .def_prop_ro(
          "round", [](const BinSearch& self) { return nb::make_tuple(self.known(), give(self.prefixes())); },
          "What the round in hand asks: how many of the first bits of the numbers are known, and which of them are looked at further.")
      .def_static(
          "of_round",
          [](bool single, unsigned known, const Vector<const u64>& prefixes) {
            return BinSearch::of_round(single ? 32 : 64, known, {prefixes.data(), prefixes.shape(0)});
          },
          nb::arg("single"), nb::arg("known"), nb::arg("prefixes"), "What counts a round elsewhere, where its sums are not taken.")
      .def("ends", [](const BinSearch& self) { return give(std::vector<u64>(self.ends())); });
  module.def("code_column", &code_column, nb::arg("cells"), nb::arg("ends"), nb::arg("out"), nb::arg("column"));
  module.def("numbers_of_keys", &numbers_of_keys, nb::arg("keys"), nb::arg("single"));
}

}  // namespace tw::bind
