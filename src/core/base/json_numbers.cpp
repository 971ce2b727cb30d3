// Writes and reads lists of numbers in JSON texts.
#include "base/json_numbers.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <optional>

#include "base/errors.hpp"

namespace tw {

namespace {

constexpr std::size_t kLong = 64;  // signs of a list that is worth lifting
constexpr std::size_t kRoom = 40;  // more than any number takes

char* write(i64 number, char* out) { return std::to_chars(out, out + kRoom, number).ptr; }

// Python's repr: shortest digits, an exponent of two digits below 1e-4 and from 1e16 on, else a point.
char* write(double number, char* out) {
  if (!std::isfinite(number)) throw Invalid("JSON has no number for infinity, or for what is none");
  std::array<char, kRoom> made;
  const char* const end = std::to_chars(made.data(), made.data() + kRoom, number, std::chars_format::scientific).ptr;
  const char* at = made.data();
  if (*at == '-') *out++ = *at++;
  std::array<char, kRoom> digits;
  int n = 0;
  for (; at < end && *at != 'e'; ++at)
    if (*at != '.') digits[static_cast<std::size_t>(n++)] = *at;
  int exponent = 0;
  std::from_chars(at + (at[1] == '+' ? 2 : 1), end, exponent);
  const auto copy = [&](int from, int to) {
    for (int i = from; i < to; ++i) *out++ = i < n ? digits[static_cast<std::size_t>(i)] : '0';
  };
  if (exponent < -4 || exponent >= 16) {
    copy(0, 1);
    if (n > 1) {
      *out++ = '.';
      copy(1, n);
    }
    *out++ = 'e';
    *out++ = exponent < 0 ? '-' : '+';
    if (std::abs(exponent) < 10) *out++ = '0';
    return std::to_chars(out, out + kRoom, std::abs(exponent)).ptr;
  }
  if (exponent < 0) {
    *out++ = '0';
    *out++ = '.';
    for (int i = -1; i > exponent; --i) *out++ = '0';
    copy(0, n);
    return out;
  }
  copy(0, exponent + 1);
  *out++ = '.';
  copy(exponent + 1, std::max(n, exponent + 2));
  return out;
}

template <class T>
std::string lines_of(std::span<const T> numbers, std::size_t per_line) {
  std::string out;
  out.reserve(numbers.size() * 10);
  std::array<char, 2 * kRoom> one;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    if (i > 0) out += i % per_line == 0 ? ",\n" : ",";
    out.append(one.data(), write(numbers[i], one.data()));
  }
  return out;
}

bool space(char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }
bool digit(char c) { return c >= '0' && c <= '9'; }

// Reads the numbers of one list. The text behind the opening bracket begins at `at`; afterwards it is behind the closing one.
class ListReader {
 public:
  ListReader(const char* at, const char* end) : at_(at), end_(end) {}

  // Nothing, if the list is anything else, or mixes whole numbers with others: which is which may matter to its reader.
  std::optional<NumberList> read() {
    const char* const from = at_;
    pass_spaces();
    const bool integral = pass_number();
    at_ = from;
    return integral ? read_all<i64>() : read_all<double>();
  }
  const char* behind() const { return at_; }

 private:
  template <class T>
  std::optional<NumberList> read_all() {
    std::vector<T> out;
    for (;;) {
      pass_spaces();
      const char* const from = at_;
      T number{};
      if (pass_number() != std::is_same_v<T, i64> || !take(from, number)) return std::nullopt;
      out.push_back(number);
      pass_spaces();
      if (at_ == end_) return std::nullopt;
      const char sign = *at_++;
      if (sign == ']') return out;
      if (sign != ',') return std::nullopt;
    }
  }
  void pass_spaces() {
    while (at_ < end_ && space(*at_)) ++at_;
  }
  bool digits() {
    const char* const from = at_;
    while (at_ < end_ && digit(*at_)) ++at_;
    return at_ > from;
  }
  // Passes one number of JSON, or stays; whether it is written as a whole one.
  bool pass_number() {
    const char* const from = at_;
    if (at_ < end_ && *at_ == '-') ++at_;
    if (at_ < end_ && *at_ == '0')
      ++at_;
    else if (!digits())
      return stay(from);
    bool integral = true;
    if (at_ < end_ && *at_ == '.') {
      ++at_;
      integral = false;
      if (!digits()) return stay(from);
    }
    if (at_ < end_ && (*at_ == 'e' || *at_ == 'E')) {
      ++at_;
      integral = false;
      if (at_ < end_ && (*at_ == '+' || *at_ == '-')) ++at_;
      if (!digits()) return stay(from);
    }
    return integral;
  }
  bool stay(const char* from) {
    at_ = from;
    return false;
  }
  template <class T>
  bool take(const char* from, T& value) const {
    const auto [last, fault] = std::from_chars(from, at_, value);
    return fault == std::errc{} && last == at_;
  }

  const char* at_;
  const char* end_;
};

}  // namespace

std::string number_lines(std::span<const i64> numbers, std::size_t per_line) { return lines_of(numbers, per_line); }
std::string number_lines(std::span<const double> numbers, std::size_t per_line) { return lines_of(numbers, per_line); }

LiftedText lift_numbers(std::string_view text, std::string_view mark) {
  LiftedText out;
  const char* const end = text.data() + text.size();
  const char* kept = text.data();  // everything before is in the new text
  bool in_string = false;
  for (const char* at = text.data(); at < end; ++at) {
    if (in_string) {
      if (*at == '\\')
        ++at;
      else if (*at == '"')
        in_string = false;
      continue;
    }
    if (*at == '"') in_string = true;
    if (*at != '[' || static_cast<std::size_t>(end - at) < kLong) continue;
    ListReader reader(at + 1, end);
    auto list = reader.read();
    if (!list || static_cast<std::size_t>(reader.behind() - at) < kLong) continue;
    out.text.append(kept, at);
    out.text.append("{\"").append(mark).append("\":").append(std::to_string(out.lists.size())).append("}");
    out.lists.push_back(std::move(*list));
    kept = reader.behind();
    at = kept - 1;
  }
  out.text.append(kept, end);
  return out;
}

}  // namespace tw
