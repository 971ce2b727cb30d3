#include <nanobind/stl/optional.h>

#include <cmath>
#include <optional>

#include "bind/casters.hpp"
#include "bind/rooms.hpp"
#include "bind/table_input.hpp"
#include "bind/watch.hpp"
#include "grow/criterion_entry.hpp"
#include "prune/collapse.hpp"
#include "prune/cost_complexity.hpp"
#include "prune/critical_value.hpp"
#include "prune/description_length.hpp"
#include "prune/error_based.hpp"
#include "prune/held_out.hpp"
#include "prune/impossible.hpp"
#include "prune/limits.hpp"
#include "prune/minimum_error.hpp"
#include "prune/pessimistic.hpp"
#include "prune/reduced_error.hpp"
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

// What acts on a plan needs the rows, and a criterion to describe nodes by.
template <class Decide>
Tree with_rows(const Tree& tree, const TableInput& input, const std::string& criterion, const std::vector<double>& factor, bool anew,
               Parts how, Decide&& decide) {
  check_columns(tree, input);
  if (tree.n_classes != input.n_classes) throw Invalid("the targets of the rows are not those of the tree");
  JobControl job;
  std::optional<Tree> out;
  watched(job, nb::none(), [&] {
    Table table;
    table.n_rows = static_cast<Row>(input.n_rows);
    read_target(input, divides(tree), table);
    const PruneRows rows{input.views, table};
    SearchSettings search;
    search.criterion = criterion;
    search.priors = search.reweighted = factor;
    const auto searcher = make_searcher(table, search);
    out.emplace(carried_out(tree, decide(rows, job), rows, *searcher, anew, job, how));
  });
  return std::move(*out);
}

Tree prune_by_errors(const Tree& tree, const TableInput& input, const std::string& criterion, double confidence,
                     const std::string& estimate, bool raising, bool anew, const std::vector<double>& factor) {
  if (tree.n_classes == 0) throw Invalid("error-based pruning needs classes");
  Costs(factor, {}, "variance").check(tree);
  const ErrorBased settings{confidence, estimate == "weka" ? Estimate::weka : Estimate::quinlan, raising, factor};
  return with_rows(tree, input, criterion, factor, anew, Parts::by_rows,
                   [&](const PruneRows& rows, const JobControl& job) { return error_based(tree, rows, settings, job); });
}

Tree described_anew(const Tree& tree, const TableInput& input, const std::string& criterion) {
  return with_rows(tree, input, criterion, {}, true, Parts::by_tree, [&](const PruneRows&, const JobControl&) { return Plan(tree); });
}

// One number a node.
using PerNode = nb::ndarray<const double, nb::ndim<1>, nb::c_contig>;

std::vector<double> per_node(const Tree& tree, const PerNode& values) {
  if (values.shape(0) != tree.size()) throw Invalid("one number a node is needed");
  return {values.data(), values.data() + values.shape(0)};
}

nb::tuple losses_of(const Tree& tree, const TableInput& input, const Costs& costs, unsigned threads) {
  check_columns(tree, input);
  if ((tree.n_classes == 0) != (input.n_classes == 0)) throw Invalid("the targets of the rows are not of the tree's kind");
  Losses out;
  JobControl job;
  watched(job, nb::none(), [&] {
    Table table;
    table.n_rows = static_cast<Row>(input.n_rows);
    read_target(input, false, table);
    out = held_out(tree, input.views, table, costs, threads, job);
  });
  return nb::make_tuple(give(std::move(out.weight)), give(std::move(out.loss)), give(std::move(out.square)));
}

