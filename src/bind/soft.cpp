// Soft trees for Python: rows as a matrix of standardised columns, trees as columns over their nodes.
#include <optional>

#include "bind/arrays.hpp"
#include "bind/casters.hpp"
#include "bind/rooms.hpp"
#include "bind/watch.hpp"
#include "soft/grow.hpp"

namespace tw::bind {

namespace {

using Matrix = nb::ndarray<const double, nb::ndim<2>, nb::f_contig, nb::device::cpu>;
using Numbers = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

// Rows of a matrix with targets: numbers, or classes from 0 on.
SoftRows rows_of(const Matrix& cells, const Numbers& targets, const Numbers& weights, u32 n_classes) {
  SoftRows out;
  out.n = cells.shape(0);
  out.d = cells.shape(1);
  out.n_classes = n_classes;
  if (targets.shape(0) != out.n || weights.shape(0) != out.n) throw Invalid("there is not one target and one weight for every row");
  out.cells.assign(cells.data(), cells.data() + out.n * out.d);
  out.weights.assign(weights.data(), weights.data() + out.n);
  if (n_classes == 0) {
    out.numbers.assign(targets.data(), targets.data() + out.n);
    return out;
  }
  for (std::size_t i = 0; i < out.n; ++i) {
    const double k = targets.data()[i];
    if (!(k >= 0) || !(k < n_classes)) throw Invalid("a class is out of range");
    out.classes.push_back(static_cast<u32>(k));
  }
  return out;
}

SoftRows without_rows(const SoftRows& like) {
  SoftRows out;
  out.d = like.d;
  out.n_classes = like.n_classes;
  return out;
}

SoftRows some_of(const SoftRows& rows, const Numbers& weights) {
  if (weights.shape(0) != rows.n) throw Invalid("there is not one weight for every row");
  std::vector<u32> places;
  for (u32 i = 0; i < rows.n; ++i)
    if (weights.data()[i] > 0) places.push_back(i);
  SoftRows out = places.empty() ? without_rows(rows) : rows.part(places);
  for (std::size_t i = 0; i < places.size(); ++i) out.weights[i] = weights.data()[places[i]];
  return out;
}

nb::dict told(SoftTree&& tree) {
  nb::dict out;
  std::vector<i64> at(tree.at.begin(), tree.at.end());
  out["first"] = give(std::move(tree.first));
  out["at"] = give(std::move(at));
  out["values"] = give(std::move(tree.values));
  return out;
}

SoftTree tree_of(const nb::dict& told, const SoftRows& rows) {
  SoftTree tree;
  tree.inputs = rows.d;
  tree.outputs = rows.outputs();
  tree.first = take<u32>(told, "first");
  for (const i64 at : take<i64>(told, "at")) tree.at.push_back(static_cast<std::size_t>(at));
  tree.values = take<double>(told, "values");
  if (tree.at.size() != tree.first.size() || tree.first.empty()) throw Invalid("the soft tree is damaged: its columns differ in length");
  for (std::size_t node = 0; node < tree.size(); ++node) {
    const std::size_t count = tree.leaf(node) ? tree.outputs : tree.inputs + 1;
    if (tree.at[node] > tree.values.size() || tree.values.size() - tree.at[node] < count ||
        (!tree.leaf(node) && (tree.first[node] <= node || tree.first[node] + 1 >= tree.size())))
      throw Invalid("the soft tree is damaged: node " + std::to_string(node));
  }
  return tree;
}

// A SoftRows that lives as long as Python holds it, so that rows are copied once.
struct Given {
  SoftRows all, growing, held;
};

nb::tuple grown(const Given& given, const SoftSettings& settings, bool retrain, const nb::object& progress) {
  JobControl job;
  std::optional<SoftTree> tree;
  watched(job, progress, [&] {
    tree.emplace(grow_soft(given.growing, given.held, settings, job));
    if (retrain) tree.emplace(retrain_soft(given.all, *tree, settings, job));
  });
  return nb::make_tuple(told(std::move(*tree)), 0);
}

nb::tuple refined(const Given& given, const nb::dict& from, const SoftSettings& settings, const nb::object& progress) {
  const SoftTree start = tree_of(from, given.all);
  const std::vector<u8> free = from.contains("free") ? take<u8>(from, "free") : std::vector<u8>();
  if (!free.empty() && free.size() != start.values.size()) throw Invalid("there is not one flag for every parameter");
  JobControl job;
  std::optional<Refined> out;
  watched(job, progress, [&] { out.emplace(refine_soft(given.growing, given.held, given.all, start, free, settings, job)); });
  return nb::make_tuple(told(std::move(out->tree)), out->iterations);
}

nb::tuple loss_of(const Given& given, const nb::dict& from, double penalty) {
  const SoftTree tree = tree_of(from, given.all);
  const JobControl job;
  const double total = given.all.total();
  std::vector<double> gradient(tree.values.size());
  const SoftObjective objective(given.all, kWholeTree, tree, total, {penalty / total, penalty / total}, 1, job);
  const double loss = objective(tree.values, gradient);
  return nb::make_tuple(loss, give(std::move(gradient)));
}

}  // namespace

void add_soft(nb::module_& module) {
  nb::class_<SoftSettings>(module, "SoftSettings", "How soft trees are trained.")
      .def(nb::init<>())
      .def_rw("penalty", &SoftSettings::penalty)
      .def_rw("restarts", &SoftSettings::restarts)
      .def_rw("iterations", &SoftSettings::iterations)
      .def_rw("max_depth", &SoftSettings::max_depth)
      .def_rw("min_leaf", &SoftSettings::min_leaf)
      .def_rw("least_improvement", &SoftSettings::least_improvement)
      .def_rw("from_start", &SoftSettings::from_start)
      .def_rw("seed", &SoftSettings::seed)
      .def_rw("threads", &SoftSettings::threads);
  nb::class_<Given>(module, "SoftRows", "Rows that soft trees are trained on.")
      .def(
          "__init__",
          [](Given* self, const Matrix& cells, const Numbers& targets, const Numbers& weights, const Numbers& growing, const Numbers& held,
             u32 n_classes) {
            SoftRows all = rows_of(cells, targets, weights, n_classes);
            SoftRows some = some_of(all, growing);
            SoftRows others = some_of(all, held);
            if (all.n == 0 || some.n == 0) throw Invalid("there are no rows to learn from");
            new (self) Given{std::move(all), std::move(some), std::move(others)};
          },
          nb::arg("cells"), nb::arg("targets"), nb::arg("weights"), nb::arg("growing"), nb::arg("held"), nb::arg("n_classes"),
          nb::sig("def __init__(self, cells: object, targets: object, weights: object, growing: object, held: object, n_classes: int) -> "
                  "None"));
  module.def("grow_soft", &grown, nb::arg("rows"), nb::arg("settings"), nb::arg("retrain"), nb::arg("progress") = nb::none(),
             nb::sig("def grow_soft(rows: SoftRows, settings: SoftSettings, retrain: bool, progress: object = None) -> tuple[dict, int]"),
             "Grow a soft tree node by node: its nodes by column.");
  module.def("refine_soft", &refined, nb::arg("rows"), nb::arg("tree"), nb::arg("settings"), nb::arg("progress") = nb::none(),
             nb::sig("def refine_soft(rows: SoftRows, tree: dict, settings: SoftSettings, progress: object = None) -> tuple[dict, int]"),
             "Train all parameters of a soft tree together: the tree, and after how many iterations training ended.");
  module.def("soft_loss", &loss_of, nb::arg("rows"), nb::arg("tree"), nb::arg("penalty"),
             nb::sig("def soft_loss(rows: SoftRows, tree: dict, penalty: float) -> tuple[float, object]"),
             "The loss of a soft tree on all rows, and its derivatives by all parameters.");
}

}  // namespace tw::bind
