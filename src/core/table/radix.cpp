// Radix sort of keys, digit by digit from the lowest.
#include "table/radix.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace tw {

namespace {

constexpr std::size_t kSmall = 256;
constexpr u32 kDigitBits = 8;  // the open ends of 256 buckets stay in the first-level cache; measured faster than 3 passes of 11 bits
constexpr u32 kDigits = 4;
constexpr std::size_t kBuckets = std::size_t{1} << kDigitBits;

template <u32 d>
u32 digit(u32 key) {
  return key >> (d * kDigitBits) & (kBuckets - 1);
}

// Calls body.operator()<d>(): the shift is known when the loops are compiled.
template <class Body>
void with_digit(u32 d, Body&& body) {
  switch (d) {
    case 0: return body.template operator()<0>();
    case 1: return body.template operator()<1>();
    case 2: return body.template operator()<2>();
    default: return body.template operator()<3>();
  }
}

void sort_few(std::span<KeyedRow> entries) {
  std::sort(entries.begin(), entries.end(),
            [](const KeyedRow& a, const KeyedRow& b) { return a.key != b.key ? a.key < b.key : a.row < b.row; });
}

using Count = std::array<u32, kBuckets>;

// Where the entries of each bucket begin, per digit, and which digits tell keys apart.
struct Plan {
  std::array<Count, kDigits> begin;
  std::array<u32, kDigits> passes;
  std::size_t n_passes = 0;

  template <class KeyAt>
  Plan(std::size_t n, KeyAt key_at) {
    for (Count& count : begin) count.fill(0);
    for (std::size_t i = 0; i < n; ++i) {
      const u32 key = key_at(i);
      ++begin[0][digit<0>(key)];
      ++begin[1][digit<1>(key)];
      ++begin[2][digit<2>(key)];
      ++begin[3][digit<3>(key)];
    }
    for (u32 d = 0; d < kDigits; ++d) {
      if (std::find(begin[d].begin(), begin[d].end(), n) != begin[d].end()) continue;
      passes[n_passes++] = d;
      u32 start = 0;
      for (u32& c : begin[d]) start += std::exchange(c, start);
    }
  }
};

void pass(std::span<const KeyedRow> from, KeyedRow* to, Count& place, u32 d) {
  with_digit(d, [&]<u32 D>() {
    for (const KeyedRow& entry : from) to[place[digit<D>(entry.key)]++] = entry;
  });
}

// All passes but the last `left`, the first of them from keys that stand one per row. The entries then lie in room.one.
void early_passes(std::span<const u32> keys, Plan& plan, std::size_t left, RadixRoom& room) {
  const std::size_t n = keys.size();
  if (room.one.size() < n) room.one.resize(n);
  if (plan.n_passes <= left) {
    for (std::size_t i = 0; i < n; ++i) room.one[i] = {keys[i], static_cast<Row>(i)};
    return;
  }
  Count& place = plan.begin[plan.passes[0]];
  KeyedRow* const to = room.one.data();
  with_digit(plan.passes[0], [&]<u32 D>() {
    for (std::size_t i = 0; i < n; ++i) to[place[digit<D>(keys[i])]++] = {keys[i], static_cast<Row>(i)};
  });
  if (room.two.size() < n && plan.n_passes > left + 1) room.two.resize(n);
  for (std::size_t p = 1; p + left < plan.n_passes; ++p) {
    pass({room.one.data(), n}, room.two.data(), plan.begin[plan.passes[p]], plan.passes[p]);
    room.one.swap(room.two);
  }
}

}  // namespace

std::span<KeyedRow> sort_rows(std::span<const u32> keys, RadixRoom& room) {
  const std::size_t n = keys.size();
  if (n <= kSmall) {
    room.one.resize(std::max(room.one.size(), n));
    for (std::size_t i = 0; i < n; ++i) room.one[i] = {keys[i], static_cast<Row>(i)};
    sort_few({room.one.data(), n});
  } else {
    Plan plan(n, [&](std::size_t i) { return keys[i]; });
    early_passes(keys, plan, 0, room);
  }
  return {room.one.data(), n};
}

u32 replace_by_rows(std::span<u32> keys, RadixRoom& room) {
  const std::size_t n = keys.size();
  u32 distinct = 0;
  if (n <= kSmall) {
    const auto entries = sort_rows(keys, room);
    for (std::size_t i = 0; i < n; ++i) {
      distinct += i == 0 || entries[i].key != entries[i - 1].key;
      keys[i] = entries[i].row;
    }
    return distinct;
  }
  Plan plan(n, [&](std::size_t i) { return keys[i]; });
  early_passes(keys, plan, 1, room);
  if (plan.n_passes == 0) {
    for (std::size_t i = 0; i < n; ++i) keys[i] = static_cast<Row>(i);
    return 1;
  }
  // In the last pass the entries of one bucket arrive in order, so equal keys come one after the other.
  struct Bucket {
    u32 place;
    u32 last;
  };
  const u32 d = plan.passes[plan.n_passes - 1];
  std::array<Bucket, kBuckets> buckets;
  for (u32 b = 0; b < kBuckets; ++b) buckets[b] = {plan.begin[d][b], ~(b << (d * kDigitBits))};  // a key of no entry of the bucket
  with_digit(d, [&]<u32 D>() {
    for (const KeyedRow& entry : std::span(room.one.data(), n)) {
      Bucket& bucket = buckets[digit<D>(entry.key)];
      distinct += entry.key != bucket.last;
      bucket.last = entry.key;
      keys[bucket.place++] = entry.row;
    }
  });
  return distinct;
}

void sort_entries(std::span<KeyedRow> entries, RadixRoom& room) {
  const std::size_t n = entries.size();
  if (n <= kSmall) return sort_few(entries);
  Plan plan(n, [&](std::size_t i) { return entries[i].key; });
  if (room.two.size() < n) room.two.resize(n);
  std::span<KeyedRow> from = entries;
  std::span<KeyedRow> to{room.two.data(), n};
  for (std::size_t p = 0; p < plan.n_passes; ++p) {
    pass(from, to.data(), plan.begin[plan.passes[p]], plan.passes[p]);
    std::swap(from, to);
  }
  if (from.data() != entries.data()) std::copy(from.begin(), from.end(), entries.begin());
}

}  // namespace tw
