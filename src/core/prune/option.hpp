// Options of a pruner as declared facts, from which callers check what they are given and write messages, and their values.
#pragma once

#include <limits>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/types.hpp"

namespace tw {

enum class OptionKind : u8 { number, whole, flag, choice, criterion };  // criterion: a name of the registry of criteria for classes
inline constexpr const char* kOptionKindNames[] = {"number", "whole", "flag", "choice", "criterion"};

// What an option means to the path of nested trees a method has, beside what the method itself makes of it.
//   key     nodes end whose keys it reaches; no rows are needed
//   leaves  the largest tree of the path with at most this many leaves; no rows are needed
//   rule    how the tree is chosen by rows where neither is given
enum class OptionRole : u8 { plain, key, leaves, rule };
inline constexpr const char* kOptionRoleNames[] = {"plain", "key", "leaves", "rule"};

using OptionValue = std::variant<std::monostate, bool, double, std::string>;

struct PrunerOption {
  std::string name;
  std::string doc;
  OptionKind kind = OptionKind::number;
  OptionValue usual = {};  // the default; none: it may be left out
  double low = 0;          // of numbers
  double high = std::numeric_limits<double>::infinity();
  bool above = false;         // the lowest value itself is refused
  bool zero = true;           // 0 is allowed, where the range begins there
  std::string narrowed = {};  // "option=choice" with which the highest value is `narrowed_high`
  double narrowed_high = 0;
  std::vector<std::string> choices = {};
  bool numbers_only = false;  // refused by trees of classes
  OptionRole role = OptionRole::plain;
  bool of_path = false;       // the path depends on it
  std::string path_end = {};  // the choice with which the tree is the last of the path
  std::string allowed = {};   // what messages say is allowed, where the range does not tell
};

// Options that every method with a path may take as they are.
PrunerOption leaves_option();
PrunerOption rule_option();

// Values by name. Reading one that the method has not declared is an error of the method.
class OptionValues {
 public:
  void set(const std::string& name, OptionValue value) { values_[name] = std::move(value); }
  const OptionValue& value(const std::string& name) const { return values_.at(name); }
  bool given(const std::string& name) const { return !std::holds_alternative<std::monostate>(values_.at(name)); }
  double number(const std::string& name) const { return std::get<double>(values_.at(name)); }
  std::optional<double> maybe(const std::string& name) const { return given(name) ? std::optional(number(name)) : std::nullopt; }
  bool flag(const std::string& name) const { return std::get<bool>(values_.at(name)); }
  const std::string& text(const std::string& name) const { return std::get<std::string>(values_.at(name)); }

 private:
  std::map<std::string, OptionValue> values_;
};

// The values with defaults for what was not given. Refuses names and values that were not declared.
OptionValues completed(const std::string& method, const std::vector<PrunerOption>& options,
                       const std::map<std::string, OptionValue>& given);

}  // namespace tw
