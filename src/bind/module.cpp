// The contents page of the compiled module.
#include <nanobind/nanobind.h>

#include "base/errors.hpp"
#include "bind/rooms.hpp"

NB_MODULE(_core, module) {
  namespace nb = nanobind;
  nb::register_exception_translator([](const std::exception_ptr& failure, void*) {
    try {
      std::rethrow_exception(failure);
    } catch (const tw::Invalid& error) {
      PyErr_SetString(PyExc_ValueError, error.what());
    } catch (const tw::Interrupted&) {
      PyErr_SetNone(PyExc_KeyboardInterrupt);
    }
  });
  nb::set_leak_warnings(false);  // models alive when Python exits are no leak worth a message
  tw::bind::add_tree(module);
  tw::bind::add_grow(module);
  tw::bind::add_bins(module);
  tw::bind::add_levels(module);
  tw::bind::add_weights(module);
  tw::bind::add_models(module);
  tw::bind::add_logistic(module);
  tw::bind::add_prune(module);
  tw::bind::add_rules(module);
  tw::bind::add_registries(module);
  tw::bind::add_forest(module);
  tw::bind::add_optimal(module);
  tw::bind::add_store(module);
  tw::bind::add_relational(module);
  tw::bind::add_soft(module);
}
