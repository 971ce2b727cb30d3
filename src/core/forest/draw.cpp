// Samples of rows, drawn by halving ranges.
#include "forest/draw.hpp"

#include <algorithm>
#include <bit>

#include "base/hash.hpp"

namespace tw {

namespace {

// The words of a splitmix64 generator (Steele, Lea and Flood 2014) that begins at a hash.
class Words {
 public:
  explicit Words(u64 state) : state_(state) {}

  u64 next() {
    const u64 word = mix(state_);
    state_ += 0x9e3779b97f4a7c15ULL;
    return word;
  }

  // A number below `end`, all as likely (Lemire 2019).
  u64 below(u64 end) {
    using Wide = unsigned __int128;
    Wide product = Wide{next()} * end;
    if (static_cast<u64>(product) < end) {
      const u64 least = (0 - end) % end;
      while (static_cast<u64>(product) < least) product = Wide{next()} * end;
    }
    return static_cast<u64>(product >> 64);
  }

 private:
  u64 state_;
};

// How many of `draws` coins show heads.
u32 heads(Words words, u32 draws) {
  u32 count = 0;
  for (; draws > 64; draws -= 64) count += static_cast<u32>(std::popcount(words.next()));
  return count + static_cast<u32>(std::popcount(words.next() >> (64 - draws)));
}

// How many of `draws` draws from a range fall into its first `part` of `size` rows.
u32 falling_into(Words words, u32 draws, u64 part, u64 size) {
  if (2 * part == size) return heads(words, draws);
  u32 count = 0;
  for (u32 i = 0; i < draws; ++i) count += words.below(size) < part;
  return count;
}

// How many of the `draws` draws from the 2^level rows from `first` on, of which the table may have fewer, fall into their first half.
// Ranges are told apart by their place and their size.
u32 first_half(u64 key, u64 first, u64 level, u64 n_rows, u32 draws) {
  const u64 half = u64{1} << (level - 1);
  const u64 size = std::min<u64>(2 * half, n_rows - first);
  return size <= half ? draws : falling_into(Words(mix(key, first << 6 | level)), draws, half, size);
}

}  // namespace

std::vector<u32> drawn_counts(u64 key, Row n_rows, u32 draws) {
  std::vector<u32> counts(1, draws);  // of ranges of 2^level rows
  for (auto level = static_cast<u64>(std::bit_width(u64{n_rows} - 1)); n_rows > 1 && level > 0; --level) {
    const u64 half = u64{1} << (level - 1);
    std::vector<u32> halves((n_rows + half - 1) / half);
    for (std::size_t i = 0; i < counts.size(); ++i) {
      if (counts[i] == 0) continue;
      const u32 left = first_half(key, i << level, level, n_rows, counts[i]);
      halves[2 * i] = left;
      if (left < counts[i]) halves[2 * i + 1] = counts[i] - left;
    }
    counts = std::move(halves);
  }
  return counts;
}

DrawnCounts::DrawnCounts(u64 key, Row n_rows, u32 draws)
    : key_(key), n_rows_(n_rows), open_{{0, static_cast<u32>(n_rows > 1 ? std::bit_width(u64{n_rows} - 1) : 0), draws}} {}

std::vector<u32> DrawnCounts::next(Row rows) {
  const u64 end = std::min(n_rows_, row_ + rows);
  std::vector<u32> counts(end - row_, 0);
  while (!open_.empty() && open_.back().first < end) {
    const Range range = open_.back();
    open_.pop_back();
    if (range.level == 0) {
      counts[range.first - row_] = range.count;
    } else if (range.count > 0) {
      const u32 left = first_half(key_, range.first, range.level, n_rows_, range.count);
      const u64 middle = range.first + (u64{1} << (range.level - 1));
      if (left < range.count) open_.push_back({middle, range.level - 1, range.count - left});
      if (left > 0) open_.push_back({range.first, range.level - 1, left});
    }
  }
  row_ = end;
  return counts;
}

std::vector<Row> drawn_rows(u64 key, Row n_rows, Row draws) {
  // The rows of the smallest hashes. Different rows have different ones, because mixing is one to one.
  struct Ticket {
    u64 hash;
    Row row;
  };
  const u64 begin = mix(key);
  std::vector<Ticket> tickets(n_rows);
  for (Row row = 0; row < n_rows; ++row) tickets[row] = {mix(begin + row), row};
  const auto last = tickets.begin() + static_cast<std::ptrdiff_t>(draws);
  if (draws < n_rows)
    std::nth_element(tickets.begin(), last, tickets.end(), [](const Ticket& a, const Ticket& b) { return a.hash < b.hash; });
  std::vector<Row> rows;
  rows.reserve(draws);
  for (auto ticket = tickets.begin(); ticket != last; ++ticket) rows.push_back(ticket->row);
  std::sort(rows.begin(), rows.end());
  return rows;
}

}  // namespace tw
