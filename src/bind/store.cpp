#include "base/json_shape.hpp"
#include "bind/rooms.hpp"

namespace tw::bind {

namespace nb = nanobind;

void add_store(nb::module_& module) {
  nb::class_<JsonShape>(module, "JsonShape", "Refuses a JSON text that is nested too deep or has too many keys, part by part.")
      .def(nb::init<u64, u64>(), nb::arg("most_deep"), nb::arg("most_keys"))
      .def(
          "feed", [](JsonShape& shape, const nb::bytes& part) { shape.feed({part.c_str(), part.size()}); }, nb::arg("part"),
          "Look at the next part of the text.");
}

}  // namespace tw::bind
