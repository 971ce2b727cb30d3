// Rows that lie in several places: shards of codes, and trees grown over them level by level.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/unique_ptr.h>

#include <algorithm>
#include <numeric>
#include <optional>
#include <tuple>

#include "bind/arrays.hpp"
#include "bind/casters.hpp"
#include "bind/codes.hpp"
#include "bind/rooms.hpp"
#include "bind/watch.hpp"
#include "grow/binned/levels.hpp"
#include "prune/finish.hpp"
#include "table/binned.hpp"
#include "tree/thresholds.hpp"

namespace tw::bind {

namespace {

// What is known of all rows, wherever they are.
struct CodedColumns {
  std::vector<Kind> kinds;
  std::vector<u32> n_codes;
  std::vector<u64> missing;           // cells
  std::vector<std::vector<u8>> seen;  // levels
  std::vector<i64> class_totals;      // in quanta; of numbers none
  Weights weights;                    // of all rows, each of which has its own where they are weighted
  bool weighted = false;
  std::tuple<i64, bool, int, double, double> weighing{0, false, 0, 1.0, 1.0};  // as it was told

  u32 n_classes() const { return static_cast<u32>(class_totals.size()); }

  void add(bool nominal, u32 codes, u64 holes, std::vector<u8> levels) {
    if (codes > kMostCodes) throw Invalid("a column has at most " + std::to_string(kMostCodes) + " codes");
    kinds.push_back(nominal ? Kind::nominal : Kind::numeric);
    n_codes.push_back(codes);
    missing.push_back(holes);
    seen.push_back(std::move(levels));
  }

  // A table of these columns whose cells are yet to be given.
  Table without_cells(bool bytes) const {
    static constexpr std::byte kNowhere{};
    std::vector<EncodedColumn> columns(kinds.size());
    for (std::size_t j = 0; j < columns.size(); ++j) {
      columns[j].kind = kinds[j];
      columns[j].n_codes = n_codes[j];
      columns[j].n_missing = missing[j];
      columns[j].seen = seen[j];
      columns[j].cells = {&kNowhere, 0, bytes ? Type::U8 : Type::U16};
    }
    Table table;
    table.columns = Columns(std::move(columns));
    table.target.n_classes = n_classes();
    table.weights = weights;
    return table;
  }

  TableFacts facts(bool bytes) const { return {without_cells(bytes), class_totals, weighted}; }

  // `row`: what one row weighs, see Weights.
  void set_weights(i64 total, bool own, int shift, double each, double row) {
    if (total <= 0) throw Invalid("there are no rows to learn from");
    weighted = own;
    weighing = {total, own, shift, each, row};
    weights = {{}, 1, total, shift, each, 0};
    weights.count_by(row);
  }
};

void check_codes(const CodedColumns& columns, const Codes& codes, bool bytes) {
  const std::size_t width = columns.kinds.size();
  const std::size_t n = codes.shape(0) * width;
  const auto check = [&](const auto* at) {
    for (std::size_t i = 0; i < n; ++i)
      if (at[i] > columns.n_codes[i % width]) throw Invalid("a code is beyond those of its column");
  };
  if (bytes)
    check(static_cast<const u8*>(codes.data()));
  else
    check(static_cast<const u16*>(codes.data()));
}

// Targets of rows: bytes that name classes, or numbers.
class Targets {
 public:
  Targets(const CodedColumns& columns, const Array& given, std::size_t n) : held_(given) {
    const bool classes = columns.n_classes() > 0;
    if (given.ndim() != 1 || given.shape(0) != n || type_of(given) != (classes ? Type::U8 : Type::F64) || (n > 1 && given.stride(0) != 1))
      throw Invalid("the target does not fit the rows");
    if (!classes) {
      values = {static_cast<const double*>(given.data()), n};
      return;
    }
    labels = {static_cast<const u8*>(given.data()), n};
    if (std::any_of(labels.begin(), labels.end(), [&](u8 k) { return k >= columns.n_classes(); }))
      throw Invalid("the target holds a class that was not declared");
  }

  std::span<const u8> labels;
  std::span<const double> values;

