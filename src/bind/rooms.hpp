// One function per room that adds its names to the module.
#pragma once

#include <nanobind/nanobind.h>

namespace tw::bind {

void add_tree(nanobind::module_& module);
void add_grow(nanobind::module_& module);
void add_bins(nanobind::module_& module);
void add_levels(nanobind::module_& module);
void add_weights(nanobind::module_& module);
void add_models(nanobind::module_& module);
void add_logistic(nanobind::module_& module);
void add_prune(nanobind::module_& module);
void add_rules(nanobind::module_& module);
void add_registries(nanobind::module_& module);
void add_forest(nanobind::module_& module);
void add_optimal(nanobind::module_& module);
void add_store(nanobind::module_& module);
void add_relational(nanobind::module_& module);
void add_soft(nanobind::module_& module);

}  // namespace tw::bind
