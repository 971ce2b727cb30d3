// Looks at the bytes of delimited text as they come in and says what its quotes do: a reader that need not look for quotes, or
// for line ends between them, is faster.
#pragma once

#include <string_view>

#include "base/types.hpp"

namespace tw {

class Quotes {
 public:
  explicit Quotes(char delimiter) : delimiter_(delimiter) {}

  // The next part of the text.
  void feed(std::string_view part);

  u64 count() const { return count_; }

  // False only where every quote begins or ends a cell, or is doubled inside of one, and no line ends between two of them.
  bool may_hold_lines() const { return lines_ || stray_; }

 private:
  enum class State { outside, inside, closed };  // closed: the byte before was a quote that ends a cell, or the first of two

  bool ends_cell(char byte) const { return byte == delimiter_ || byte == '\n' || byte == '\r'; }

  char delimiter_;
  char last_ = '\n';  // before the first byte a cell begins
  State state_ = State::outside;
  u64 count_ = 0;
  bool lines_ = false;
  bool stray_ = false;
};

}  // namespace tw
