// A list of named parts to which the files that define them add themselves. (The core is linked as an OBJECT library:
// a static one would drop files that nothing else names.)
#pragma once

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "base/errors.hpp"

namespace tw {

template <class Part>
class Registry {
 public:
  static std::vector<Part>& all() {
    static std::vector<Part> parts;
    return parts;
  }

  static const Part* find(const std::string& name) {
    const auto& parts = all();
    const auto at = std::find_if(parts.begin(), parts.end(), [&](const Part& part) { return part.name == name; });
    return at == parts.end() ? nullptr : &*at;
  }
};

template <class Part>
struct Enrol {
  explicit Enrol(Part part) {
    auto& parts = Registry<Part>::all();
    // Kept sorted by name so that listings do not depend on link order.
    const auto at = std::find_if(parts.begin(), parts.end(), [&](const Part& other) { return other.name > part.name; });
    parts.insert(at, std::move(part));
  }
};

}  // namespace tw
