#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <optional>

#include "bind/arrays.hpp"
#include "bind/rooms.hpp"
#include "bind/watch.hpp"
#include "rules/matcher.hpp"

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
  visit("known", rules.known);
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

template <class Ask>
auto asked(const Matcher& matcher, const std::vector<Array>& arrays, u64 n_rows, Ask&& ask) {
  const std::vector<View> cells = views_of(arrays, n_rows, matcher.table().kinds.size());
  Work work;
  std::optional<decltype(ask(cells, work))> out;
  constexpr u64 kQuick = 1 << 14;
  if (n_rows < kQuick) {
    const nb::gil_scoped_release release;
    out = ask(cells, work);
  } else {
    watched(work, nb::none(), [&] { out = ask(cells, work); });
  }
  return std::move(*out);
}

}  // namespace

void add_rules(nb::module_& module) {
  nb::class_<Matcher>(module, "Matcher", "Rules made ready to be compared with rows.")
      .def_static("of", &matcher_of, nb::arg("levels"), nb::arg("nominal"), nb::arg("state"), "From the flat columns of rules.")
      .def(
          "first",
          [](const Matcher& self, const std::vector<Array>& arrays, u64 n_rows) {
            return give(asked(self, arrays, n_rows, [&](const auto& cells, Work& work) { return self.first(cells, n_rows, work); }));
          },
          nb::arg("columns"), nb::arg("n_rows"), "The first rule that holds of every row, or -1.")
      .def(
          "all",
          [](const Matcher& self, const std::vector<Array>& arrays, u64 n_rows) {
            Matches found = asked(self, arrays, n_rows, [&](const auto& cells, Work& work) { return self.all(cells, n_rows, work); });
            return nb::make_tuple(give(std::move(found.begin)), give(std::move(found.rule)), give(std::move(found.share)));
          },
          nb::arg("columns"), nb::arg("n_rows"), "Offsets, rules and shares: all rules that hold of every row, in whole or in part.");
}

}  // namespace tw::bind
