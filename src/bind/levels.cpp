// Rows that lie in several places: bins found in rounds, shards of codes, and trees grown over them level by level.
#include <nanobind/stl/pair.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/unique_ptr.h>

#include <cstring>
#include <string>
#include <string_view>
#include <tuple>

#include "bind/arrays.hpp"
#include "bind/casters.hpp"
#include "bind/rooms.hpp"
#include "bind/watch.hpp"
#include "grow/binned/levels.hpp"
#include "prune/finish.hpp"
#include "table/binned.hpp"
#include "tree/thresholds.hpp"

namespace tw::bind {

namespace {

template <class T>
using Vector = nb::ndarray<T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Codes = nb::ndarray<nb::ndim<2>, nb::c_contig, nb::device::cpu>;

// What is known of all rows, wherever they are.
struct CodedColumns {
  std::vector<Kind> kinds;
  std::vector<u32> n_codes;
  std::vector<u64> missing;           // cells
  std::vector<std::vector<u8>> seen;  // levels
  u32 n_classes = 0;

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
    table.target.n_classes = n_classes;
    return table;
  }
};

bool holds_bytes(const Codes& codes, std::size_t columns) {
  const bool bytes = codes.dtype() == nb::dtype<u8>();
  if ((!bytes && codes.dtype() != nb::dtype<u16>()) || codes.shape(1) != columns || codes.shape(0) > kMaxRows)
    throw Invalid("codes must be a matrix of one or two bytes each, a column of it for every column");
  return bytes;
}

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

// How the nodes of a level are divided, as it goes to wherever rows are.
struct Divisions {
  std::vector<LevelDivision> all;
};

template <class T>
void put(std::string& out, T value) {
  out.append(reinterpret_cast<const char*>(&value), sizeof value);
}

// Reads what `put` wrote, from the front on.
class Taken {
 public:
  explicit Taken(std::string_view from) : from_(from) {}

  bool any() const { return !from_.empty(); }
  template <class T>
  T take() {
    T value;
    std::memcpy(&value, some(sizeof value).data(), sizeof value);
    return value;
  }
  std::string_view some(std::size_t n) {
    if (from_.size() < n) throw Invalid("the bytes end too soon");
    const std::string_view out = from_.substr(0, n);
    from_.remove_prefix(n);
    return out;
  }

 private:
  std::string_view from_;
};

// Branches take a bit each.
std::string packed(const Divisions& divisions) {
  std::string out;
  for (const LevelDivision& division : divisions.all) {
    put(out, division.node);
    put(out, division.first_child);
    put(out, division.column);
    put(out, static_cast<u32>(division.branch.size()));
    std::string bits((division.branch.size() + 7) / 8, '\0');
    for (std::size_t i = 0; i < division.branch.size(); ++i) bits[i / 8] = static_cast<char>(bits[i / 8] | division.branch[i] << (i % 8));
    out += bits;
  }
  return out;
}

Divisions unpacked(std::string_view bytes) {
  Divisions out;
  for (Taken from(bytes); from.any();) {
    LevelDivision& division = out.all.emplace_back();
    division.node = from.take<u32>();
    division.first_child = from.take<u32>();
    division.column = from.take<Column>();
    const auto n = from.take<u32>();
    if (n > kMostCodes + 1) throw Invalid("a column has more codes than there can be");
    const std::string_view bits = from.some((n + 7) / 8);
    for (u32 i = 0; i < n; ++i) division.branch.push_back(static_cast<u8>(bits[i / 8] >> (i % 8) & 1));
  }
  return out;
}

// The rows of one place. Arrays are borrowed: Python keeps them.
class Shard {
 public:
  Shard(const CodedColumns& columns, Codes codes, Vector<const u8> labels, Vector<u32> rows)
      : codes_(std::move(codes)),
        labels_(std::move(labels)),
        rows_(std::move(rows)),
        shard_(frame_of(columns), {rows_.data(), rows_.shape(0)}) {}