 private:
  Array held_;
};

using Quanta = std::optional<Vector<const i64>>;

std::span<const i64> quanta_of(const CodedColumns& columns, const Quanta& given, std::size_t n) {
  if (given.has_value() != columns.weighted || (given && given->shape(0) != n)) throw Invalid("the weights do not fit the rows");
  return given ? std::span<const i64>(given->data(), n) : std::span<const i64>();
}

struct LevelDivisions {
  std::vector<LevelDivision> all;
};

// The rows of one place. Arrays are borrowed: Python keeps them.
class Shard {
 public:
  // `rows`: room for the numbers of all of them.
  Shard(const CodedColumns& columns, Codes codes, const Array& target, Vector<u32> rows, Quanta weights)
      : codes_(std::move(codes)),
        target_(columns, target, codes_.shape(0)),
        rows_(std::move(rows)),
        weights_(std::move(weights)),
        shard_(checked(columns), target_.values, rows_to_learn(false)) {}

  // Some rows of another shard, with weights of their own.
  Shard(const CodedColumns& columns, const Shard& whole, Vector<u32> rows, Quanta weights)
      : codes_(whole.codes_),
        target_(whole.target_),
        rows_(std::move(rows)),
        weights_(std::move(weights)),
        shard_(framed(columns), target_.values, rows_to_learn(true)) {}

  void divide(const LevelDivisions& divisions) {
    for (const LevelDivision& division : divisions.all) {
      const BinnedFrame& frame = shard_.frame();
      if (division.column >= frame.columns() || division.first_child <= division.node || division.first_child > kMaxRows ||
          division.branch.size() != frame.begin[division.column + 1] - frame.begin[division.column])
        throw Invalid("nodes are divided by other columns than the shard has");
    }
    const nb::gil_scoped_release release;
    shard_.divide(divisions.all);
  }
  auto answer(const LevelQuestion& question) const {
    std::vector<i64> answer;
    {
      const nb::gil_scoped_release release;
      answer = shard_.answer(question);
    }
    return give(std::move(answer));
  }
  auto rows_of(u32 node) const {
    const auto rows = shard_.rows_of(node);
    return give(std::vector<u32>(rows.begin(), rows.end()));
  }
  u64 size_of(u32 node) const { return shard_.rows_of(node).size(); }

 private:
  BinnedFrame checked(const CodedColumns& columns) const {
    check_codes(columns, codes_, holds_bytes(codes_, columns.kinds.size()));
    return framed(columns);
  }
  BinnedFrame framed(const CodedColumns& columns) const {
    const bool bytes = holds_bytes(codes_, columns.kinds.size());
    BinnedFrame frame = BinnedFrame::without_rows(columns.without_cells(bytes));
    frame.bytes = bytes;
    frame.cells = static_cast<const std::byte*>(codes_.data());
    frame.stride = static_cast<std::ptrdiff_t>(codes_.shape(1) * (bytes ? 1 : 2));
    for (std::size_t j = 0; j < codes_.shape(1); ++j) frame.offset.push_back(static_cast<u32>(j * (bytes ? 1 : 2)));
    frame.label = target_.labels;
    frame.weight = quanta_of(columns, weights_, codes_.shape(0));
    return frame;
  }
  std::span<Row> rows_to_learn(bool drawn) {
    const std::span<Row> rows{rows_.data(), rows_.shape(0)};
    if (!drawn) {
      if (rows.size() != codes_.shape(0)) throw Invalid("the parts of a shard differ in length");
      std::iota(rows.begin(), rows.end(), Row{0});
    }
    for (std::size_t i = 0; i < rows.size(); ++i)
      if (rows[i] >= codes_.shape(0) || (i > 0 && rows[i] <= rows[i - 1])) throw Invalid("the rows of a shard must ascend");
    return rows;
  }

