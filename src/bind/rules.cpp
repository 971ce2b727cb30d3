// Rules for Python: the matcher, sequential covering, C4.5rules, PART, and the measures they are made of.
#include <nanobind/stl/optional.h>

#include <optional>

#include "bind/arrays.hpp"
#include "bind/casters.hpp"
#include "bind/encode.hpp"
#include "bind/rooms.hpp"
#include "bind/table_input.hpp"
#include "bind/watch.hpp"
#include "rules/c45rules_select.hpp"
#include "rules/cover.hpp"
#include "rules/description.hpp"
#include "rules/generalise.hpp"
#include "rules/matcher.hpp"
#include "rules/partial.hpp"
#include "stats/fisher.hpp"
#include "tree/thresholds.hpp"

namespace tw::bind {

namespace {

// Calls visit(name, column) for every stored column of rules.
template <class T, class Visit>
void each_rule_column(T& rules, Visit&& visit) {
  visit("rule_begin", rules.rule_begin);
  visit("column", rules.column);
  visit("low", rules.low);
  visit("high", rules.high);
  visit("level_begin", rules.level_begin);
  visit("level", rules.level);
  visit("known", rules.present);
  visit("missing", rules.missing);
  visit("share", rules.share);
}

Matcher matcher_of(const std::vector<u32>& levels, const std::vector<bool>& nominal, const nb::dict& state) {
  RuleColumns rules;
  each_rule_column(rules, [&](const char* name, auto& column) {
    column = take<typename std::remove_cvref_t<decltype(column)>::value_type>(state, name, "the rules are damaged");
  });
  RuleTable table;
  table.levels = levels;
  for (const bool is : nominal) table.kinds.push_back(is ? Kind::nominal : Kind::numeric);
  if (table.kinds.size() != table.levels.size()) throw Invalid("the columns of the rules differ in length");
  return {std::move(rules), std::move(table)};
}

// What `match` finds of the cells; short jobs are not worth a thread of their own.
template <class Match>
auto matched(const Matcher& matcher, const std::vector<Array>& arrays, u64 n_rows, Match&& match) {
  const std::vector<View> cells = views_of(arrays, n_rows, matcher.table().kinds.size());
  JobControl job;
  std::optional<decltype(match(cells, job))> out;
  constexpr u64 kQuick = 1 << 14;
  if (n_rows < kQuick) {
    const nb::gil_scoped_release release;
    out = match(cells, job);
  } else {
    watched(job, nb::none(), [&] { out = match(cells, job); });
  }
  return std::move(*out);
}

// One row per literal: the rule's columns as Python reads them. Codes become the values of the table.
nb::dict learned_state(const LearnedList& learned, const Table& table) {
  std::vector<u32> begin{0};
  std::vector<u32> label;
  std::vector<u32> column;
  std::vector<u8> test;
  std::vector<u32> code;
  std::vector<double> value;
  std::vector<std::vector<double>> values(table.columns.size());
  for (const LearnedRule& rule : learned.rules) {
    for (const Literal& literal : rule.when) {
      const EncodedColumn& from = table.columns[literal.column];
      std::vector<double>& value_of = values[literal.column];
      if (value_of.empty() && from.kind == Kind::numeric) {
        value_of.resize(from.n_codes);
        for (Row row = 0; row < table.n_rows; ++row)
          if (from.codes[row] != kMissing) value_of[from.codes[row]] = from.cells.number(row);
      }
      column.push_back(literal.column);
      test.push_back(static_cast<u8>(literal.test));
      code.push_back(literal.code);
      value.push_back(from.kind == Kind::numeric ? value_of[literal.code] : 0);
    }
    begin.push_back(static_cast<u32>(column.size()));
    label.push_back(rule.label);
  }
  nb::dict state;
  state["rule_begin"] = give(std::move(begin));
  state["says"] = give(std::move(label));
  state["column"] = give(std::move(column));
  state["test"] = give(std::move(test));
  state["code"] = give(std::move(code));
  state["value"] = give(std::move(value));
  state["class_order"] = give(std::vector<u32>(learned.class_order));
  const CoverTrace& trace = learned.trace;
  state["trace"] = give(std::vector<u32>{trace.kept, trace.revised, trace.replaced, trace.residual});
  state["visits"] = trace.visits;
  return state;
}

constexpr const char* kGains[] = {"foil", "smoothed"};
constexpr const char* kWorths[] = {"irep", "ripper", "smoothed"};
constexpr const char* kStops[] = {"error", "surplus", "explains"};

template <class E, std::size_t N>
E option(const nb::dict& options, const char* name, const char* const (&list)[N]) {
  const auto chosen = nb::cast<std::string>(options[name]);
  for (std::size_t i = 0; i < N; ++i)
    if (chosen == list[i]) return static_cast<E>(i);
  throw Invalid(std::string(name) + " '" + chosen + "' is unknown");
}

CoverSettings settings_of(const nb::dict& options) {
  CoverSettings out;
  out.gain = option<LiteralGain>(options, "gain", kGains);
  out.worth = option<RuleWorth>(options, "worth", kWorths);
  out.stop = option<CoverStop>(options, "stop", kStops);
  out.surplus = nb::cast<double>(options["surplus"]);
  out.check_error = nb::cast<bool>(options["check_error"]);
  out.delete_early = nb::cast<bool>(options["delete_early"]);
  out.prune = nb::cast<bool>(options["prune"]);
  out.folds = nb::cast<u32>(options["folds"]);
  out.rounds = nb::cast<u32>(options["rounds"]);
  out.min_weight = nb::cast<double>(options["min_weight"]);
  out.seed = nb::cast<u64>(options["seed"]);
  if (out.folds < 2) throw Invalid("folds must be 2 or more");
  return out;
}

Table ranked_table(const TableInput& input, const JobControl& job) {
  Table table;
  table.n_rows = static_cast<Row>(input.n_rows);
  table.columns = encode_columns(input, 0, 1, job);
  read_target(input, false, table);
  return table;
}

nb::dict cover_table(const TableInput& input, const nb::dict& options, const nb::object& progress) {
  const CoverSettings settings = settings_of(options);
  if (input.n_classes == 0) throw Invalid("rules are learned from classes");
  JobControl job;
  std::optional<LearnedList> learned;
  Table table;
  watched(job, progress, [&] {
    table = ranked_table(input, job);
    learned = cover(gather(table), settings, job);
  });
  return learned_state(*learned, table);
}

nb::dict select_from_tree(const Tree& tree, const TableInput& input, const SelectSettings& settings, const nb::object& progress) {
  if (input.n_classes == 0 || tree.n_classes != input.n_classes || tree.columns.size() != input.views.size())
    throw Invalid("the rows are not those the tree was grown from");
  JobControl job;
  Selected selected;
  watched(job, progress, [&] {
    const Table table = ranked_table(input, job);
    selected = select_rules(tree, input.views, table, settings, job);
  });
  std::vector<u32> begin{0};
  std::vector<u32> label;
  std::vector<u32> node;
  std::vector<u32> branch;
  std::vector<double> error;
  for (const SelectedRule& rule : selected.rules) {
    for (const Turn& turn : rule.when) {
      node.push_back(turn.node);
      branch.push_back(turn.branch);
    }
    begin.push_back(static_cast<u32>(node.size()));
    label.push_back(rule.label);
    error.push_back(rule.error);
  }
  nb::dict state;
  state["rule_begin"] = give(std::move(begin));
  state["says"] = give(std::move(label));
  state["node"] = give(std::move(node));
  state["branch"] = give(std::move(branch));
  state["error"] = give(std::move(error));
  state["otherwise"] = selected.otherwise;
  state["generalised"] = selected.generalised;
  return state;
}

using Words = nb::ndarray<const u64, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Numbers = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

std::vector<std::size_t> needed_conditions(const Words& holds, const Numbers& weight, const Numbers& loss,
                                           const std::optional<Numbers>& later, double confidence, double parameters, double slack) {
  const std::size_t n = weight.shape(0);
  const std::size_t words = (n + 63) / 64;
  if (loss.shape(0) != n || (later && later->shape(0) != n) || holds.shape(1) != words) throw Invalid("the rows differ in number");
  std::vector<Bits> sets;
  for (std::size_t i = 0; i < holds.shape(0); ++i) sets.emplace_back(holds.data() + i * words, holds.data() + (i + 1) * words);
  return simplified(sets, {weight.data(), loss.data(), later ? later->data() : nullptr, n}, {confidence, parameters, slack});
}

nb::list cover_with_trees(const TableInput& input, const GrowSettings& growing, bool pruned, double confidence, double min_weight,
                          const nb::object& progress) {
  if (input.n_classes == 0) throw Invalid("rules are learned from classes");
  const PartialSettings settings{pruned, ErrorEstimate(confidence, Estimate::weka), min_weight};
  JobControl job;
  std::vector<PartialRule> found;
  watched(job, progress, [&] {
    Table table = encode(input, growing, job);
    found = cover_by_trees(std::move(table), growing, settings, job);
    std::vector<Tree*> trees;
    for (PartialRule& rule : found) trees.push_back(&rule.tree);
    move_to_training_values(trees, input.views, input.n_rows);
  });
  nb::list out;
  for (PartialRule& rule : found) out.append(nb::make_tuple(std::move(rule.tree), rule.leaf));
  return out;
}

}  // namespace

void add_rules(nb::module_& module) {
  nb::class_<SelectSettings>(module, "SelectSettings", "What C4.5rules needs to know.")
      .def(nb::init<>())
      .def_rw("confidence", &SelectSettings::confidence)
      .def_rw("seed", &SelectSettings::seed)
      .def_rw("significance", &SelectSettings::significance)
      .def_rw("redundancy", &SelectSettings::redundancy)
      .def_rw("annealed", &SelectSettings::annealed);
  module.def(
      "fisher_tail",
      [](u64 wrong, u64 all, u64 other_wrong, u64 other_all) {
        if (wrong > all || other_wrong > other_all || all + other_all > (u64{1} << 24)) throw Invalid("these are no counts of a division");
        return FisherTest(all + other_all).tail(wrong, all, other_wrong, other_all);
      },
      nb::arg("wrong"), nb::arg("all"), nb::arg("other_wrong"), nb::arg("other_all"),
      "Probability that chance divides cases at least as unevenly (Fisher's exact test, one tail).");
  module.def("select_rules", &select_from_tree, nb::arg("tree"), nb::arg("table"), nb::arg("settings"), nb::arg("progress") = nb::none(),
             nb::sig("def select_rules(tree: Tree, table: TableInput, settings: SelectSettings, progress: object | None = None) -> dict"),
             "Rules of an unpruned tree, generalised and selected (C4.5rules), as flat columns.");
  module.def(
      "needed_conditions", &needed_conditions, nb::arg("holds"), nb::arg("weight"), nb::arg("loss"), nb::arg("later").none(),
      nb::arg("confidence"), nb::arg("parameters"), nb::arg("slack"),
      nb::sig("def needed_conditions(holds: NDArray[numpy.uint64], weight: NDArray[numpy.float64], loss: NDArray[numpy.float64], "
              "later: NDArray[numpy.float64] | None, confidence: float, parameters: float, slack: float) -> list[int]"),
      "Indices of the conditions a rule needs: the rows each holds of (one bit per row), their weights, and the losses of the rule and of "
      "those after it on them.");
  module.def("cover", &cover_table, nb::arg("table"), nb::arg("options"), nb::arg("progress") = nb::none(),
             nb::sig("def cover(table: TableInput, options: dict, progress: object | None = None) -> dict"),
             "Rules learned by sequential covering, as flat columns.");
  module.def("cover_by_trees", &cover_with_trees, nb::arg("table"), nb::arg("settings"), nb::arg("pruned"), nb::arg("confidence"),
             nb::arg("min_weight"), nb::arg("progress") = nb::none(),
             nb::sig("def cover_by_trees(table: TableInput, settings: GrowSettings, pruned: bool, confidence: float, min_weight: float, "
                     "progress: object | None = None) -> list[tuple[Tree, int]]"),
             "Rules of partial trees (PART) in their order: for each the path to its leaf as a tree, and the leaf.");
  module.def("rule_bits", &rule_bits, nb::arg("length"), nb::arg("n_conditions"), "Bits of a rule (Cohen 1995).");
  module.def("exception_bits", &exception_bits, nb::arg("expected"), nb::arg("cover"), nb::arg("uncover"), nb::arg("false_positives"),
             nb::arg("false_negatives"), "Bits of what rules of a class get wrong (JRip).");
  module.def("selected_bits", &selected_bits, nb::arg("cases"), nb::arg("fires"), nb::arg("false_positives"), nb::arg("false_negatives"),
             "Bits of what rules of a class get wrong (C4.5rules).");
  module.def(
      "literal_gain",
      [](double p, double t, double before_p, double before_t, const std::string& kind) {
        const LiteralGain gain = kind == "foil" ? LiteralGain::foil : LiteralGain::smoothed;
        return literal_gain(gain, p, t, log2_of(rate(gain, before_p, before_t)));
      },
      nb::arg("positives"), nb::arg("covered"), nb::arg("positives_before"), nb::arg("covered_before"), nb::arg("kind"),
      "FOIL's gain of a literal.");
  module.def(
      "rule_worth",
      [](double p, double n, double positives, double negatives, const std::string& kind) {
        for (std::size_t i = 0; i < std::size(kWorths); ++i)
          if (kind == kWorths[i]) return worth(static_cast<RuleWorth>(i), p, n, positives, negatives);
        throw Invalid("worth '" + kind + "' is unknown");
      },
      nb::arg("positives"), nb::arg("negatives"), nb::arg("all_positives"), nb::arg("all_negatives"), nb::arg("kind"),
      "What a rule is worth on pruning data.");
  nb::class_<Matcher>(module, "Matcher", "Rules made ready to be compared with rows.")
      .def_static("of", &matcher_of, nb::arg("levels"), nb::arg("nominal"), nb::arg("state"), "From the flat columns of rules.")
      .def(
          "first",
          [](const Matcher& self, const std::vector<Array>& arrays, u64 n_rows) {
            return give(matched(self, arrays, n_rows, [&](const auto& cells, JobControl& job) { return self.first(cells, n_rows, job); }));
          },
          nb::arg("columns"), nb::arg("n_rows"), "The first rule that holds of every row, or -1.")
      .def(
          "all",
          [](const Matcher& self, const std::vector<Array>& arrays, u64 n_rows) {
            Matches found = matched(self, arrays, n_rows, [&](const auto& cells, JobControl& job) { return self.all(cells, n_rows, job); });
            return nb::make_tuple(give(std::move(found.begin)), give(std::move(found.rule)), give(std::move(found.share)));
          },
          nb::arg("columns"), nb::arg("n_rows"), "Offsets, rules and shares: all rules that hold of every row, in whole or in part.");
}

}  // namespace tw::bind
