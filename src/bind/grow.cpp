// Tables, settings and growing for Python.
#include <nanobind/stl/array.h>
#include <nanobind/stl/function.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>

#include <algorithm>

#include "bind/casters.hpp"
#include "bind/encode.hpp"
#include "bind/rooms.hpp"
#include "bind/watch.hpp"
#include "grow/answers.hpp"
#include "grow/chooser.hpp"
#include "grow/criterion_entry.hpp"
#include "grow/grow.hpp"
#include "grow/plain/engine.hpp"
#include "grow/sorted/applies.hpp"
#include "oblique/omnivariate.hpp"
#include "oblique/settings.hpp"
#include "prune/error_based.hpp"
#include "prune/finish.hpp"
#include "prune/plan.hpp"
#include "search/pieces.hpp"
#include "tree/thresholds.hpp"

namespace tw::bind {

namespace {

Columns encode_for(const TableInput& input, const GrowSettings& settings, const JobControl& job) {
  const bool nominal = std::find(input.kinds.begin(), input.kinds.end(), Kind::nominal) != input.kinds.end();
  return encode_columns(input, order_from(settings, nominal, input.weighted), settings.threads, job);
}

Columns columns_of(const TableInput& input, const GrowSettings& settings, const JobControl& job, const BinnedCells* binned) {
  if (!input.encoded) return binned != nullptr ? binned->columns : encode_for(input, settings, job);
  if (input.n_whole == 0) return *input.encoded;
  const std::vector<View>& cells = input.binned ? input.own_codes.views : input.views;
  return subset_of(*input.encoded, input.rows, cells, static_cast<Row>(input.n_whole), input.sampled, settings.threads);
}

}  // namespace

std::shared_ptr<const BinnedCells> bins_for(const TableInput& input, const GrowSettings& settings, const JobControl& job) {
  if (input.encoded) return input.binned;
  const bool wanted = !settings.discretiser && settings.bins > 0;
  return wanted ? bin_columns(input, settings.bins, settings.threads, job) : nullptr;
}

Table encode(const TableInput& input, const GrowSettings& settings, const JobControl& job, const BinnedCells* binned) {
  Table table;
  table.n_rows = static_cast<Row>(input.n_rows);
  table.columns = columns_of(input, settings, job, binned);
  if (settings.engine == "plain") {  // a table that was prepared for another engine may have lists in the place of codes
    refuse_dense(table.columns, table.n_rows);
    for (std::size_t j = 0; j < table.columns.size(); ++j)
      if (table.columns[j].codes.empty() && !in_place(table.columns[j])) rank_rows(table.columns.edit(j));
  }
  for (std::size_t j = 0; j < table.columns.size(); ++j) {
    const EncodedColumn& column = table.columns[j];
    if (settings.search.missing == Missing::refuse && column.n_missing > 0)
      throw Invalid("column " + input.shown(j) + " has " + std::to_string(column.n_missing) + " missing cell" +
                    (column.n_missing == 1 ? "" : "s") + " (NaN) and missing='refuse': fill " + (column.n_missing == 1 ? "it" : "them") +
                    ", or use e.g. missing='most_common' or missing='fraction'");
  }
  bool holes = false;
  for (const EncodedColumn& column : table.columns) holes = holes || column.n_missing > 0;
  read_target(input, divides_rows(settings.search.missing) && holes, table);
  return table;
}

namespace {

// Encodes the columns once for all parts that are taken afterwards, and for the whole.
void prepare(TableInput& input, const GrowSettings& settings) {
  if (input.n_whole > 0) throw Invalid("a part shares the encoding of its table");
  JobControl job;
  watched(job, nb::none(), [&] {
    input.encoded.reset();
    input.binned = bins_for(input, settings, job);
    input.encoded = input.binned ? input.binned->columns : encode_for(input, settings, job);
  });
}

using Rows = nb::ndarray<const i64, nb::ndim<1>, nb::c_contig>;

std::vector<Row> rows_of(const Rows& rows) {
  std::vector<Row> chosen;
  chosen.reserve(rows.shape(0));
  for (std::size_t i = 0; i < rows.shape(0); ++i) chosen.push_back(static_cast<Row>(std::clamp<i64>(rows.data()[i], 0, kMaxRows)));
  return chosen;
}

TableInput part_input(const TableInput& input, const Rows& rows) {
  std::vector<Row> chosen = rows_of(rows);
  const nb::gil_scoped_release release;
  return input.part(std::move(chosen));
}

// Memory that is not even asked for.
class OutOfMemory : public std::bad_alloc {
 public:
  explicit OutOfMemory(std::string text) : text_(std::move(text)) {}
  const char* what() const noexcept override { return text_.c_str(); }

