// Weights of rows that lie in several places, as whole quanta.
#include "table/weights.hpp"

#include "bind/codes.hpp"
#include "bind/rooms.hpp"

namespace tw::bind {

namespace {

void look_at_weights(WeightFacts& facts, const Vector<const double>& weights) {
  for (std::size_t i = 0; i < weights.shape(0); ++i) facts.add(weights.data()[i]);
}

u64 rough_sum(const WeightFacts& facts, const Vector<const double>& weights) {
  const RoughWeights rough(facts);
  u64 sum = 0;
  for (std::size_t i = 0; i < weights.shape(0); ++i) sum += rough.share(weights.data()[i]);
  return sum;
}

// Writes whole quanta; their sum.
i64 write_quanta(const Vector<const double>& weights, int shift, const Vector<i64>& out) {
  if (weights.shape(0) != out.shape(0)) throw Invalid("there are not as many quanta as weights");
  const Quantum quantum(shift);
  i64 total = 0;
  double off = 0;
  for (std::size_t i = 0; i < weights.shape(0); ++i) total += out.data()[i] = quantum.count(weights.data()[i], off);
  return total;
}

}  // namespace

void add_weights(nb::module_& module) {
  nb::class_<WeightFacts>(module, "WeightFacts", "What is known of weights that lie in several places, before they become whole quanta.")
      .def(nb::init<>())
      .def("look", &look_at_weights, nb::arg("weights"))
      .def("add", nb::overload_cast<const WeightFacts&>(&WeightFacts::add), nb::arg("more"))
      .def_prop_ro("unit", &WeightFacts::unit, "Whether all weigh the same part of a row, so that none has a weight of its own.")
      .def_ro("first", &WeightFacts::first)
      .def_ro("even", &WeightFacts::even)
      .def_ro("whole", &WeightFacts::whole)
      .def("rough_sum", &rough_sum, nb::arg("weights"))
      .def("shift", [](const WeightFacts& self, u64 sum) { return RoughWeights(self).shift(sum, false); }, nb::arg("rough_sum"));
  module.def("write_quanta", &write_quanta, nb::arg("weights"), nb::arg("shift"), nb::arg("out"));
}

}  // namespace tw::bind
