// What is known of sets of rows that may come again by another way. Sets are told apart by 128 bits of hash. Once the memory it may have is
// full, everything is forgotten: that costs time, never exactness.
#pragma once

#include <unordered_map>

#include "base/hash.hpp"
#include "optimal/plan.hpp"

namespace tw {

struct RowSetKey {
  u64 one = 0;
  u64 two = 0;

  bool operator==(const RowSetKey&) const = default;
  RowSetKey plus(const RowSetKey& other) const { return {one + other.one, two + other.two}; }
  RowSetKey less(const RowSetKey& other) const { return {one - other.one, two - other.two}; }
  static RowSetKey of(Row row) { return {mix(row, 0x51), mix(row, 0xa7)}; }
};

class RowSetCache {
 public:
  explicit RowSetCache(u64 bytes) : most_(bytes) {}

  const Known* find(const RowSetKey& rows, Limits limits) const {
    const auto at = known_.find({rows, limits.depth, limits.splits});
    return at == known_.end() ? nullptr : &at->second;
  }
  void keep(const RowSetKey& rows, Limits limits, const Known& known) {
    const u64 bytes = kEntry + known.plan.size() * sizeof(PlanSplit);
    if (bytes_ + bytes > most_) {
      known_ = {};
      bytes_ = 0;
    }
    if (bytes > most_) return;
    Known& held = known_[{rows, limits.depth, limits.splits}];
    if (held.upper == kNoCost && held.lower == 0) bytes_ += kEntry;
    bytes_ -= held.plan.size() * sizeof(PlanSplit);
    held = known;
    held.plan.shrink_to_fit();
    bytes_ += held.plan.size() * sizeof(PlanSplit);
    peak_ = std::max(peak_, bytes_);
  }
  u64 peak() const { return peak_; }

 private:
  struct Key {
    RowSetKey rows;
    u32 depth;
    u32 splits;
    bool operator==(const Key&) const = default;
  };
  struct Hash {
    std::size_t operator()(const Key& key) const { return static_cast<std::size_t>(key.rows.one ^ (u64{key.depth} << 32 | key.splits)); }
  };
  // An entry with its node in the table, its bucket, and what the allocator adds.
  static constexpr u64 kEntry = sizeof(Key) + sizeof(Known) + 64;

  u64 most_;
  u64 bytes_ = 0;
  u64 peak_ = 0;
  std::unordered_map<Key, Known, Hash> known_;
};

}  // namespace tw
