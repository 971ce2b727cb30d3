#include "base/json_shape.hpp"

#include <string>

#include "base/errors.hpp"

namespace tw {

void JsonShape::feed(std::string_view part) {
  for (const char sign : part) {
    if (in_text_) {
      if (escaped_)
        escaped_ = false;
      else if (sign == '\\')
        escaped_ = true;
      else if (sign == '"')
        in_text_ = false;
      continue;
    }
    switch (sign) {
      case '"': in_text_ = true; break;
      case '[':
      case '{':
        if (++deep_ > most_deep_) throw Invalid("it is nested more than " + std::to_string(most_deep_) + " deep");
        break;
      case ']':
      case '}': deep_ -= deep_ > 0; break;
      case ':':  // one a key
        if (++keys_ > most_keys_) throw Invalid("it has more than " + std::to_string(most_keys_) + " keys");
        break;
      default: break;
    }
  }
}

}  // namespace tw
