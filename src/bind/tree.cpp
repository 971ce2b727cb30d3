// The tree for Python: its columns as arrays, routing, surgery.
#include <cmath>
#include <optional>
#include <string_view>

#include "bind/casters.hpp"
#include "bind/cells.hpp"
#include "bind/rooms.hpp"
#include "bind/watch.hpp"
#include "tree/compact.hpp"
#include "tree/router.hpp"
#include "tree/tree.hpp"

namespace tw::bind {

std::vector<View> cells_of(const Tree& tree, const std::vector<Array>& arrays, u64 n_rows) {
  std::vector<View> cells;
  for (const Array& array : arrays) {
    if (array.ndim() < 1 || array.ndim() > 2 || array.shape(0) != n_rows) throw Invalid("the columns differ in length");
    for (std::size_t j = 0; j < (array.ndim() == 2 ? array.shape(1) : 1); ++j) cells.push_back(view_of(array, j));
  }
  if (cells.size() != tree.columns.size())
    throw Invalid("the rows have " + std::to_string(cells.size()) + " columns, the tree was grown from " +
                  std::to_string(tree.columns.size()));
  return cells;
}

namespace {

// Calls visit(name, column) for every stored column, in the order of the file format.
template <class T, class Visit>
void each_column(T& tree, Visit&& visit) {
  visit("parent", tree.parent);
  visit("first_child", tree.first_child);
  visit("n_children", tree.n_children);
  visit("family", tree.family);
  visit("strict", tree.strict);
  visit("column", tree.column);
  visit("otherwise", tree.otherwise);
  visit("missing_to", tree.missing_to);
  visit("missing_seen", tree.missing_seen);
  visit("step", tree.step);
  visit("label", tree.label);
  visit("value", tree.value);
  visit("weight", tree.weight);
  visit("impurity", tree.impurity);
  visit("gain", tree.gain);
  visit("cut_begin", tree.cut_begin);
  visit("cut_at", tree.cut_at);
  visit("cut_below", tree.cut_below);
  visit("cut_above", tree.cut_above);
  visit("level_begin", tree.level_begin);
  visit("level", tree.level);
  visit("level_branch", tree.level_branch);
  visit("class_begin", tree.class_begin);
  visit("class_id", tree.class_id);
  visit("class_weight", tree.class_weight);
  visit("weighed_begin", tree.candidate_begin);
  visit("listed_begin", tree.listed_begin);
  visit("listed_level", tree.listed_level);
  visit("listed_branch", tree.listed_branch);
  visit("surrogate_begin", tree.surrogate_begin);
  visit("surrogate_column", tree.surrogate_column);
  visit("surrogate_below", tree.surrogate_below);
  visit("surrogate_levels", tree.surrogate_levels);
  visit("surrogate_at", tree.surrogate_at);
  visit("surrogate_low", tree.surrogate_low);
  visit("surrogate_high", tree.surrogate_high);
  visit("surrogate_agreement", tree.surrogate_agreement);
  visit("surrogate_adjusted", tree.surrogate_adjusted);
  visit("surrogate_gain", tree.surrogate_gain);
  visit("surrogate_sent", tree.surrogate_sent);
  visit("imitated_begin", tree.surrogate_level_begin);
  visit("imitated_level", tree.surrogate_level_code);
  visit("imitated_branch", tree.surrogate_level_branch);
  visit("term_begin", tree.term_begin);
  visit("term_column", tree.term_column);
  visit("term_level", tree.term_level);
  visit("term_coefficient", tree.term_coefficient);
  visit("term_missing", tree.term_missing);
  visit("term_by", tree.term_by);
  visit("term_by_missing", tree.term_by_missing);
  visit("part_begin", tree.part_begin);
  visit("part_score", tree.part_score);
  visit("part_terms", tree.part_terms);
  visit("part_squashed", tree.part_squashed);
  visit("part_weight", tree.part_weight);
  visit("part_constant", tree.part_constant);
}

// The fields of the candidates, one column each; files call them weighed.
template <class Visit>
void each_candidate_field(Visit&& visit) {
  visit("weighed_column", &CandidateRecord::column);
  visit("weighed_family", &CandidateRecord::family);
  visit("weighed_chosen", &CandidateRecord::chosen);
  visit("weighed_branches", &CandidateRecord::n_branches);
  visit("weighed_tried", &CandidateRecord::tried);
  visit("weighed_gain", &CandidateRecord::gain);
  visit("weighed_penalty", &CandidateRecord::penalty);
  visit("weighed_merit", &CandidateRecord::merit);
  visit("weighed_split_info", &CandidateRecord::split_info);
  visit("weighed_after", &CandidateRecord::after);
  visit("weighed_cut", &CandidateRecord::cut);
  visit("weighed_levels", &CandidateRecord::levels);
}

template <class F>
using Stored = std::conditional_t<std::is_same_v<F, Family> || std::is_same_v<F, bool>, u8, F>;

nb::dict state_of(const Tree& tree, nb::handle owner) {
  nb::dict state;
  state["n_classes"] = tree.n_classes;
  std::vector<u8> kinds;
  std::vector<u32> levels;
  std::vector<u8> seen;
  for (const TreeColumn& column : tree.columns) {
    kinds.push_back(static_cast<u8>(column.kind));
    levels.push_back(column.n_levels);
    seen.insert(seen.end(), column.seen.begin(), column.seen.end());
  }
  state["column_kind"] = give(std::move(kinds));
  state["column_levels"] = give(std::move(levels));
  state["column_seen"] = give(std::move(seen));
  each_column(tree, [&](const char* name, const auto& column) { state[name] = share(column, owner); });
  each_candidate_field([&](const char* name, auto field) {
    using F = std::remove_cvref_t<decltype(CandidateRecord{}.*field)>;
    std::vector<Stored<F>> values;
    for (const CandidateRecord& w : tree.candidate_records) values.push_back(static_cast<Stored<F>>(w.*field));
    state[name] = give(std::move(values));
  });
  return state;
}

Tree tree_of(const nb::dict& state) {
  Tree tree;
  if (!state.contains("n_classes") || !nb::try_cast(state["n_classes"], tree.n_classes))
    throw Invalid("the tree is damaged: 'n_classes' is not a count");
  const auto kinds = take<u8>(state, "column_kind");
  const auto levels = take<u32>(state, "column_levels");
  const auto seen = take<u8>(state, "column_seen");
  if (kinds.size() != levels.size()) throw Invalid("the tree is damaged: its columns differ in length");
  std::size_t at = 0;
  for (std::size_t j = 0; j < kinds.size(); ++j) {
    if (kinds[j] > 1) throw Invalid("the tree is damaged: a column is neither numeric nor nominal");
    const std::size_t n = kinds[j] == static_cast<u8>(Kind::nominal) ? levels[j] : 0;
    if (n > seen.size() - at) throw Invalid("the tree is damaged: a column has more levels than are described");
    const auto begin = seen.begin() + static_cast<std::ptrdiff_t>(at);
    tree.columns.push_back({static_cast<Kind>(kinds[j]), levels[j], {begin, begin + static_cast<std::ptrdiff_t>(n)}});
    at += n;
  }
  each_column(tree, [&](const char* name, auto& column) {
    column = take<typename std::remove_cvref_t<decltype(column)>::value_type>(state, name);
  });
  if (tree.term_by.empty()) tree.term_by.assign(tree.term_column.size(), DerivedTerm::kAlone);
  if (tree.term_by_missing.empty()) tree.term_by_missing.assign(tree.term_column.size(), 0);
  each_candidate_field([&](const char* name, auto field) {
    using F = std::remove_cvref_t<decltype(CandidateRecord{}.*field)>;
    const auto values = take<Stored<F>>(state, name);
    if (std::string_view(name) == "weighed_column") tree.candidate_records.resize(values.size());
    if (std::string_view(name) == "weighed_levels" && values.empty()) return;  // models written before candidates listed levels
    if (tree.candidate_records.size() != values.size()) throw Invalid("the tree is damaged: its candidates differ in length");
    for (std::size_t i = 0; i < values.size(); ++i) {
      // Out-of-range families are caught by validate; an enum may hold any value of its width.
      tree.candidate_records[i].*field = static_cast<F>(values[i]);
    }
  });
  validate(tree);
  return tree;
}

// By column the codes of its levels that occurred in training, or of all that were declared.
std::vector<std::vector<u32>> seen_levels(const Tree& tree, bool declared) {
  std::vector<std::vector<u32>> out;
  for (const TreeColumn& column : tree.columns) {
    auto& codes = out.emplace_back();
    for (u32 level = 0; level < column.seen.size(); ++level)
      if (declared || column.seen[level] != 0) codes.push_back(level);
  }
  return out;
}

nb::dict column_types() {
  nb::dict types;
  types["column_kind"] = type_name<u8>();
  types["column_levels"] = type_name<u32>();
  types["column_seen"] = type_name<u8>();
  const Tree tree;
  each_column(tree, [&](const char* name, const auto& column) {
    types[name] = type_name<typename std::remove_cvref_t<decltype(column)>::value_type>();
  });
  each_candidate_field(
      [&](const char* name, auto field) { types[name] = type_name<Stored<std::remove_cvref_t<decltype(CandidateRecord{}.*field)>>>(); });
  return types;
}

nb::object routed(const Tree& tree, const std::vector<View>& cells, u64 n_rows, Routing how) {
  Routes routes;
  JobControl job;
  constexpr u64 kQuick = 1 << 16;
  if (n_rows < kQuick) {
    const nb::gil_scoped_release release;
    how.threads = 1;
    routes = route(tree, cells, n_rows, how, job);
  } else {
    watched(job, nb::none(), [&] { routes = route(tree, cells, n_rows, how, job); });
  }
  if (routes.refused) return nb::none();
  if (routes.begin.empty()) return nb::make_tuple(give(std::move(routes.leaf)), nb::none(), nb::none(), nb::none());
  return nb::make_tuple(give(std::move(routes.leaf)), give(std::move(routes.begin)), give(std::move(routes.leaves)),
                        give(std::move(routes.shares)));
}

nb::object route_rows(const Tree& tree, const std::vector<Array>& arrays, u64 n_rows, unsigned threads, bool compact) {
  return routed(tree, views_of(arrays, n_rows, tree.columns.size()), n_rows, {threads, Nonfinite::nothing, compact});
}

// The same for one matrix of floats whose cells are what the tree compares; None where something is to be said about it.
nb::object route_matrix(const Tree& tree, nb::handle matrix, bool refuse_missing, unsigned threads) {
  Array array;
  if (!nb::try_cast(matrix, array, /*convert=*/false) || array.ndim() != 2 || array.shape(1) != tree.columns.size()) return nb::none();
  if (array.dtype() != nb::dtype<float>() && array.dtype() != nb::dtype<double>()) return nb::none();
  std::vector<View> cells;
  cells.reserve(array.shape(1));
  for (std::size_t j = 0; j < array.shape(1); ++j) cells.push_back(view_of(array, j));
  return routed(tree, cells, array.shape(0), {threads, refuse_missing ? Nonfinite::infinite_or_missing : Nonfinite::infinite, true});
}

using WholeNumbers = nb::ndarray<const i64, nb::ndim<1>, nb::c_contig>;

nb::tuple paths_of(const Tree& tree, const WholeNumbers& begin, const WholeNumbers& leaves, unsigned threads) {
  Paths out;
  {
    const nb::gil_scoped_release release;
    out = paths(tree, {begin.data(), begin.shape(0)}, {leaves.data(), leaves.shape(0)}, threads);
  }
  return nb::make_tuple(give(std::move(out.begin)), give(std::move(out.nodes)));
}

template <class Real>
std::optional<std::size_t> infinite_in(const View& view, std::size_t n_rows) {
  for (std::size_t row = 0; row < n_rows; ++row)
    if (std::isinf(view.at<Real>(row))) return row;
  return std::nullopt;
}

// Row and column of the first infinite cell of a float array.
nb::object first_infinite(const Array& array) {
  const std::size_t n_rows = array.shape(0);
  std::vector<View> views;
  for (std::size_t j = 0; j < (array.ndim() == 2 ? array.shape(1) : 1); ++j) views.push_back(view_of(array, j));
  if (!holds_nonfinite(views, 0, n_rows, Nonfinite::infinite)) return nb::none();
  for (std::size_t j = 0; j < views.size(); ++j) {
    const View& view = views[j];
    const auto row = view.type == Type::F32 ? infinite_in<float>(view, n_rows) : infinite_in<double>(view, n_rows);
    if (row) return nb::make_tuple(*row, j);
  }
  return nb::none();
}

}  // namespace

void add_tree(nb::module_& module) {
  module.def("first_infinite", &first_infinite, nb::arg("array"), nb::sig("def first_infinite(array: object) -> tuple[int, int] | None"),
             "Row and column of the first infinite cell of a float array, or None.");
  nb::class_<Tree>(module, "Tree", "A grown tree as flat read-only columns.")
      .def_prop_ro("size", &Tree::size)
      .def(
          "state", [](nb::handle_t<Tree> self) { return state_of(nb::cast<const Tree&>(self), self); }, "All columns by name.")
      .def("seen_levels", &seen_levels, nb::arg("declared"), "By column the levels that occurred in training, or all that were declared.")
      .def_static("from_state", &tree_of, nb::arg("state"), "A tree from its columns, after full validation.")
      .def_static("columns", &column_types, "Every column of a tree by name, with the NumPy type of its entries.")
      .def("validate", &validate, "Check that every index is in range and every figure a number; raise what is wrong.")
      .def(
          "depths", [](const Tree& tree) { return give(depths(tree)); }, "Depth of every node.")
      .def(
          "mergeable", [](const Tree& tree) { return give(mergeable(tree)); }, "Nodes below which every leaf says the same.")
      .def(
          "weighing", [](const Tree& tree, double times, double over) { return weighing(tree, times, over); }, nb::arg("times"),
          nb::arg("over"), "The same tree in another unit of weight.")
      .def(
          "cut_back",
          [](const Tree& tree, const nb::ndarray<const u8, nb::ndim<1>, nb::c_contig>& cut) {
            if (cut.shape(0) != tree.size()) throw Invalid("one flag per node is needed");
            return cut_back(tree, {cut.data(), cut.data() + cut.shape(0)});
          },
          nb::arg("cut"), "The tree with the flagged nodes turned into leaves.")
      .def("route", &route_rows, nb::arg("columns"), nb::arg("n_rows"), nb::arg("threads") = 1, nb::arg("compact") = true,
           "Leaf of every row; and, if missing cells went down several branches, offsets, leaves and shares.")
      .def("route_matrix", &route_matrix, nb::arg("matrix"), nb::arg("refuse_missing"), nb::arg("threads") = 1,
           "The same for one matrix of floats; None where it is none or holds a cell that may not be there.")
      .def(
          "is_compact", [](const Tree& tree) { return !tree.compact.get([&] { return make_compact(tree); }).pairs.empty(); },
          "Whether rows are routed by the compact form.")
      .def("paths", &paths_of, nb::arg("begin"), nb::arg("leaves"), nb::arg("threads") = 1,
           "indptr and indices of the nodes every row passes.");
}

}  // namespace tw::bind
