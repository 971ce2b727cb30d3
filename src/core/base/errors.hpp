// The two ways the core refuses. Everything else that is thrown is std::bad_alloc.
#pragma once

#include <stdexcept>
#include <string>

namespace tw {

// An argument, a table or a stored tree that cannot be used; the text names the thing, the value and the remedy.
class Invalid : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

// The caller asked to stop (Ctrl-C).
class Interrupted : public std::runtime_error {
 public:
  Interrupted() : std::runtime_error("interrupted") {}
};

}  // namespace tw