  void divide(const Divisions& divisions) {
    for (const LevelDivision& division : divisions.all) {
      const BinnedFrame& frame = shard_.frame();
      if (division.column >= frame.columns() || division.first_child <= division.node || division.first_child > kMaxRows ||
          division.branch.size() != frame.begin[division.column + 1] - frame.begin[division.column])
        throw Invalid("nodes are divided by other columns than the shard has");
    }
    const nb::gil_scoped_release release;
    shard_.divide(divisions.all);
  }
  auto count(const std::vector<u32>& nodes) const {
    std::vector<i64> counts;
    {
      const nb::gil_scoped_release release;
      counts = shard_.count(nodes);
    }
    return give(std::move(counts));
  }
  auto rows_of(u32 node) const {
    const auto rows = shard_.rows_of(node);
    return give(std::vector<u32>(rows.begin(), rows.end()));
  }

 private:
  BinnedFrame frame_of(const CodedColumns& columns) const {
    if (labels_.shape(0) != codes_.shape(0) || rows_.shape(0) != codes_.shape(0)) throw Invalid("the parts of a shard differ in length");
    const bool bytes = holds_bytes(codes_, columns.kinds.size());
    check_codes(columns, codes_, bytes);
    for (std::size_t i = 0; i < labels_.shape(0); ++i)
      if (labels_.data()[i] >= columns.n_classes) throw Invalid("the target holds a class that was not declared");
    BinnedFrame frame = BinnedFrame::without_rows(columns.without_cells(bytes));
    frame.bytes = bytes;
    frame.cells = static_cast<const std::byte*>(codes_.data());
    frame.stride = static_cast<std::ptrdiff_t>(codes_.shape(1) * (bytes ? 1 : 2));
    for (std::size_t j = 0; j < codes_.shape(1); ++j) frame.offset.push_back(static_cast<u32>(j * (bytes ? 1 : 2)));
    frame.label = {labels_.data(), labels_.shape(0)};
    return frame;
  }

  Codes codes_;
  Vector<const u8> labels_;
  Vector<u32> rows_;
  BinnedShard shard_;
};

std::unique_ptr<LevelGrower> level_grower(const CodedColumns& columns, const std::vector<i64>& class_totals, const GrowSettings& settings,
                                          u64 small) {
  if (class_totals.size() != columns.n_classes) throw Invalid("there are not as many totals as classes");
  TableFacts facts{columns.without_cells(true), class_totals};
  for (const i64 total : class_totals) facts.table.weights.total += total;
  return grow_by_levels(std::move(facts), settings, small);
}

// A subtree of few rows, as the level grower left it.
Tree grow_rows(const CodedColumns& columns, const Codes& codes, const Vector<const u8>& labels, const GrowSettings& settings,
               const std::tuple<u32, u32, u64, double>& root, const nb::object& progress) {
  const bool bytes = holds_bytes(codes, columns.kinds.size());
  if (labels.shape(0) != codes.shape(0) || codes.shape(0) == 0) throw Invalid("there are not as many labels as rows");
  check_codes(columns, codes, bytes);
  Table table = columns.without_cells(bytes);
  table.n_rows = static_cast<Row>(codes.shape(0));
  const auto size = static_cast<std::ptrdiff_t>(bytes ? 1 : 2);
  for (std::size_t j = 0; j < columns.kinds.size(); ++j) {
    EncodedColumn& column = table.columns.edit(j);
    column.cells.data = static_cast<const std::byte*>(codes.data()) + static_cast<std::ptrdiff_t>(j) * size;
    column.cells.stride = static_cast<std::ptrdiff_t>(columns.kinds.size()) * size;
  }
  for (std::size_t i = 0; i < labels.shape(0); ++i) {
    if (labels.data()[i] >= columns.n_classes) throw Invalid("the target holds a class that was not declared");
    table.target.class_of.push_back(labels.data()[i]);
  }
  table.weights = quantise_weights(nullptr, table.n_rows, false);
  const auto& [node, depth, path, all] = root;
  std::optional<Tree> tree;
  JobControl job;
  job.total = table.n_rows;
  watched(job, progress, [&] { tree.emplace(grow_subtree(std::move(table), settings, {node, depth, path, all}, job)); });
  return std::move(*tree);
}

Tree with_thresholds(const Tree& tree, const GrowSettings& settings,
                     const std::vector<std::pair<std::vector<double>, std::vector<double>>>& bins) {
  std::vector<Bins> all;
  for (const auto& [low, high] : bins) all.push_back({{}, low, high});
  if (all.size() != tree.columns.size()) throw Invalid("there are not as many columns in bins as the tree has");
  if (settings.after.at_training_values) throw Invalid("thresholds at training values need the values");
  return among_values(finish(tree, settings, {}, 0), all);
}

auto count_keys(const BinSearch& search, const Array& cells) {
  if (cells.ndim() != 1) throw Invalid("cells must be a vector");
  std::vector<i64> counters(search.counters());
  const View view = view_of(cells, 0);
  {
    const nb::gil_scoped_release release;
    count_numbers(search, view, static_cast<Row>(cells.shape(0)), counters.data());
  }
  return give(std::move(counters));
}

// Codes of a numeric column, in its column of a matrix: keys of the least and the largest number by code, and the missing cells.
auto code_column(const Array& cells, const Vector<const u64>& ends, const Codes& out, std::size_t column) {
  if (cells.ndim() != 1 || cells.shape(0) != out.shape(0) || column >= out.shape(1)) throw Invalid("cells and codes differ in length");
  Bins bins;
  bins.ends.assign(ends.data(), ends.data() + ends.shape(0));
  const bool bytes = holds_bytes(out, out.shape(1));
  if (bins.size() > (bytes ? kMostByteCodes : kMostCodes)) throw Invalid("there are more bins than codes");
  const std::ptrdiff_t size = bytes ? 1 : 2;
  auto* to = static_cast<std::byte*>(out.data()) + static_cast<std::ptrdiff_t>(column) * size;
  const View view = view_of(cells, 0);
  CodedNumbers seen(0);
  {
    const nb::gil_scoped_release release;
    seen = code_numbers(view, static_cast<Row>(cells.shape(0)), bins, bytes, to, static_cast<std::ptrdiff_t>(out.shape(1)) * size);
  }
  return nb::make_tuple(give(std::move(seen.least)), give(std::move(seen.most)), seen.missing);
}

auto numbers_of_keys(const Vector<const u64>& keys, bool single) {
  std::vector<double> out;
  for (std::size_t i = 0; i < keys.shape(0); ++i) out.push_back(number_of_key(keys.data()[i], single ? Type::F32 : Type::F64));
  return give(std::move(out));
}

}  // namespace