  Codes codes_;
  Targets target_;
  Vector<u32> rows_;
  Quanta weights_;
  BinnedShard shard_;
};

std::unique_ptr<LevelGrower> level_grower(const CodedColumns& columns, const GrowSettings& settings, u64 small, u64 counters) {
  return grow_by_levels(columns.facts(true), settings, {small, counters});
}

// A subtree of few rows, as the level grower left it.
Tree grow_rows(const CodedColumns& columns, const Codes& codes, const Array& target, const GrowSettings& settings,
               const std::tuple<u32, u32, u64, double>& root, const Quanta& weights, const nb::object& progress) {
  const bool bytes = holds_bytes(codes, columns.kinds.size());
  const std::size_t n = codes.shape(0);
  if (n == 0) throw Invalid("there are no rows to learn from");
  check_codes(columns, codes, bytes);
  const Targets targets(columns, target, n);
  Table table = columns.without_cells(bytes);
  table.n_rows = static_cast<Row>(n);
  const auto size = static_cast<std::ptrdiff_t>(bytes ? 1 : 2);
  for (std::size_t j = 0; j < columns.kinds.size(); ++j) {
    EncodedColumn& column = table.columns.edit(j);
    column.cells.data = static_cast<const std::byte*>(codes.data()) + static_cast<std::ptrdiff_t>(j) * size;
    column.cells.stride = static_cast<std::ptrdiff_t>(columns.kinds.size()) * size;
  }
  table.target.class_of.assign(targets.labels.begin(), targets.labels.end());
  table.target.value.assign(targets.values.begin(), targets.values.end());
  const std::span<const i64> quanta = quanta_of(columns, weights, n);
  table.weights.quanta.assign(quanta.begin(), quanta.end());
  table.weights.total = quanta.empty() ? static_cast<i64>(n) : std::accumulate(quanta.begin(), quanta.end(), i64{0});
  const auto& [node, depth, path, all] = root;
  std::optional<Tree> tree;
  JobControl job;
  job.total = table.n_rows;
  watched(job, progress,
          [&] { tree.emplace(grow_subtree(std::move(table), columns.facts(bytes), settings, {node, depth, path, all}, job)); });
  return std::move(*tree);
}

// What goes to other processes.

using PlainDivision = std::tuple<u32, u32, u32, nb::bytes>;

nb::list plain_divisions(const LevelDivisions& divisions) {
  nb::list out;
  for (const LevelDivision& one : divisions.all)
    out.append(PlainDivision(one.node, one.first_child, one.column, nb::bytes(one.branch.data(), one.branch.size())));
  return out;
}

void restore_divisions(LevelDivisions& divisions, const nb::list& plain) {
  new (&divisions) LevelDivisions();
  for (const nb::handle each : plain) {
    const auto [node, first, column, branch] = nb::cast<PlainDivision>(each);
    const auto* bytes = reinterpret_cast<const u8*>(branch.c_str());
    divisions.all.push_back({node, first, column, {bytes, bytes + branch.size()}});
  }
}

using PlainColumns = std::tuple<std::vector<u8>, std::vector<u32>, std::vector<u64>, std::vector<std::vector<u8>>, std::vector<i64>,
                                decltype(CodedColumns::weighing)>;

PlainColumns plain_columns(const CodedColumns& columns) {
  std::vector<u8> nominal;
  for (const Kind kind : columns.kinds) nominal.push_back(kind == Kind::nominal ? 1 : 0);
  return {nominal, columns.n_codes, columns.missing, columns.seen, columns.class_totals, columns.weighing};
}

void restore_columns(CodedColumns& columns, const PlainColumns& plain) {
  const auto& [nominal, codes, missing, seen, class_totals, weighing] = plain;
  if (codes.size() != nominal.size() || missing.size() != nominal.size() || seen.size() != nominal.size())
    throw Invalid("there are not as many facts as columns");
  new (&columns) CodedColumns();
  for (std::size_t j = 0; j < nominal.size(); ++j) columns.add(nominal[j] != 0, codes[j], missing[j], seen[j]);
  columns.class_totals = class_totals;
  const auto& [total, own, shift, each, row] = weighing;
  if (total > 0) columns.set_weights(total, own, shift, each, row);
}

using PlainQuestion = std::tuple<u32, bool, std::vector<u32>, std::tuple<double, double, i64>>;

std::pair<bool, std::vector<PlainQuestion>> plain_question(const LevelQuestion& question) {
  std::vector<PlainQuestion> nodes;
  for (const auto& of : question.nodes)
    nodes.emplace_back(of.node, of.all_columns, of.columns, std::tuple(of.range.low, of.range.high, of.range.total));
  return {question.ranges, nodes};
}

void restore_question(LevelQuestion& question, const std::pair<bool, std::vector<PlainQuestion>>& plain) {
  new (&question) LevelQuestion{plain.first, {}};
  for (const auto& [node, all, columns, range] : plain.second)
    question.nodes.push_back({node, all, columns, {std::get<0>(range), std::get<1>(range), std::get<2>(range)}});
}

Tree with_thresholds(const Tree& tree, const GrowSettings& settings,
                     const std::vector<std::pair<std::vector<double>, std::vector<double>>>& bins) {
  std::vector<Bins> all;
  for (const auto& [low, high] : bins) all.push_back({{}, low, high});
  if (all.size() != tree.columns.size()) throw Invalid("there are not as many columns in bins as the tree has");
  if (settings.after.at_training_values) throw Invalid("thresholds at training values need the values");
  return among_values(finish(tree, settings, {}, 0), all);
}

}  // namespace

void add_levels(nb::module_& module) {
  nb::class_<CodedColumns>(module, "CodedColumns", "What is known of the columns of a table whose rows lie in several places.")
      .def(nb::init<>())
      .def("__getstate__", &plain_columns)
      .def("__setstate__", &restore_columns)
      .def_rw("class_totals", &CodedColumns::class_totals, "Weight of every class, in quanta; of numbers nothing.")
      .def("set_weights", &CodedColumns::set_weights, nb::arg("total"), nb::arg("own") = false, nb::arg("shift") = 0, nb::arg("each") = 1.0,
           nb::arg("row") = 1.0, "All rows together, in quanta of 2^-shift; whether each has a weight of its own; what one row weighs.")
      .def(
          "again", [](const CodedColumns& self) { return CodedColumns(self); }, "A copy, to be given other weights.")
      .def("add", &CodedColumns::add, nb::arg("nominal"), nb::arg("n_codes"), nb::arg("missing"), nb::arg("seen"));

  nb::class_<LevelQuestion>(module, "LevelQuestion", "What is asked about nodes.")
      .def_prop_ro("nodes", [](const LevelQuestion& self) { return self.nodes.size(); })
      .def_ro("ranges", &LevelQuestion::ranges, "Whether the least of all answers are taken, instead of their sums.")
      .def("__getstate__", &plain_question)
      .def("__setstate__", &restore_question);
  nb::class_<LevelDivisions>(module, "LevelDivisions", "How the rows of nodes are divided.")
      .def("__len__", [](const LevelDivisions& self) { return self.all.size(); })
      .def("__getstate__", &plain_divisions)
      .def("__setstate__", &restore_divisions);

  nb::class_<LevelGrower>(module, "LevelGrower", "A tree that is grown level by level.")
      .def_prop_ro(
          "question", [](const LevelGrower& self) { return LevelQuestion(self.question()); }, "About no node once the tree has been grown.")
      .def_prop_ro("divisions", [](const LevelGrower& self) { return LevelDivisions{self.divisions()}; })
      .def(
          "take",
          [](LevelGrower& self, const Vector<const i64>& answers) {
            const nb::gil_scoped_release release;
            self.take({answers.data(), answers.shape(0)});
          },
          nb::arg("answers"), "The answers of all places together, node by node.")
      .def_prop_ro("small",
                   [](const LevelGrower& self) {
                     std::vector<std::tuple<u32, u32, u64, double>> out;
                     for (const SubtreeRoot& root : self.small()) out.emplace_back(root.node, root.depth, root.path, root.all);
                     return out;
                   })
      .def(
          "finish",
          [](LevelGrower& self, const std::vector<const Tree*>& pieces) {
            if (std::find(pieces.begin(), pieces.end(), nullptr) != pieces.end()) throw Invalid("a subtree is missing");
            return self.finish(pieces);
          },
          nb::arg("pieces"), "The whole tree; the subtrees of few rows in their order.");
  module.def("level_grower", &level_grower, nb::arg("columns"), nb::arg("settings"), nb::arg("small"), nb::arg("counters"),
             "Begin a tree; nodes of at most `small` rows are left to others, and questions are about so many counters, or one node.");

  nb::class_<Shard>(module, "Shard", "Rows in one place, divided as levels say.")
      .def(nb::init<const CodedColumns&, Codes, const Array&, Vector<u32>, Quanta>(), nb::arg("columns"), nb::arg("codes"),
           nb::arg("target"), nb::arg("rows"), nb::arg("weights") = nb::none())
      .def(
          "sample",
          [](const Shard& self, const CodedColumns& columns, const Vector<u32>& rows, const Quanta& weights) {
            return std::make_unique<Shard>(columns, self, rows, weights);
          },
          nb::arg("columns"), nb::arg("rows"), nb::arg("weights") = nb::none(), "Some rows, ascending, with weights of their own.")
      .def("divide", &Shard::divide, nb::arg("divisions"))
      .def("answer", &Shard::answer, nb::arg("question"))
      .def("size_of", &Shard::size_of, nb::arg("node"))
      .def("rows_of", &Shard::rows_of, nb::arg("node"));

  module.def("grow_rows", &grow_rows, nb::arg("columns"), nb::arg("codes"), nb::arg("target"), nb::arg("settings"), nb::arg("root"),
             nb::arg("weights") = nb::none(), nb::arg("progress") = nb::none(),
             "Grow a subtree of few rows: `root` as the level grower told it.");
  module.def("with_thresholds", &with_thresholds, nb::arg("tree"), nb::arg("settings"), nb::arg("bins"),
             "A tree that was grown over codes, finished as the settings say, its thresholds among the values: the least and the largest "
             "of every bin, by column.");
}

}  // namespace tw::bind
