// Long lists of numbers in a JSON text, written and read without an object per number.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/types.hpp"

namespace tw {

// The numbers with commas between them, `per_line` on a line, each with the fewest digits that tell it apart: as Python writes them.
std::string number_lines(std::span<const i64> numbers, std::size_t per_line);
std::string number_lines(std::span<const double> numbers, std::size_t per_line);

using NumberList = std::variant<std::vector<i64>, std::vector<double>>;

// A text whose long lists of numbers were taken out: the list of number i stands in it as {"mark":i}.
struct LiftedText {
  std::string text;
  std::vector<NumberList> lists;
};

// Takes the long lists out of a text in which `mark` does not occur. Lists that hold anything but numbers as JSON writes them, numbers
// beyond 64 bits, or whole numbers among others stay where they are: the parser that reads the rest says what is wrong with them.
LiftedText lift_numbers(std::string_view text, std::string_view mark);

}  // namespace tw
