// Nesting and keys of a JSON text, counted byte by byte.
#include "base/json_shape.hpp"

#include <array>
#include <string>

#include "base/errors.hpp"

namespace tw {

namespace {

// Signs that say nothing about the shape: most of a text are digits and commas.
constexpr std::array<bool, 256> kPlain = [] {
  std::array<bool, 256> plain{};
  plain.fill(true);
  for (const char sign : {'"', '[', ']', '{', '}', ':'}) plain[static_cast<unsigned char>(sign)] = false;
  return plain;
}();

}  // namespace

void JsonShape::feed(std::string_view piece) {
  for (const char* at = piece.data(); at < piece.data() + piece.size(); ++at) {
    const char character = *at;
    if (in_string_) {
      if (escaped_)
        escaped_ = false;
      else if (character == '\\')
        escaped_ = true;
      else if (character == '"')
        in_string_ = false;
      continue;
    }
    if (kPlain[static_cast<unsigned char>(character)]) continue;
    switch (character) {
      case '"': in_string_ = true; break;
      case '[':
      case '{':
        if (++depth_ > max_depth_) throw Invalid("it is nested more than " + std::to_string(max_depth_) + " deep");
        break;
      case ']':
      case '}': depth_ -= depth_ > 0; break;
      case ':':  // one per key
        if (++keys_ > max_keys_) throw Invalid("it has more than " + std::to_string(max_keys_) + " keys");
        break;
      default: break;
    }
  }
}

}  // namespace tw
