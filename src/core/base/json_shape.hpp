// Scans the bytes of a JSON text as they come in and refuses one that is nested too deep or has too many keys, before
// any parser spends memory on it. It checks nothing else: that is left to the parser.
#pragma once

#include <string_view>

#include "base/types.hpp"

namespace tw {

class JsonShape {
 public:
  JsonShape(u64 max_depth, u64 max_keys) : max_depth_(max_depth), max_keys_(max_keys) {}

  // The next piece of the text. Throws Invalid as soon as a limit is passed.
  void feed(std::string_view piece);

 private:
  u64 max_depth_;
  u64 max_keys_;
  u64 depth_ = 0;
  u64 keys_ = 0;
  bool in_string_ = false;
  bool escaped_ = false;
};

}  // namespace tw
