// The quotes of delimited text, followed piece by piece by a machine of three states.
#include "base/quotes.hpp"

#include <algorithm>

namespace tw {

namespace {

constexpr char quote = '"';

}  // namespace

void Quotes::feed(std::string_view piece) {
  size_t at = 0;
  while (at < piece.size()) {
    if (state_ == State::closed) {
      state_ = piece[at] == quote ? State::inside : State::outside;
      if (state_ == State::inside) ++count_, ++at;
    } else if (state_ == State::outside) {
      const size_t found = piece.find(quote, at);
      if (found == piece.npos) break;
      if (ends_cell(found == 0 ? last_ : piece[found - 1])) state_ = State::inside;
      ++count_, at = found + 1;
    } else {
      const size_t found = std::min(piece.find(quote, at), piece.size());
      const std::string_view cell = piece.substr(at, found - at);
      returns_ = returns_ || cell.find('\r') != cell.npos;
      lines_ = lines_ || returns_ || cell.find('\n') != cell.npos;
      at = found;
      if (found < piece.size()) {
        ++count_, ++at;
        state_ = State::closed;
      }
    }
  }
  if (!piece.empty()) last_ = piece.back();
}

}  // namespace tw
