#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cmath>
#include <optional>

#include "bind/rooms.hpp"
#include "bind/table_input.hpp"
#include "bind/watch.hpp"
#include "grow/part.hpp"
#include "prune/collapse.hpp"
#include "prune/error_based.hpp"
#include "prune/impossible.hpp"
#include "tree/thresholds.hpp"

namespace tw::bind {

namespace {

void check_columns(const Tree& tree, const TableInput& input) {
  bool fits = tree.columns.size() == input.views.size();
  for (std::size_t j = 0; fits && j < input.views.size(); ++j)
    fits = tree.columns[j].kind == input.kinds[j] && tree.columns[j].n_levels == input.levels[j];
  if (!fits) throw Invalid("the columns of the rows are not those the tree was grown from");
}

// Whether a row may be divided among branches: also at nodes that saw no missing cell when they were grown, once they are raised.
bool divides(const Tree& tree) {
  for (std::size_t i = 0; i < tree.size(); ++i)
    if (tree.missing_to[i] == kAllBranches) return true;
  return false;
}

Tree prune_by_errors(const Tree& tree, const TableInput& input, const std::string& criterion, double confidence,
                     const std::string& estimate, bool raising, bool anew) {
  check_columns(tree, input);
  if (tree.n_classes == 0 || tree.n_classes != input.n_classes) throw Invalid("error-based pruning needs the classes of the tree");
  const ErrorBased settings{confidence, estimate == "weka" ? Estimate::weka : Estimate::quinlan, raising};
  Work work;
  std::optional<Tree> pruned;
  watched(work, nb::none(), [&] {
    Table table;
    table.n_rows = static_cast<Row>(input.n_rows);
    read_target(input, divides(tree), table);
    const PruneRows rows{input.views, table};
    SearchSettings search;
    search.criterion = criterion;
    const auto searcher = criterion_part(criterion).make(table, search);
    pruned.emplace(carried_out(tree, error_based(tree, rows, settings, work), rows, *searcher, anew, work));
  });
  return std::move(*pruned);
}

}  // namespace

void add_prune(nb::module_& module) {
  module.def(
      "useless_splits", [](const Tree& tree) { return give(useless_splits(tree)); }, nb::arg("tree"),
      "Nodes whose splits save no training error.");
  module.def("without_impossible_branches", &without_impossible_branches, nb::arg("tree"),
             "The tree without branches that the groups of levels above them leave empty.");
  module.def("prune_by_errors", &prune_by_errors, nb::arg("tree"), nb::arg("table"), nb::arg("criterion"), nb::arg("confidence"),
             nb::arg("estimate"), nb::arg("raising"), nb::arg("anew") = false,
             "The tree after error-based pruning on the rows it was grown from; `anew`: on others, by which all its nodes are described.");
  module.def(
      "extra_errors",
      [](double weight, double errors, double confidence, const std::string& estimate) {
        return ErrorEstimate(confidence, estimate == "weka" ? Estimate::weka : Estimate::quinlan).extra(weight, errors);
      },
      nb::arg("weight"), nb::arg("errors"), nb::arg("confidence"), nb::arg("estimate"),
      "Errors to expect beyond those seen among this many cases.");
  module.def(
      "estimated_errors",
      [](const Tree& tree, double confidence, const std::string& estimate) {
        return estimated_errors(tree, ErrorEstimate(confidence, estimate == "weka" ? Estimate::weka : Estimate::quinlan));
      },
      nb::arg("tree"), nb::arg("confidence"), nb::arg("estimate"), "Errors to expect of the whole tree.");
  module.def(
      "at_training_values",
      [](const Tree& tree, const TableInput& input) {
        check_columns(tree, input);
        const nb::gil_scoped_release release;
        return at_training_values(tree, input.views, input.n_rows);
      },
      nb::arg("tree"), nb::arg("table"), "The tree with every threshold at a value of the table.");
}

}  // namespace tw::bind
