// M5 and linear models for Python: growing, columns by name, predictions.
#include <optional>

#include "bind/casters.hpp"
#include "bind/cells.hpp"
#include "bind/encode.hpp"
#include "bind/rooms.hpp"
#include "bind/watch.hpp"
#include "models/m5.hpp"

namespace tw::bind {

namespace {

// Calls visit(name, column) for every stored column.
template <class M, class Visit>
void each_column(M& models, Visit&& visit) {
  visit("column_kind", models.terms.kind);
  visit("fill", models.terms.fill);
  visit("spread", models.terms.spread);
  visit("rank_begin", models.terms.rank_begin);
  visit("rank", models.terms.rank);
  visit("intercept", models.intercept);
  visit("term_begin", models.term_begin);
  visit("term_column", models.term_column);
  visit("term_place", models.term_place);
  visit("coefficient", models.coefficient);
}

nb::dict state_of(const LinearModels& models, nb::handle owner) {
  nb::dict state;
  each_column(models, [&](const char* name, const auto& column) { state[name] = share(column, owner); });
  return state;
}

nb::dict column_types() {
  nb::dict types;
  const LinearModels models;
  each_column(models, [&](const char* name, const auto& column) {
    types[name] = type_name<typename std::remove_cvref_t<decltype(column)>::value_type>();
  });
  return types;
}

LinearModels models_of(const nb::dict& state, const Tree& tree) {
  LinearModels models;
  each_column(models, [&](const char* name, auto& column) {
    column = take<typename std::remove_cvref_t<decltype(column)>::value_type>(state, name);
  });
  validate(models, tree);
  return models;
}

// What `learn` returns for the encoded table.
template <class Learn>
auto learned_m5(const TableInput& input, const M5Settings& settings, const nb::object& progress, Learn learn) {
  if (input.n_classes > 0) throw Invalid("M5 needs a numeric target");
  JobControl job;
  std::optional<decltype(learn(std::declval<const Table&>(), input.views, settings, job))> out;
  watched(job, progress, [&] {
    GrowSettings reading;
    reading.search.missing = Missing::most_common;
    reading.engine = "plain";
    const Table table = encode(input, reading, job);
    out.emplace(learn(table, input.views, settings, job));
  });
  return std::move(*out);
}

nb::tuple grow_m5_tree(const TableInput& input, const M5Settings& settings, const nb::object& progress) {
  ModelTree grown = learned_m5(input, settings, progress, grow_m5);
  return nb::make_tuple(std::move(grown.tree), std::move(grown.models));
}

nb::list cover_m5_rules(const TableInput& input, const M5Settings& settings, const nb::object& progress) {
  nb::list out;
  for (ModelTree& rule : learned_m5(input, settings, progress, cover_m5))
    out.append(nb::make_tuple(std::move(rule.tree), std::move(rule.models), rule.chosen));
  return out;
}

auto answers_of(const LinearModels& models, const Tree& tree, const std::vector<Array>& arrays, u64 n_rows, double band, unsigned threads) {
  if (models.size() != tree.size() * models_per_node(tree)) throw Invalid("the linear models are not those of the tree");
  const std::vector<View> cells = cells_of(tree, arrays, n_rows);
  std::vector<double> out;
  JobControl job;
  watched(job, nb::none(), [&] { out = answers(models, tree, cells, n_rows, {band, threads}, job); });
  return give(std::move(out));
}

}  // namespace

void add_models(nb::module_& module) {
  nb::class_<M5Settings>(module, "M5Settings", "What M5 needs to know.")
      .def(nb::init<>())
      .def_rw("prime", &M5Settings::prime)
      .def_rw("min_split", &M5Settings::min_split)
      .def_rw("min_deviation", &M5Settings::min_deviation)
      .def_rw("pruned", &M5Settings::pruned)
      .def_rw("linear", &M5Settings::linear);
  nb::class_<LinearModels>(module, "LinearModels", "Linear models of the nodes of a tree as flat read-only columns.")
      .def_prop_ro("size", &LinearModels::size)
      .def(
          "state", [](nb::handle_t<LinearModels> self) { return state_of(nb::cast<const LinearModels&>(self), self); },
          "All columns by name.")
      .def_static("columns", &column_types, nb::sig("def columns() -> dict[str, str]"), "Names and types of all columns.")
      .def_static("from_state", &models_of, nb::arg("state"), nb::arg("tree"),
                  "Models of a tree from their columns, after full validation.")
      .def("smoothed", &smoothed, nb::arg("tree"), nb::arg("k"), "The models of leaves mixed with those above them.")
      .def("answers", &answers_of, nb::arg("tree"), nb::arg("columns"), nb::arg("n_rows"), nb::arg("band") = 0.0, nb::arg("threads") = 1,
           "The predictions of the leaves for every row; within a band around thresholds both branches are mixed.");
  module.def("grow_m5", &grow_m5_tree, nb::arg("table"), nb::arg("settings"), nb::arg("progress") = nb::none(),
             "A model tree: the tree and its linear models.");
  module.def("cover_m5", &cover_m5_rules, nb::arg("table"), nb::arg("settings"), nb::arg("progress") = nb::none(),
             nb::sig("def cover_m5(table: TableInput, settings: M5Settings, progress: object | None = None) "
                     "-> list[tuple[Tree, LinearModels, int]]"),
             "Rules with equations in their order: for each the path to its leaf as a tree, the models, and the leaf.");
}

}  // namespace tw::bind
