// What readers of text need before they parse it: the shape and the long lists of JSON, and the quotes of delimited text.
#include "base/json_numbers.hpp"
#include "base/json_shape.hpp"
#include "base/quotes.hpp"
#include "bind/arrays.hpp"
#include "bind/casters.hpp"
#include "bind/rooms.hpp"

namespace tw::bind {

namespace nb = nanobind;

namespace {

template <class T>
std::string lines_of(const nb::ndarray<const T, nb::ndim<1>, nb::c_contig>& numbers, std::size_t per_line) {
  return number_lines(std::span<const T>(numbers.data(), numbers.shape(0)), per_line);
}

nb::tuple lifted(const nb::bytes& text, const std::string& mark) {
  LiftedText found = lift_numbers({text.c_str(), text.size()}, mark);
  nb::list lists;
  for (NumberList& list : found.lists) std::visit([&](auto& numbers) { lists.append(give(std::move(numbers))); }, list);
  return nb::make_tuple(nb::bytes(found.text.data(), found.text.size()), lists);
}

}  // namespace

void add_store(nb::module_& module) {
  nb::class_<JsonShape>(module, "JsonShape", "Refuses a JSON text that is nested too deep or has too many keys, piece by piece.")
      .def(nb::init<u64, u64>(), nb::arg("max_depth"), nb::arg("max_keys"))
      .def(
          "feed", [](JsonShape& shape, const nb::bytes& piece) { shape.feed({piece.c_str(), piece.size()}); }, nb::arg("piece"),
          "Look at the next piece of the text.");
  module.def("number_lines", &lines_of<i64>, nb::arg("numbers"), nb::arg("per_line"), "Numbers as JSON lists them, so many on a line.");
  module.def("number_lines", &lines_of<double>, nb::arg("numbers"), nb::arg("per_line"), "Numbers as JSON lists them, so many on a line.");
  module.def("lift_numbers", &lifted, nb::arg("text"), nb::arg("mark"),
             nb::sig("def lift_numbers(text: bytes, mark: str) -> tuple[bytes, list[NDArray]]"),
             "A JSON text whose long lists of numbers were taken out, each of which stands there as {mark: its place}, and those lists.");
  nb::class_<Quotes>(module, "Quotes", "What the quotes of delimited text do, piece by piece.")
      .def(nb::init<char>(), nb::arg("delimiter"))
      .def(
          "feed", [](Quotes& quotes, const nb::bytes& piece) { quotes.feed({piece.c_str(), piece.size()}); }, nb::arg("piece"),
          "Look at the next piece of the text.")
      .def(
          "feed", [](Quotes& quotes, const nb::bytearray& piece) { quotes.feed({piece.c_str(), piece.size()}); }, nb::arg("piece"),
          "Look at the next piece of the text.")
      .def_prop_ro("count", &Quotes::count, "How many quotes there are.")
      .def_prop_ro("hold_lines", &Quotes::hold_lines, "Whether a cell in quotes holds the end of a line.")
      .def_prop_ro("hold_returns", &Quotes::hold_returns, "Whether a cell in quotes holds a CR.")
      .def_prop_ro("open", &Quotes::open, "Whether the text so far ends inside a cell in quotes.");
}

}  // namespace tw::bind
