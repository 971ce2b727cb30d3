// The ways the core refuses. Everything else that is thrown is std::bad_alloc.
#pragma once

#include <new>
#include <stdexcept>
#include <string>

#include "base/types.hpp"

namespace tw {

// An argument, a table or a stored tree that cannot be used; the text names the thing, the value and the remedy.
class Invalid : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

// A column whose levels (or values) times classes are more cells than a table of counts may have.
class TooManyCells : public std::bad_alloc {
 public:
  TooManyCells(u64 column_, u64 codes_, u64 classes_) : column(column_), codes(codes_), classes(classes_) {}

  u64 column;
  u64 codes;
  u64 classes;
};

// The caller asked to stop (Ctrl-C).
class Interrupted : public std::runtime_error {
 public:
  Interrupted() : std::runtime_error("interrupted") {}
};

}  // namespace tw