void add_levels(nb::module_& module) {
  nb::class_<BinSearch>(module, "BinSearch", "The search for the bins of a numeric column whose cells lie in several places.")
      .def(
          "__init__", [](BinSearch* self, u32 most, bool single) { new (self) BinSearch(most, single ? 32 : 64); }, nb::arg("max_bins"),
          nb::arg("single"))
      .def_prop_ro("done", &BinSearch::done)
      .def("count", &count_keys, nb::arg("cells"), "Counters of the round in hand, which add up over all places.")
      .def_prop_ro("counters", &BinSearch::counters, "Counters of the round in hand.")
      .def_prop_ro(
          "round", [](const BinSearch& self) { return nb::make_tuple(self.known(), give(self.prefixes())); },
          "What the round in hand asks: how many of the first bits of the numbers are known, and which of them are looked at further.")
      .def_static(
          "of_round",
          [](bool single, unsigned known, const Vector<const u64>& prefixes) {
            return BinSearch::of_round(single ? 32 : 64, known, {prefixes.data(), prefixes.shape(0)});
          },
          nb::arg("single"), nb::arg("known"), nb::arg("prefixes"), "What counts a round elsewhere, where its sums are not taken.")
      .def(
          "take",
          [](BinSearch& self, const Vector<const i64>& counters) {
            if (counters.shape(0) != self.counters()) throw Invalid("there are not as many counts as were asked for");
            self.take({counters.data(), counters.shape(0)});
          },
          nb::arg("counters"), "End a round.")
      .def("ends", [](const BinSearch& self) { return give(std::vector<u64>(self.ends())); });

  nb::class_<CodedColumns>(module, "CodedColumns", "What is known of the columns of a table whose rows lie in several places.")
      .def(nb::init<>())
      .def("__getstate__",
           [](const CodedColumns& self) {
             std::vector<u8> nominal;
             for (const Kind kind : self.kinds) nominal.push_back(kind == Kind::nominal ? 1 : 0);
             return nb::make_tuple(nominal, self.n_codes, self.missing, self.seen, self.n_classes);
           })
      .def("__setstate__",
           [](CodedColumns& self, const std::tuple<std::vector<u8>, std::vector<u32>, std::vector<u64>, std::vector<std::vector<u8>>, u32>& state) {
             const auto& [nominal, codes, missing, seen, classes] = state;
             if (codes.size() != nominal.size() || missing.size() != nominal.size() || seen.size() != nominal.size())
               throw Invalid("there are not as many facts as columns");
             new (&self) CodedColumns();
             self.n_classes = classes;
             for (std::size_t j = 0; j < nominal.size(); ++j) self.add(nominal[j] != 0, codes[j], missing[j], seen[j]);
           })
      .def_rw("n_classes", &CodedColumns::n_classes)
      .def("add", &CodedColumns::add, nb::arg("nominal"), nb::arg("n_codes"), nb::arg("missing"), nb::arg("seen"));

  nb::class_<Divisions>(module, "Divisions", "How the nodes of a level are divided, as it goes to wherever rows are.")
      .def("__getstate__",
           [](const Divisions& self) {
             const std::string bytes = packed(self);
             return nb::make_tuple(nb::bytes(bytes.data(), bytes.size()));
           })
      .def("__setstate__", [](Divisions& self, const std::tuple<nb::bytes>& state) {
        const nb::bytes& bytes = std::get<0>(state);
        new (&self) Divisions(unpacked({bytes.c_str(), bytes.size()}));
      });

  nb::class_<LevelGrower>(module, "LevelGrower", "A tree that is grown level by level.")
      .def_prop_ro("counted", [](const LevelGrower& self) { return self.counted(); })
      .def_prop_ro("counters", &LevelGrower::counters, "Counters of one node.")
      .def_prop_ro("divisions", [](const LevelGrower& self) { return Divisions{self.divisions()}; }, "How nodes of the level before are divided.")
      .def(
          "take",
          [](LevelGrower& self, const Vector<const i64>& counts) {
            const nb::gil_scoped_release release;
            self.take({counts.data(), counts.shape(0)});
          },
          nb::arg("counts"), "Sums of the counts of all places, node by node.")
      .def_prop_ro("small",
                   [](const LevelGrower& self) {
                     std::vector<std::tuple<u32, u32, u64, double>> out;
                     for (const SubtreeRoot& root : self.small()) out.emplace_back(root.node, root.depth, root.path, root.all);
                     return out;
                   })
      .def(
          "finish",
          [](LevelGrower& self, const std::vector<const Tree*>& pieces) {
            std::vector<Tree> trees;
            for (const Tree* piece : pieces) trees.push_back(*piece);
            return self.finish(trees);
          },
          nb::arg("pieces"), "The whole tree; the subtrees of few rows in their order.");
  module.def("level_grower", &level_grower, nb::arg("columns"), nb::arg("class_totals"), nb::arg("settings"), nb::arg("small"),
             "Begin a tree; nodes of at most `small` rows are left to others.");

  nb::class_<Shard>(module, "Shard", "Rows in one place, divided as levels say.")
      .def(nb::init<const CodedColumns&, Codes, Vector<const u8>, Vector<u32>>(), nb::arg("columns"), nb::arg("codes"), nb::arg("labels"),
           nb::arg("rows"))
      .def("divide", &Shard::divide, nb::arg("divisions"))
      .def("count", &Shard::count, nb::arg("nodes"))
      .def("rows_of", &Shard::rows_of, nb::arg("node"));

  module.def("grow_rows", &grow_rows, nb::arg("columns"), nb::arg("codes"), nb::arg("labels"), nb::arg("settings"), nb::arg("root"),
             nb::arg("progress") = nb::none(), "Grow a subtree of few rows: `root` as the level grower told it.");
  module.def("with_thresholds", &with_thresholds, nb::arg("tree"), nb::arg("settings"), nb::arg("bins"),
             "A tree that was grown over codes, finished as the settings say, its thresholds among the values: the least and the largest "
             "of every bin, by column.");
  module.def("code_column", &code_column, nb::arg("cells"), nb::arg("ends"), nb::arg("out"), nb::arg("column"));
  module.def("numbers_of_keys", &numbers_of_keys, nb::arg("keys"), nb::arg("single"));
}

}  // namespace tw::bind
