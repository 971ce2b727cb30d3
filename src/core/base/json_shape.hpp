// Looks at the bytes of a JSON text as they come in and refuses one that is nested too deep or has too many keys, before
// any parser spends memory on it. It does not check anything else: that is the parser's work.
#pragma once

#include <string_view>

#include "base/types.hpp"

namespace tw {

class JsonShape {
 public:
  JsonShape(u64 most_deep, u64 most_keys) : most_deep_(most_deep), most_keys_(most_keys) {}

  // The next part of the text. Throws Invalid as soon as a limit is passed.
  void feed(std::string_view part);

 private:
  u64 most_deep_;
  u64 most_keys_;
  u64 deep_ = 0;
  u64 keys_ = 0;
  bool in_text_ = false;
  bool escaped_ = false;
};

}  // namespace tw
