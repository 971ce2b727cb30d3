// Scans the bytes of delimited text as they come in and reports what its quotes do: a reader that need not look for quotes, or
// for line ends between them, is faster. A quote opens a cell only at its start; anywhere else outside of one it is an ordinary character.
#pragma once

#include <string_view>

#include "base/types.hpp"

namespace tw {

class Quotes {
 public:
  explicit Quotes(char delimiter) : delimiter_(delimiter) {}

  // The next piece of the text.
  void feed(std::string_view piece);

  u64 count() const { return count_; }

  // Whether a cell in quotes holds the end of a line, and whether it holds a CR.
  bool hold_lines() const { return lines_; }
  bool hold_returns() const { return returns_; }

  // Whether the text so far ends inside a cell in quotes.
  bool open() const { return state_ == State::inside; }

 private:
  enum class State { outside, inside, closed };  // closed: the byte before was a quote that ends a cell, or the first of two

  bool ends_cell(char byte) const { return byte == delimiter_ || byte == '\n' || byte == '\r'; }

  char delimiter_;
  char last_ = '\n';  // before the first byte a cell begins
  State state_ = State::outside;
  u64 count_ = 0;
  bool lines_ = false;
  bool returns_ = false;
};

}  // namespace tw
