// Pruning for Python: the registry of pruners, one function that runs any of them, and what their callers need of trees and rows.
#include <nanobind/stl/optional.h>

#include <optional>

#include "bind/casters.hpp"
#include "bind/rooms.hpp"
#include "bind/table_input.hpp"
#include "bind/watch.hpp"
#include "prune/estimate.hpp"
#include "prune/held_out.hpp"
#include "prune/impossible.hpp"
#include "prune/pruner.hpp"
#include "prune/rpart.hpp"
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

// The rows a tree was grown from, or others that it is described by.
Table training_table(const Tree& tree, const TableInput& input) {
  Table table;
  table.n_rows = static_cast<Row>(input.n_rows);
  read_target(input, divides(tree), table);
  return table;
}

void check_training(const Tree& tree, const TableInput& input) {
  check_columns(tree, input);
  if (tree.n_classes != input.n_classes) throw Invalid("the targets of the rows are not those of the tree");
}

using PerNode = nb::ndarray<const double, nb::ndim<1>, nb::c_contig>;

std::vector<double> per_node(const Tree& tree, const PerNode& values) {
  if (values.shape(0) != tree.size()) throw Invalid("one number per node is needed");
  return {values.data(), values.data() + values.shape(0)};
}

nb::object shown(const OptionValue& value) {
  return std::visit(
      [](const auto& held) -> nb::object {
        if constexpr (std::is_same_v<std::decay_t<decltype(held)>, std::monostate>)
          return nb::none();
        else
          return nb::cast(held);
      },
      value);
}

OptionValue value_of(const nb::handle& given) {
  if (given.is_none()) return {};
  if (nb::isinstance<nb::bool_>(given)) return nb::cast<bool>(given);
  if (nb::isinstance<nb::str>(given)) return nb::cast<std::string>(given);
  double number = 0;
  if (!nb::try_cast(given, number)) throw Invalid("an option is a number, a text, True, False or None");
  return number;
}

OptionValues values_of(const PrunerEntry& pruner, const nb::dict& options) {
  std::map<std::string, OptionValue> given;
  for (const auto& [name, value] : options) given[nb::cast<std::string>(name)] = value_of(value);
  return completed(pruner.name, pruner.options, given);
}

nb::dict facts_of(const PrunerOption& option) {
  nb::dict out;
  out["name"] = option.name;
  out["doc"] = option.doc;
  out["kind"] = kOptionKindNames[static_cast<u8>(option.kind)];
  out["default"] = shown(option.usual);
  out["low"] = option.low;
  out["high"] = option.high;
  out["above"] = option.above;
  out["zero"] = option.zero;
  out["narrowed"] = option.narrowed;
  out["narrowed_high"] = option.narrowed_high;
  out["choices"] = option.choices;
  out["numbers_only"] = option.numbers_only;
  out["role"] = kOptionRoleNames[static_cast<u8>(option.role)];
  out["of_path"] = option.of_path;
  out["path_end"] = option.path_end;
  out["allowed"] = option.allowed;
  return out;
}

nb::list pruners() {
  nb::list out;
  for (const PrunerEntry& pruner : Registry<PrunerEntry>::all()) {
    nb::dict one;
    one["name"] = pruner.name;
    one["summary"] = pruner.summary;
    one["rows"] = kRowsNeededNames[static_cast<u8>(pruner.rows)];
    one["classes_only"] = pruner.classes_only;
    one["losses"] = pruner.losses;
    one["errors"] = kErrorsNeededNames[static_cast<u8>(pruner.errors)];
    one["path"] = pruner.keys != nullptr;
    one["keys_by_rows"] = pruner.keys_by_rows;
    one["above_keys"] = pruner.above_keys;
    nb::list options;
    for (const PrunerOption& option : pruner.options) options.append(facts_of(option));
    one["options"] = options;
    out.append(one);
  }
  return out;
}

// Long work may be interrupted. Without rows, a thread would cost more than the pruning of all but huge trees.
template <class Job>
void run(const Tree& tree, const TableInput* input, JobControl& job, Job&& work) {
  constexpr std::size_t kQuick = 200'000;
  if (input != nullptr || tree.size() > kQuick) return watched(job, nb::none(), work);
  const nb::gil_scoped_release release;
  work();
}

