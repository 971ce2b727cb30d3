#include "base/quotes.hpp"

#include <algorithm>

namespace tw {

namespace {

constexpr char quote = '"';

}  // namespace

void Quotes::feed(std::string_view part) {
  size_t at = 0;
  while (at < part.size()) {
    if (state_ == State::closed) {
      state_ = part[at] == quote ? State::inside : State::outside;
      if (state_ == State::inside) ++count_, ++at;
    } else if (state_ == State::outside) {
      const size_t found = part.find(quote, at);
      if (found == part.npos) break;
      if (ends_cell(found == 0 ? last_ : part[found - 1])) state_ = State::inside;
      ++count_, at = found + 1;
    } else {
      const size_t found = std::min(part.find(quote, at), part.size());
      const std::string_view cell = part.substr(at, found - at);
      returns_ = returns_ || cell.find('\r') != cell.npos;
      lines_ = lines_ || returns_ || cell.find('\n') != cell.npos;
      at = found;
      if (found < part.size()) {
        ++count_, ++at;
        state_ = State::closed;
      }
    }
  }
  if (!part.empty()) last_ = part.back();
}

}  // namespace tw
