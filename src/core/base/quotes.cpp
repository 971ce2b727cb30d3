#include "base/quotes.hpp"

#include <algorithm>

namespace tw {

namespace {

constexpr char quote = '"';

}  // namespace

void Quotes::feed(std::string_view part) {
  size_t at = 0;
  while (at < part.size() && !may_hold_lines()) {
    if (state_ == State::closed) {
      if (part[at] == quote) {
        ++count_, ++at;
        state_ = State::inside;
        continue;
      }
      stray_ = !ends_cell(part[at]);
      state_ = State::outside;
    } else if (state_ == State::outside) {
      const size_t found = part.find(quote, at);
      if (found == part.npos) {
        at = part.size();
        break;
      }
      stray_ = !ends_cell(found == 0 ? last_ : part[found - 1]);
      ++count_, at = found + 1;
      state_ = State::inside;
    } else {
      const size_t found = std::min(part.find(quote, at), part.size());
      const std::string_view cell = part.substr(at, found - at);
      lines_ = cell.find('\n') != cell.npos || cell.find('\r') != cell.npos;
      at = found;
      if (found < part.size()) {
        ++count_, ++at;
        state_ = State::closed;
      }
    }
  }
  count_ += static_cast<u64>(std::count(part.begin() + static_cast<std::ptrdiff_t>(at), part.end(), quote));
  if (!part.empty()) last_ = part.back();
}

}  // namespace tw
