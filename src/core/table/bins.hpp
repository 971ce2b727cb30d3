// Bins of a numeric column, of about equal weight, by exact quantiles. They are found in rounds of counting by ever more bits of the
// numbers: what is counted adds up, so that the bins do not depend on who counted which rows in which order.
#pragma once

#include <bit>
#include <span>
#include <utility>
#include <vector>

#include "base/types.hpp"
#include "table/view.hpp"

namespace tw {

// A number as an unsigned one in the same order. Single precision has 32 bits of it, which stand in the upper half.
inline u64 bin_key(double x) {
  const u64 bits = std::bit_cast<u64>(x + 0.0);  // -0.0 is 0.0
  return bits ^ ((bits >> 63) != 0 ? ~u64{0} : u64{1} << 63);
}
inline u64 bin_key(float x) {
  const u32 bits = std::bit_cast<u32>(x + 0.0F);
  return u64{bits ^ ((bits >> 31) != 0 ? ~u32{0} : u32{1} << 31)} << 32;
}
double number_of_key(u64 key, Type type);
constexpr unsigned key_bits(Type type) { return type == Type::F32 ? 32 : 64; }

// The bins of a column, as values of the table: the least and the largest one of each; NaN where a bin is empty.
struct Bins {
  std::vector<u64> ends;  // the largest key of every bin but the last, ascending
  std::vector<double> low, high;

  u32 size() const { return static_cast<u32>(ends.size()) + 1; }
};

// Where there are no more than `most` different values, each is a bin. Otherwise a value that holds two `most`-ths of the weight, or more,
// has a bin to itself, and the others are cut into even parts: `most` less two for every such value, because that may stand in the midst of
// a part.
class BinSearch {
 public:
  BinSearch(u32 most, unsigned bits) : most_(most), bits_(bits) {}

  // One round: all rows are counted in so many counters, and the sums are taken. Only rows with a key that is wanted need to be shown.
  bool done() const { return goal_ == Goal::none; }
  std::size_t counters() const { return goal_ == Goal::coarse ? kCoarse : open_.size() * kFine; }
  bool wants(u64 key) const { return goal_ == Goal::coarse || wanted_[key >> kCoarseShift] != 0; }
  void count(u64 key, i64 weight, i64* counters) const;
  void take(std::span<const i64> counters);
  // Whether the rows that are wanted are others than those of the round before, not some of them.
  bool anew() const { return known_ == kCoarseBits; }

  // What the round in hand asks, and a search that counts it elsewhere, where its sums are not taken.
  unsigned known() const { return goal_ == Goal::coarse ? 0 : known_; }
  std::vector<u64> prefixes() const;
  static BinSearch of_round(unsigned bits, unsigned known, std::span<const u64> prefixes);

  const std::vector<u64>& ends() const { return ends_; }

 private:
  static constexpr unsigned kCoarseBits = 16;
  static constexpr unsigned kCoarseShift = 64 - kCoarseBits;
  static constexpr std::size_t kCoarse = std::size_t{1} << kCoarseBits;
  static constexpr unsigned kFineBits = 8;
  static constexpr std::size_t kFine = std::size_t{1} << kFineBits;

  // What is looked for among the keys: all of them, if they are few; those of the most weight; those at which even parts end.
  enum class Goal : u8 { coarse, few, heavy, parts, none };

  struct Open {
    u64 prefix;  // the upper bits of its keys
    i64 weight;
    u128 below;  // weight of the keys below it, without heavy ones
  };

  void begin(Goal goal);
  void finish(const std::vector<Open>& found);
  bool keeps(const Open& key) const;
  void open(std::vector<Open> keys);
  i64 heavy_within(u64 prefix, unsigned known) const;

  u32 most_;
  unsigned bits_;
  unsigned known_ = 0;
  Goal goal_ = Goal::coarse;
  std::vector<i64> coarse_;
  i64 total_ = 0;
  i64 rest_ = 0;  // weight that is not of heavy keys
  std::vector<Open> open_;
  std::vector<u32> begin_;                  // by the first bits: where open keys that have them begin
  std::vector<u8> wanted_;                  // and whether there are any
  std::vector<std::pair<u64, i64>> heavy_;  // ascending
  std::vector<u64> ends_;
};

}  // namespace tw
