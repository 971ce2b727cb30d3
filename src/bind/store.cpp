// What readers of text need before they parse it: the shape of JSON, and the quotes of delimited text.
#include "base/json_shape.hpp"
#include "base/quotes.hpp"
#include "bind/rooms.hpp"

namespace tw::bind {

namespace nb = nanobind;

void add_store(nb::module_& module) {
  nb::class_<JsonShape>(module, "JsonShape", "Refuses a JSON text that is nested too deep or has too many keys, piece by piece.")
      .def(nb::init<u64, u64>(), nb::arg("max_depth"), nb::arg("max_keys"))
      .def(
          "feed", [](JsonShape& shape, const nb::bytes& piece) { shape.feed({piece.c_str(), piece.size()}); }, nb::arg("piece"),
          "Look at the next piece of the text.");
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
