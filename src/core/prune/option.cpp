// Checks values of options against what was declared of them.
#include "prune/option.hpp"

#include <algorithm>
#include <cmath>

#include "base/errors.hpp"

namespace tw {

namespace {

double highest(const PrunerOption& option, const OptionValues& all) {
  if (option.narrowed.empty()) return option.high;
  const std::size_t equals = option.narrowed.find('=');
  return all.text(option.narrowed.substr(0, equals)) == option.narrowed.substr(equals + 1) ? option.narrowed_high : option.high;
}

bool fits(const PrunerOption& option, const OptionValue& value, const OptionValues& all) {
  if (std::holds_alternative<std::monostate>(value)) return std::holds_alternative<std::monostate>(option.usual);
  switch (option.kind) {
    case OptionKind::flag: return std::holds_alternative<bool>(value);
    case OptionKind::criterion: return std::holds_alternative<std::string>(value);
    case OptionKind::choice: {
      const auto* text = std::get_if<std::string>(&value);
      return text != nullptr && std::find(option.choices.begin(), option.choices.end(), *text) != option.choices.end();
    }
    case OptionKind::number:
    case OptionKind::whole: break;
  }
  const auto* number = std::get_if<double>(&value);
  return number != nullptr && *number >= option.low && *number <= highest(option, all) && !(option.above && *number == option.low) &&
         (option.zero || *number != 0) && (option.kind == OptionKind::number || std::isinf(*number) || *number == std::floor(*number));
}

}  // namespace

PrunerOption leaves_option() {
  return {.name = "leaves",
          .doc = "instead: the largest tree of the path with at most this many leaves",
          .kind = OptionKind::whole,
          .low = 1,
          .role = OptionRole::leaves};
}

PrunerOption rule_option() {
  return {.name = "rule",
          .doc = "which tree of the path: the one that errs least on the pruning set, or the smallest within a standard error of it",
          .kind = OptionKind::choice,
          .usual = "best",
          .choices = {"best", "1se"},
          .role = OptionRole::rule};
}

OptionValues completed(const std::string& method, const std::vector<PrunerOption>& options,
                       const std::map<std::string, OptionValue>& given) {
  OptionValues out;
  std::size_t found = 0;
  for (const PrunerOption& option : options) {
    const auto at = given.find(option.name);
    found += at != given.end();
    out.set(option.name, at == given.end() ? option.usual : at->second);
  }
  if (found != given.size()) throw Invalid("'" + method + "' was given an option that it does not have");
  for (const PrunerOption& option : options)
    if (!fits(option, out.value(option.name), out)) throw Invalid("'" + method + "' cannot take this " + option.name);
  return out;
}

}  // namespace tw