Tree prune(const std::string& name, const Tree& tree, const nb::dict& options, const Costs& costs, const std::optional<PerNode>& loss,
           const TableInput* input, bool anew) {
  const PrunerEntry& pruner = pruner_entry(name);
  const OptionValues values = values_of(pruner, options);
  if (input != nullptr) check_training(tree, *input);
  JobControl job;
  PruneInput given{tree, costs, values, job, loss ? per_node(tree, *loss) : std::vector<double>{}};
  std::optional<Tree> out;
  run(tree, input, job, [&] {
    if (input == nullptr) {
      out.emplace(pruned(pruner, given, anew));
      return;
    }
    const Table table = training_table(tree, *input);
    const PruneRows rows{input->views, table};
    given.rows = &rows;
    out.emplace(pruned(pruner, given, anew));
  });
  return std::move(*out);
}

nb::object prune_keys(const std::string& name, const Tree& tree, const nb::dict& options, const Costs& costs,
                      const std::optional<PerNode>& loss) {
  const PrunerEntry& pruner = pruner_entry(name);
  const OptionValues values = values_of(pruner, options);
  JobControl job;
  const PruneInput given{tree, costs, values, job, loss ? per_node(tree, *loss) : std::vector<double>{}};
  std::vector<double> out;
  run(tree, nullptr, job, [&] { out = keys_of(pruner, given); });
  return nb::cast(give(std::move(out)));
}

Tree described_anew(const Tree& tree, const TableInput& input, const std::string& criterion) {
  check_training(tree, input);
  JobControl job;
  std::optional<Tree> out;
  watched(job, nb::none(), [&] {
    const Table table = training_table(tree, input);
    out.emplace(carried_out(tree, Plan(tree), {input.views, table}, {criterion}, true, job, FractionBasis::tree));
  });
  return std::move(*out);
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

Estimate estimate_of(const std::string& name) { return name == "weka" ? Estimate::weka : Estimate::quinlan; }

}  // namespace

void add_prune(nb::module_& module) {
  nb::class_<Costs>(module, "Costs", "How much rows of each class count, and what answers cost.")
      .def(nb::init<std::vector<double>, std::vector<double>, const std::string&>(), nb::arg("factor"), nb::arg("loss"),
           nb::arg("measure"));
  module.def("pruners", &pruners, "Every pruner the core knows: name, summary, what it needs, and its options.");
  module.def(
      "prune", &prune, nb::arg("name"), nb::arg("tree"), nb::arg("options"), nb::arg("costs"), nb::arg("loss").none() = nb::none(),
      nb::arg("rows").none() = nb::none(), nb::arg("anew") = false,
      "The tree after a pruner. `loss`: by node, of a pruning set; `rows`: the training rows, or with `anew` others, by which all nodes "
      "are then described.");
  module.def("prune_keys", &prune_keys, nb::arg("name"), nb::arg("tree"), nb::arg("options"), nb::arg("costs"),
             nb::arg("loss").none() = nb::none(), "By node: the key at which it ends on the path of a pruner; infinite: never.");
  module.def("held_out", &losses_of, nb::arg("tree"), nb::arg("table"), nb::arg("costs"), nb::arg("threads") = 1,
             "By node: weight of these rows, their losses if it were a leaf, and the squares of the losses.");
  module.def(
      "own_risk",
      [](const Tree& tree, const std::string& risk, const Costs& costs) {
        return give(own_risk(tree, risk == "impurity" ? Risk::impurity : Risk::error, costs));
      },
      nb::arg("tree"), nb::arg("risk"), nb::arg("costs"),
      "By node: losses of its training rows if it were a leaf, or weight times impurity.");
  module.def(
      "rpart_complexity",
      [](const Tree& tree, const PerNode& risk, double cp, const std::vector<double>& class_factor) {
        if (!class_factor.empty() && class_factor.size() != tree.n_classes) throw Invalid("one factor per class is needed");
        return give(rpart_complexity(tree, per_node(tree, risk), cp, class_factor).complexity);
      },
      nb::arg("tree"), nb::arg("risk"), nb::arg("cp"), nb::arg("class_factor"), "By node: what its split saves, as rpart finds it.");
  module.def("without_impossible_branches", &without_impossible_branches, nb::arg("tree"),
             "The tree without branches that the groups of levels above them leave empty.");
  module.def("described_anew", &described_anew, nb::arg("tree"), nb::arg("table"), nb::arg("criterion"),
             "The same splits, every node described by these rows, which are divided as those the tree was grown from.");
  module.def(
      "extra_errors",
      [](double weight, double errors, double confidence, const std::string& estimate) {
        return ErrorEstimate(confidence, estimate_of(estimate)).extra(weight, errors);
      },
      nb::arg("weight"), nb::arg("errors"), nb::arg("confidence"), nb::arg("estimate"),
      "Errors to expect beyond those seen among this many cases.");
  module.def(
      "estimated_errors",
      [](const Tree& tree, double confidence, const std::string& estimate) {
        return estimated_errors(tree, ErrorEstimate(confidence, estimate_of(estimate)));
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