 private:
  std::string text_;
};

Tree grow_tree(const TableInput& input, const GrowSettings& settings, const nb::object& progress) {
  JobControl job;
  std::optional<Tree> tree;
  const auto run = [&] {
    const auto binned = bins_for(input, settings, job);
    Table table = encode(input, settings, job, binned.get());
    try {
      tree.emplace(finish(grow(std::move(table), settings, job), settings, input.views, input.n_rows));
      if (binned) *tree = among_values(std::move(*tree), binned->bins);
    } catch (const TooManyCells& error) {
      throw OutOfMemory("column " + input.shown(error.column) + " has " + std::to_string(error.codes) + " values, the target " +
                        std::to_string(error.classes) + " classes: counting each by each would take " +
                        std::to_string(error.codes * error.classes >> 27) + " GB; leave the column out, or merge values or classes");
    }
  };
  // Small tables are done before anybody could press a key; a thread would cost more than the tree. What calls Python
  // must run on this thread. Whoever looks ahead may look for long.
  constexpr u64 kQuick = 200'000;
  constexpr u64 kLevels = 16;  // of most trees; a stump looks at every cell a few times only
  const u64 share = std::min<u64>(kLevels, u64{settings.max_depth} + 1);
  if (settings.calls_python()) {
    run();
  } else if (input.n_rows * input.views.size() * share < kQuick * kLevels && settings.columns_alone()) {
    const nb::gil_scoped_release release;
    run();
  } else {
    watched(job, progress, run);
  }
  return std::move(*tree);
}

// The bins of every column: the least and the largest value of each; nothing of levels.
std::vector<std::pair<nb::object, nb::object>> bins_of(const TableInput& input, u32 most, unsigned threads) {
  JobControl job;
  std::shared_ptr<const BinnedCells> binned;
  watched(job, nb::none(), [&] { binned = bin_columns(input, most, threads, job); });
  std::vector<std::pair<nb::object, nb::object>> out;
  for (const Bins& bins : binned->bins) out.emplace_back(nb::cast(give(std::vector(bins.low))), nb::cast(give(std::vector(bins.high))));
  return out;
}

// The best split of one column at the root, with the rows summarised in pieces: row i in piece `piece_of[i]`. For tests of that seam.
nb::object best_at_root(const TableInput& input, GrowSettings settings, Column column, const Rows& piece_of) {
  JobControl job;
  Table table = encode(input, settings, job);
  if (column >= table.columns.size()) throw Invalid("there is no column " + std::to_string(column));
  fit_settings(table, settings);
  prepare_columns(table, settings);
  const auto searcher = make_searcher(table, settings.search);
  const auto found = best_of_pieces(*searcher, all_rows(table), column, {piece_of.data(), piece_of.shape(0)});
  if (!found) return nb::none();
  std::vector<double> cuts;
  for (const Cut& cut : found->split.cuts) cuts.push_back(cut.at);
  return nb::make_tuple(facts_of(found->split.family).name, found->gain, found->merit, found->split.missing_to, cuts, found->split.levels,
                        found->split.branch_of);
}

DerivedTerm term_of(const nb::handle& given) {
  if (!nb::isinstance<nb::tuple>(given) || nb::len(given) != 4) throw Invalid("a term is (column, level or -1, coefficient, missing)");
  return {nb::cast<u32>(given[0]), nb::cast<i32>(given[1]), nb::cast<double>(given[2]), nb::cast<double>(given[3])};
}

template <class E, std::size_t N>
E named(const char* what, const std::string& name, const char* const (&list)[N]) {
  for (std::size_t i = 0; i < N; ++i)
    if (name == list[i]) return static_cast<E>(i);
  throw Invalid(std::string(what) + " '" + name + "' is unknown");
}

Family family_named(const std::string& name) {
  for (const FamilyFacts& facts : kFamilies)
    if (name == facts.name) return facts.family;
  throw Invalid("family '" + name + "' is unknown");
}

constexpr const char* kTiesNames[] = {"first", "seeded", "callback"};
constexpr const char* kDiscretiserNames[] = {"equal_width", "equal_frequency", "mdlp"};

}  // namespace

void add_grow(nb::module_& module) {
  nb::class_<TableInput>(module, "TableInput", "Borrowed columns, target and weights of a table.")
      .def(nb::init<u64>(), nb::arg("n_rows"))
      .def("add_numeric", &TableInput::add_numeric, nb::arg("array"), nb::arg("names"))
      .def("add_sparse", &TableInput::add_sparse, nb::arg("values"), nb::arg("rows"), nb::arg("begin"), nb::arg("names"))
      .def("add_nominal", &TableInput::add_nominal, nb::arg("codes"), nb::arg("n_levels"), nb::arg("name"))
      .def("set_classes", &TableInput::set_classes, nb::arg("codes"), nb::arg("n_classes"))
      .def("set_numbers", &TableInput::set_numbers, nb::arg("values"))
      .def("set_vectors", &TableInput::set_vectors, nb::arg("values"))
      .def("set_weights", &TableInput::set_weights, nb::arg("weights"), nb::arg("row") = 1.0)
      .def("prepare", &prepare, nb::arg("settings"), "Encode the columns once, for this table and its parts.")
      .def("part", &part_input, nb::arg("rows"), "Some rows, ascending, as a table of their own.")
      .def(
          "sample",
          [](const TableInput& input, const Rows& rows, const Array& weights, double row) {
            return input.sample(rows_of(rows), weights, row);
          },
          nb::arg("rows"), nb::arg("weights"), nb::arg("row") = 1.0, "Some rows, ascending, with weights of their own.")
      .def("narrowed", &TableInput::narrowed, nb::arg("columns"), "All rows of some columns.")
      .def("weighing", &TableInput::weighing, nb::arg("weights"), nb::arg("row") = 1.0, "All rows with other weights.")
      .def_ro("n_rows", &TableInput::n_rows);

  nb::class_<GrowSettings>(module, "GrowSettings", "What growing needs to know.")
      .def(nb::init<>())
      .def_prop_rw(
          "criterion", [](const GrowSettings& s) { return s.search.criterion; },
          [](GrowSettings& s, const std::string& v) { s.search.criterion = v; })
      .def_prop_rw(
          "loss", [](const GrowSettings& s) { return s.search.loss; },
          [](GrowSettings& s, const std::vector<double>& v) { s.search.loss = v; })
      .def_prop_rw(
          "numeric", [](const GrowSettings& s) { return std::string(facts_of(s.search.numeric).name); },
          [](GrowSettings& s, const std::string& v) { s.search.numeric = family_named(v); })
      .def_prop_rw(
          "nominal", [](const GrowSettings& s) { return std::string(facts_of(s.search.nominal).name); },
          [](GrowSettings& s, const std::string& v) { s.search.nominal = family_named(v); })
      .def_prop_rw(
          "missing", [](const GrowSettings& s) { return std::string(kMissingNames[static_cast<u8>(s.search.missing)]); },
          [](GrowSettings& s, const std::string& v) { s.search.missing = named<Missing>("missing policy", v, kMissingNames); })
      .def_prop_rw(
          "chooser", [](const GrowSettings& s) { return s.chooser; },
          [](GrowSettings& s, const std::string& v) { s.chooser = chooser_entry(v).name; })
      .def_prop_rw(
          "ties", [](const GrowSettings& s) { return std::string(kTiesNames[static_cast<u8>(s.ties)]); },
          [](GrowSettings& s, const std::string& v) { s.ties = named<Ties>("ties", v, kTiesNames); })
      .def(
          "discretise",
          [](GrowSettings& s, const std::string& v, u32 bins) {
            s.discretiser = named<Discretiser>("discretiser", v, kDiscretiserNames);
            s.bins = bins;
          },
          nb::arg("method"), nb::arg("bins"))
      .def(
          "tie_breaker",
          [](GrowSettings& s, nb::callable ask) {
            s.ties = Ties::callback;
            s.tie_breaker = [ask](const std::vector<const Candidate*>& tied, const std::vector<std::pair<Column, u32>>& path) {
              nb::list shown;
              for (const Candidate* c : tied) shown.append(nb::make_tuple(c->split.column, c->gain, c->merit));
              nb::list steps;
              for (const auto& [column, branch] : path) steps.append(nb::make_tuple(column, branch));
              return nb::cast<std::size_t>(ask(shown, steps));
            };
          },
          nb::arg("callable"), "Ask a Python callable to break ties: ask([(column, gain, merit)], [(column, branch)]) -> position.")
      .def(
          "sums",
          [](GrowSettings& s, nb::callable sums) {
            s.sums = [sums](const std::vector<Row>& rows, const std::vector<i64>& weights) {
              std::vector<std::vector<DerivedTerm>> out;
              for (const nb::handle one : sums(give(std::vector<Row>(rows)), give(std::vector<i64>(weights)))) {
                auto& terms = out.emplace_back();
                for (const nb::handle term : one) terms.push_back(term_of(term));
              }
              return out;
            };
          },
          nb::arg("callable"),
          "Ask a Python callable which sums to try: sums(rows, weights) -> [[(column, level or -1, coefficient, missing counts as)]].")
      .def(
          "callback",
          [](GrowSettings& s, nb::callable score) {
            s.search.callback = [score](const std::vector<double>& weights, std::size_t n) {
              return nb::cast<double>(score(give(std::vector<double>(weights)), n));
            };
          },
          nb::arg("callable"), "Ask a Python callable instead of a criterion: score(class weights of all branches, branches) -> score.")
      .def(
          "early_pruning",
          [](GrowSettings& s, bool collapse, std::optional<double> confidence, const std::string& estimate, bool raising) {
            s.early_pruning = confidence
                                  ? early_pruning({*confidence, estimate == "weka" ? Estimate::weka : Estimate::quinlan, raising}, collapse)
                                  : EarlyPruning{collapse, {}, 0, false, false};
          },
          nb::arg("collapse"), nb::arg("confidence").none(), nb::arg("estimate"), nb::arg("raising"),
          "Undo splits while growing that collapsing and error-based pruning with these settings would undo.")
      .def_prop_rw(
          "observed", [](const GrowSettings& s) { return s.search.observed; }, [](GrowSettings& s, bool v) { s.search.observed = v; })
      .def_prop_rw(
          "strict", [](const GrowSettings& s) { return s.search.strict; }, [](GrowSettings& s, bool v) { s.search.strict = v; })
      .def_prop_rw(
          "cuts", [](const GrowSettings& s) { return std::string(kCutsNames[static_cast<u8>(s.search.cuts)]); },
          [](GrowSettings& s, const std::string& v) { s.search.cuts = named<Cuts>("cuts", v, kCutsNames); })
      .def_prop_rw(
          "drawn", [](const GrowSettings& s) { return s.search.drawn; }, [](GrowSettings& s, bool v) { s.search.drawn = v; })
      .def_prop_rw(
          "known_cuts", [](const GrowSettings& s) { return s.search.known_cuts; }, [](GrowSettings& s, bool v) { s.search.known_cuts = v; })
      .def_prop_rw(
          "penalty", [](const GrowSettings& s) { return s.search.penalty; }, [](GrowSettings& s, bool v) { s.search.penalty = v; })
      .def_prop_rw(
          "significance", [](const GrowSettings& s) { return s.search.significance; },
          [](GrowSettings& s, double v) { s.search.significance = v; })
      .def_prop_rw(
          "engine", [](const GrowSettings& s) { return s.engine; }, [](GrowSettings& s, const std::string& v) { s.engine = v; })
      .def_prop_rw(
          "directions", [](const GrowSettings& s) { return s.search.directions; },
          [](GrowSettings& s, const std::vector<i8>& v) { s.search.directions = v; })
      .def_rw("interactions", &GrowSettings::interactions)
      .def_prop_rw(
          "range", [](const GrowSettings& s) { return std::pair{s.range.low, s.range.high}; },
          [](GrowSettings& s, const std::pair<double, double>& v) { s.range = {v.first, v.second}; })
      .def_rw("by_level", &GrowSettings::by_level)
      .def_rw("proposers", &GrowSettings::proposers)
      .def(
          "look_ahead",
          [](GrowSettings& s, u32 levels, u32 max_cuts, u64 max_steps) {
            s.proposers = {"look_ahead"};
            s.ahead = {levels, max_cuts, max_steps};
          },
          nb::arg("levels"), nb::arg("max_cuts"), nb::arg("max_steps"),
          "Compare splits by what this many levels gain; cuts of a numeric column that are tried (0: all), cells that may be looked at.")
      .def(
          "several_columns",
          [](GrowSettings& s, const std::string& node, u32 max_terms, u32 restarts, u32 jumps, u32 hidden) {
            auto oblique = std::make_shared<ObliqueSettings>();
            oblique->node = named<NodeForm>("kind of node", node, kNodeForms);
            oblique->max_terms = max_terms;
            oblique->restarts = restarts;
            oblique->jumps = jumps;
            oblique->hidden = hidden;
            s.oblique = std::move(oblique);
          },
          nb::arg("node"), nb::arg("max_terms"), nb::arg("restarts"), nb::arg("jumps"), nb::arg("hidden") = 0,
          "How proposers of tests over several columns look for them.")
      .def(
          "kinds_of_nodes",
          [](GrowSettings& s, const std::vector<std::string>& kinds, const std::string& choice, double alpha, u32 hidden) {
            auto oblique = std::make_shared<ObliqueSettings>();
            oblique->kinds = kinds;
            oblique->choice = named<KindChoice>("choice", choice, kKindChoices);
            oblique->alpha = alpha;
            oblique->hidden = hidden;
            oblique->restarts = 0;
            s.oblique = std::move(oblique);
          },
          nb::arg("kinds"), nb::arg("choice"), nb::arg("alpha"), nb::arg("hidden"),
          "Which kinds of nodes an omnivariate tree has, and how it chooses among them.")
      .def_prop_rw(
          "collapse", [](const GrowSettings& s) { return s.after.collapse; }, [](GrowSettings& s, bool v) { s.after.collapse = v; })
      .def_prop_rw(
          "at_training_values", [](const GrowSettings& s) { return s.after.at_training_values; },
          [](GrowSettings& s, bool v) { s.after.at_training_values = v; })
      .def_prop_rw(
          "cp", [](const GrowSettings& s) { return s.after.cp; }, [](GrowSettings& s, std::optional<double> v) { s.after.cp = v; },
          nb::for_setter(nb::arg("v").none()))
      .def_prop_rw(
          "cp_as_rpart", [](const GrowSettings& s) { return s.after.cp_as_rpart; },
          [](GrowSettings& s, bool v) { s.after.cp_as_rpart = v; })
      .def_rw("max_bins", &GrowSettings::bins)
      .def_rw("max_depth", &GrowSettings::max_depth)
      .def_rw("max_leaves", &GrowSettings::max_leaves)
      .def_rw("min_split", &GrowSettings::min_split)
      .def_rw("min_leaf", &GrowSettings::min_leaf)
      .def_rw("min_every", &GrowSettings::min_every)
      .def_rw("min_branch", &GrowSettings::min_branch)
      .def_rw("min_impurity", &GrowSettings::min_impurity)
      .def_rw("min_gain", &GrowSettings::min_gain)
      .def_rw("min_decrease", &GrowSettings::min_decrease)
      .def_rw("purity", &GrowSettings::purity)
      .def_rw("wide_share", &GrowSettings::wide_share)
      .def_rw("seed", &GrowSettings::seed)
      .def_rw("max_features", &GrowSettings::max_features)
      .def_rw("keep_candidates", &GrowSettings::keep_candidates)
      .def_prop_rw(
          "max_surrogates", [](const GrowSettings& s) { return s.surrogates.most; }, [](GrowSettings& s, u32 v) { s.surrogates.most = v; })
      .def_prop_rw(
          "agreement_of_present", [](const GrowSettings& s) { return s.surrogates.present; },
          [](GrowSettings& s, bool v) { s.surrogates.present = v; })
      .def_prop_rw(
          "surrogates_as_rpart", [](const GrowSettings& s) { return s.surrogates.as_rpart; },
          [](GrowSettings& s, bool v) { s.surrogates.as_rpart = v; })
      .def_prop_rw(
          "exhaustive_levels", [](const GrowSettings& s) { return s.search.max_exhaustive_levels; },
          [](GrowSettings& s, u32 v) { s.search.max_exhaustive_levels = v; })
      .def_prop_rw(
          "fewest_for_all", [](const GrowSettings& s) { return s.search.fewest_for_all; },
          [](GrowSettings& s, u32 v) { s.search.fewest_for_all = v; })
      .def_rw("max_competitors", &GrowSettings::max_competitors)
      .def_rw("priors", &GrowSettings::priors)
      .def_rw("class_weight", &GrowSettings::class_weight)
      .def_rw("loss_sums", &GrowSettings::loss_sums)
      .def_rw("certain_blanks", &GrowSettings::certain_blanks)
      .def_rw("threads", &GrowSettings::threads);

  module.def(
      "weight_rounding",
      [](const nb::ndarray<const double, nb::ndim<1>, nb::c_contig>& weights) {
        return quantise_weights(weights.data(), static_cast<Row>(weights.shape(0)), false).off;
      },
      nb::arg("weights"), "By which part of itself the worst weight is off that is kept as a whole number of quanta.");
  module.def(
      "combined_f",
      [](const Differences& differences) {
        const CombinedF found = combined_f(differences);
        return std::pair{found.f, found.log_chance};
      },
      nb::arg("differences"), "The combined 5x2cv F test by which nodes are chosen: F, and ln of its chance.");
  module.def("bins", &bins_of, nb::arg("table"), nb::arg("max_bins"), nb::arg("threads") = 1,
             "The bins that numbers are put in, by column: arrays of their least and of their largest values, NaN of bins that are empty.");
  module.def("best_of_pieces", &best_at_root, nb::arg("table"), nb::arg("settings"), nb::arg("column"), nb::arg("piece_of"),
             nb::sig("def best_of_pieces(table: TableInput, settings: GrowSettings, column: int, piece_of: object) -> tuple | None"),
             "The best split of a column at the root, its rows summarised in pieces; without pieces, searched at once. For tests.");
  module.def(
      "answers_in_range",
      [](Tree tree, const GrowSettings& settings) {
        keep_answers_in_range(tree, settings);
        return tree;
      },
      nb::arg("tree"), nb::arg("settings"), "The tree with every answer in the range that the directions of the settings leave it.");
  module.def("grow", &grow_tree, nb::arg("table"), nb::arg("settings"), nb::arg("progress") = nb::none(),
             "Grow a tree, and finish it as the settings say.");
}

}  // namespace tw::bind