// Methods that look at the tree alone, or at one number a node.
void add_methods(nb::module_& module) {
  nb::class_<Costs>(module, "Stakes")
      .def(nb::init<std::vector<double>, std::vector<double>, const std::string&>(), nb::arg("factor"), nb::arg("loss"),
           nb::arg("measure"));
  module.def("held_out", &losses_of, nb::arg("tree"), nb::arg("table"), nb::arg("stakes"), nb::arg("threads") = 1,
             "By node: weight of these rows, their losses were it a leaf, and the squares of the losses.");
  module.def(
      "own_risk",
      [](const Tree& tree, const std::string& risk, const Costs& costs) {
        return give(own_risk(tree, risk == "impurity" ? Risk::impurity : Risk::error, costs));
      },
      nb::arg("tree"), nb::arg("risk"), nb::arg("stakes"),
      "By node: losses of its training rows were it a leaf, or weight times impurity.");
  module.def(
      "cost_complexity", [](const Tree& tree, const PerNode& risk) { return give(cost_complexity(tree, per_node(tree, risk))); },
      nb::arg("tree"), nb::arg("risk"), "By node: the least cost of a leaf at which it is one, or gone.");
  module.def(
      "reduced_error", [](const Tree& tree, const PerNode& loss) { return give(reduced_error(tree, per_node(tree, loss))); },
      nb::arg("tree"), nb::arg("loss"), "Nodes that end, bottom up.");
  module.def(
      "reduced_error_greedy",
      [](const Tree& tree, const PerNode& loss) {
        const std::vector<double> losses = per_node(tree, loss);
        std::vector<u32> when;
        JobControl job;
        watched(job, nb::none(), [&] { when = reduced_error_greedy(tree, losses, job); });
        return give(std::move(when));
      },
      nb::arg("tree"), nb::arg("loss"), "By node: when it ended or went, the most helpful first; 2**32 - 1 for never; 0 for leaves.");
  module.def(
      "pessimistic", [](const Tree& tree, double slack) { return give(pessimistic(tree, slack)); }, nb::arg("tree"), nb::arg("slack"),
      "Nodes that end by pessimistic pruning.");
  module.def(
      "expected_error", [](const Tree& tree, std::optional<double> m, const Costs& costs) { return give(expected_error(tree, m, costs)); },
      nb::arg("tree"), nb::arg("m").none(), nb::arg("stakes"), "By node: the loss to expect of it as a leaf.");
  module.def(
      "minimum_error", [](const Tree& tree, const PerNode& expected) { return give(minimum_error(tree, per_node(tree, expected))); },
      nb::arg("tree"), nb::arg("expected"), "Nodes that end by minimum-error pruning.");
  module.def(
      "critical_values",
      [](const Tree& tree, const std::string& worth) {
        return give(critical_values(tree, worth == "gain_ratio" ? Worth::gain_ratio : Worth::gain));
      },
      nb::arg("tree"), nb::arg("worth"), "By node: the most that a split there or below was worth.");
  module.def(
      "beyond_limits",
      [](const Tree& tree, u32 max_depth, double min_weight, double min_gain) {
        return give(beyond_limits(tree, {max_depth, min_weight, min_gain}));
      },
      nb::arg("tree"), nb::arg("max_depth"), nb::arg("min_weight"), nb::arg("min_gain"), "Nodes that end by limits.");
  module.def(
      "leaf_bits", [](const Tree& tree, double precision) { return give(leaf_bits(tree, precision)); }, nb::arg("tree"),
      nb::arg("precision"), "By node: bits of its targets, were it a leaf.");
  module.def("split_bits", [](const Tree& tree) { return give(split_bits(tree)); }, nb::arg("tree"), "By node: bits of its split.");
  module.def(
      "description_length",
      [](const Tree& tree, const PerNode& leaf, const PerNode& split) {
        return give(description_length(tree, per_node(tree, leaf), per_node(tree, split)));
      },
      nb::arg("tree"), nb::arg("leaf"), nb::arg("split"), "Nodes that end by description length.");
}

}  // namespace

void add_prune(nb::module_& module) {
  add_methods(module);
  module.def(
      "useless_splits", [](const Tree& tree) { return give(useless_splits(tree)); }, nb::arg("tree"),
      "Nodes whose splits save no training error.");
  module.def("without_impossible_branches", &without_impossible_branches, nb::arg("tree"),
             "The tree without branches that the groups of levels above them leave empty.");
  module.def("prune_by_errors", &prune_by_errors, nb::arg("tree"), nb::arg("table"), nb::arg("criterion"), nb::arg("confidence"),
             nb::arg("estimate"), nb::arg("raising"), nb::arg("anew") = false, nb::arg("factor") = std::vector<double>{},
             "The tree after error-based pruning on the rows it was grown from; `anew`: on others, by which all its nodes are described.");
  module.def("described_anew", &described_anew, nb::arg("tree"), nb::arg("table"), nb::arg("criterion"),
             "The same splits, every node described by these rows, which are divided as those the tree was grown from.");
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
