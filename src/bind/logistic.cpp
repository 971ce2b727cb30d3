// Logistic model trees for Python: the table they read, fitting, and their pruning path.
#include <nanobind/stl/optional.h>

#include <optional>

#include "bind/casters.hpp"
#include "bind/rooms.hpp"
#include "bind/table_input.hpp"
#include "bind/watch.hpp"
#include "models/logistic.hpp"
#include "models/logistic_path.hpp"

namespace tw::bind {

namespace {

using WholeNumbers = nb::ndarray<const i64, nb::ndim<1>, nb::c_contig>;
using Numbers = nb::ndarray<const double, nb::ndim<1>, nb::c_contig>;
using Flags = nb::ndarray<const u8, nb::ndim<1>, nb::c_contig>;

std::vector<u32> numbers_below(const WholeNumbers& given, u64 end, const char* what) {
  std::vector<u32> out;
  out.reserve(given.shape(0));
  for (std::size_t i = 0; i < given.shape(0); ++i) {
    const i64 number = given.data()[i];
    if (number < 0 || static_cast<u64>(number) >= end) throw Invalid(std::string(what) + " is out of range");
    out.push_back(static_cast<u32>(number));
  }
  return out;
}

LogisticTable table_of(const TableInput& input, const WholeNumbers& folds) {
  if (input.n_classes == 0) throw Invalid("logistic models need classes");
  if (folds.shape(0) != input.n_rows) throw Invalid("there is not one fold for every row");
  Table read;
  read.n_rows = static_cast<Row>(input.n_rows);
  read_target(input, false, read);
  return {input.views,
          input.kinds,
          input.levels,
          std::move(read.target.class_of),
          input.n_classes,
          read.weights,
          numbers_below(folds, input.n_rows + 1, "a fold")};
}

void check_tree(const LogisticTable& table, const Tree& tree) {
  if (tree.columns.size() != table.terms().columns() || tree.n_classes != table.boost().n_classes)
    throw Invalid("the tree was grown from another table");
}

u32 steps_of(const LogisticTable& table, const LogisticSettings& settings, const nb::object& progress) {
  u32 best = 0;
  JobControl job;
  watched(job, progress, [&] {
    std::vector<u32> rows(table.boost().n_rows());
    for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = static_cast<u32>(i);
    best = best_steps(table, rows, Committee(table.boost().n_classes, table.boost().width), settings, job);
  });
  return best;
}

LogisticFit fit_of(const LogisticTable& table, const Tree& tree, const WholeNumbers& rows, const LogisticSettings& settings,
                   const nb::object& progress) {
  check_tree(table, tree);
  std::vector<u32> chosen = numbers_below(rows, table.boost().n_rows(), "a row");
  std::optional<LogisticFit> fit;
  JobControl job;
  watched(job, progress, [&] { fit.emplace(fit_logistic(table, tree, std::move(chosen), settings, job)); });
  return std::move(*fit);
}

template <class T>
std::vector<T> as_vector(const nb::ndarray<const T, nb::ndim<1>, nb::c_contig>& array, std::size_t n) {
  if (array.shape(0) != n) throw Invalid("there is not one entry for every node");
  return {array.data(), array.data() + n};
}

auto path_of(const Tree& tree, const LogisticFit& fit, double total, const std::optional<Numbers>& held_out) {
  if (fit.wrong.size() != tree.size()) throw Invalid("the models are not those of the tree");
  LogisticPath path =
      logistic_path({tree, fit.wrong, fit.own, fit.ends, total}, held_out ? as_vector(*held_out, tree.size()) : std::vector<double>{});
  return nb::make_tuple(give(std::move(path.alpha)), give(std::move(path.error)), give(std::move(path.cut_at_once)));
}

}  // namespace

void add_logistic(nb::module_& module) {
  nb::class_<LogisticSettings>(module, "LogisticSettings", "What logistic models of nodes need to know.")
      .def(nb::init<>())
      .def_rw("iterations", &LogisticSettings::iterations, nb::arg("iterations").none())
      .def_rw("most", &LogisticSettings::most)
      .def_rw("patience", &LogisticSettings::patience)
      .def_rw("min_weight", &LogisticSettings::min_weight)
      .def_rw("min_impurity", &LogisticSettings::min_impurity);
  nb::class_<LogisticFit>(module, "LogisticFit", "Logistic models of all nodes of a tree.");
  nb::class_<LogisticTable>(module, "LogisticTable", "Rows as logistic models read them.")
      .def(
          "__init__",
          [](LogisticTable* self, const TableInput& input, const WholeNumbers& folds) { new (self) LogisticTable(table_of(input, folds)); },
          nb::arg("table"), nb::arg("folds"), nb::keep_alive<1, 2>())
      .def_prop_ro(
          "fill", [](nb::handle_t<LogisticTable> self) { return share(nb::cast<const LogisticTable&>(self).terms().fill, self); },
          "Per column the mean, or the most common level.")
      .def(
          "weight_of",
          [](const LogisticTable& table, const WholeNumbers& rows) {
            return weight_of(table.boost(), numbers_below(rows, table.boost().n_rows(), "a row"));
          },
          nb::arg("rows"), "What rows weigh: a sum without rounding.")
      .def("best_steps", &steps_of, nb::arg("settings"), nb::arg("progress") = nb::none(),
           "The number of steps with the least error over the folds.")
      .def("fit", &fit_of, nb::arg("tree"), nb::arg("rows"), nb::arg("settings"), nb::arg("progress") = nb::none(),
           "Models of all nodes of a tree from some rows.")
      .def(
          "wrong_at",
          [](const LogisticTable& table, const Tree& tree, const LogisticFit& fit, const WholeNumbers& rows) {
            check_tree(table, tree);
            return give(wrong_at(table, tree, fit, numbers_below(rows, table.boost().n_rows(), "a row")));
          },
          nb::arg("tree"), nb::arg("fit"), nb::arg("rows"), "Per node the weight of the rows that its model misclassifies.")
      .def(
          "finished",
          [](const LogisticTable& table, const Tree& tree, const LogisticFit& fit, const Flags& cut, bool posterior) {
            check_tree(table, tree);
            LogisticTree out = finished(table, tree, fit, as_vector(cut, tree.size()), posterior);
            return nb::make_tuple(std::move(out.tree), std::move(out.models));
          },
          nb::arg("tree"), nb::arg("fit"), nb::arg("cut"), nb::arg("posterior"), "The tree cut back, and its models.");
  module.def("logistic_path", &path_of, nb::arg("tree"), nb::arg("fit"), nb::arg("total"), nb::arg("held_out").none() = nb::none(),
             "Alphas of the nested trees, their errors on other rows, and the subtrees that were cut at once.");
  module.def(
      "logistic_cut",
      [](const Tree& tree, const LogisticFit& fit, double total, const Flags& cut_at_once, double alpha) {
        return give(logistic_cut({tree, fit.wrong, fit.own, as_vector(cut_at_once, tree.size()), total}, alpha));
      },
      nb::arg("tree"), nb::arg("fit"), nb::arg("total"), nb::arg("cut_at_once"), nb::arg("alpha"),
      "The nodes that are leaves at this alpha.");
}

}  // namespace tw::bind
