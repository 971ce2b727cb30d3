// Optimal trees for Python.
#include <nanobind/stl/function.h>
#include <nanobind/stl/optional.h>

#include "bind/casters.hpp"
#include "bind/encode.hpp"
#include "bind/rooms.hpp"
#include "bind/watch.hpp"
#include "grow/grow.hpp"
#include "optimal/optimal.hpp"

namespace tw::bind {

namespace {

// Calls Python from the thread of the search.
std::function<double()> clock_of(const nb::object& clock) {
  if (clock.is_none()) return {};
  return [clock] {
    const nb::gil_scoped_acquire gil;
    return nb::cast<double>(clock());
  };
}

// What is known so far, for whoever shows it; infinity where there is no tree yet.
nb::object told_of(const SearchNews& news, const nb::object& progress) {
  if (progress.is_none()) return progress;
  return nb::cpp_function([&news, progress](u64, u64) { progress(news.best.load(), news.bound.load()); });
}

nb::tuple optimal(const TableInput& input, GrowSettings grow, u32 max_depth, u64 max_splits, double cost_per_leaf, u32 max_thresholds,
                  u32 max_subset_levels, std::optional<u64> max_steps, std::optional<double> time_limit, u64 cache_bytes, bool keep_best,
                  const nb::object& clock, const nb::object& progress) {
  OptimalSettings settings;
  settings.max_depth = max_depth;
  settings.max_splits = static_cast<u32>(std::min<u64>(max_splits, std::numeric_limits<u32>::max()));
  settings.cost_per_leaf = cost_per_leaf;
  settings.max_thresholds = max_thresholds;
  settings.max_subset_levels = max_subset_levels;
  if (max_steps) settings.max_steps = *max_steps;
  if (time_limit) settings.time_limit = *time_limit;
  settings.cache_bytes = cache_bytes;
  settings.keep_best = keep_best;
  settings.clock = clock_of(clock);
  SearchNews news;
  settings.news = &news;
  JobControl job;
  std::optional<OptimalOutcome> out;
  try {
    watched(job, told_of(news, progress), [&] {
      grow.engine = "plain";  // whose codes the search reads
      Table table = encode(input, grow, job);
      fit_settings(table, grow);
      settings.search = grow.search;
      out.emplace(optimal_tree(table, settings, job));
    });
  } catch (nb::python_error& error) {
    // The one interrupt that a fit survives: the best tree so far was asked for.
    if (!keep_best || !out || !error.matches(PyExc_KeyboardInterrupt)) throw;
  }
  nb::dict facts;
  facts["cost"] = out->cost;
  facts["bound"] = out->bound;
  facts["greedy"] = out->greedy;
  facts["ended"] = kEndedNames[static_cast<u8>(out->ended)];
  facts["steps"] = out->steps;
  facts["looks"] = out->looks;
  facts["cache_peak"] = out->cache_peak;
  return nb::make_tuple(std::move(out->tree), facts);
}

}  // namespace

void add_optimal(nb::module_& module) {
  module.def("optimal_tree", &optimal, nb::arg("table"), nb::arg("settings"), nb::arg("max_depth"), nb::arg("max_splits"),
             nb::arg("cost_per_leaf"), nb::arg("max_thresholds"), nb::arg("max_subset_levels"), nb::arg("max_steps").none(),
             nb::arg("time_limit").none(), nb::arg("cache_bytes"), nb::arg("keep_best"), nb::arg("clock") = nb::none(),
             nb::arg("progress") = nb::none(),
             nb::sig("def optimal_tree(table: TableInput, settings: GrowSettings, max_depth: int, max_splits: int, cost_per_leaf: float, "
                     "max_thresholds: int, max_subset_levels: int, max_steps: int | None, time_limit: float | None, cache_bytes: int, "
                     "keep_best: bool, clock: object = None, progress: object = None) -> tuple[Tree, dict]"),
             "Search for the tree of least loss: the tree, and what is proven of it.");
}

}  // namespace tw::bind
