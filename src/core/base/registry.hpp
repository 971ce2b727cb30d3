// A list of named components to which the files that define them add themselves. (The core is linked as an OBJECT library:
// a static one would drop files that nothing else names.)
#pragma once

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "base/errors.hpp"

namespace tw {

template <class Component>
class Registry {
 public:
  static std::vector<Component>& all() {
    static std::vector<Component> components;
    return components;
  }

  static const Component* find(const std::string& name) {
    const auto& components = all();
    const auto at = std::find_if(components.begin(), components.end(), [&](const Component& component) { return component.name == name; });
    return at == components.end() ? nullptr : &*at;
  }
};

template <class Component>
struct Enrol {
  explicit Enrol(Component component) {
    auto& components = Registry<Component>::all();
    if (Registry<Component>::find(component.name) != nullptr) throw Invalid("two components are named '" + component.name + "'");
    // Kept sorted by name so that listings do not depend on link order.
    const auto at = std::find_if(components.begin(), components.end(), [&](const Component& other) { return other.name > component.name; });
    components.insert(at, std::move(component));
  }
};

}  // namespace tw
