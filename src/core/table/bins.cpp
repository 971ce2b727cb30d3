// The rounds of the search for bins.
#include "table/bins.hpp"

#include <algorithm>
#include <utility>

#include "base/errors.hpp"

namespace tw {

double number_of_key(u64 key, Type type) {
  if (type == Type::F32) {
    const auto bits = static_cast<u32>(key >> 32);
    return static_cast<double>(std::bit_cast<float>(bits ^ ((bits >> 31) != 0 ? u32{1} << 31 : ~u32{0})));
  }
  return std::bit_cast<double>(key ^ ((key >> 63) != 0 ? u64{1} << 63 : ~u64{0}));
}

void BinSearch::count(u64 key, i64 weight, i64* counters) const {
  if (goal_ == Goal::coarse) {
    counters[key >> kCoarseShift] += weight;
    return;
  }
  const auto first = open_.begin() + begin_[key >> kCoarseShift];
  const auto last = open_.begin() + begin_[(key >> kCoarseShift) + 1];
  const u64 prefix = key >> (64 - known_);
  const auto at = last - first == 1 ? first : std::lower_bound(first, last, prefix, [](const Open& o, u64 p) { return o.prefix < p; });
  if (at == last || at->prefix != prefix) return;
  counters[static_cast<std::size_t>(at - open_.begin()) * kFine + (key >> (64 - known_ - kFineBits) & (kFine - 1))] += weight;
}

void BinSearch::take(std::span<const i64> counters) {
  if (goal_ == Goal::coarse) {
    coarse_.assign(counters.begin(), counters.end());
    for (const i64 weight : coarse_) total_ += weight;
    const auto used = std::count_if(coarse_.begin(), coarse_.end(), [](i64 weight) { return weight > 0; });
    return begin(used <= i64{most_} ? Goal::few : Goal::heavy);
  }
  std::vector<Open> found;
  std::size_t different = 0;
  known_ += kFineBits;
  for (std::size_t i = 0; i < open_.size(); ++i) {
    u128 below = open_[i].below;
    for (std::size_t sub = 0; sub < kFine; ++sub) {
      Open key{open_[i].prefix << kFineBits | sub, counters[i * kFine + sub], below};
      if (key.weight == 0) continue;
      ++different;
      if (goal_ == Goal::parts) key.weight -= heavy_within(key.prefix, known_);
      below += static_cast<u128>(key.weight);
      if (keeps(key)) found.push_back(key);
    }
  }
  if (goal_ == Goal::few && different > most_) return begin(Goal::heavy);
  if (known_ < bits_ && !found.empty()) return open(std::move(found));
  finish(found);
}

// The weight of heavy keys that begin with these bits.
i64 BinSearch::heavy_within(u64 prefix, unsigned known) const {
  i64 weight = 0;
  for (const auto& [key, of_key] : heavy_)
    if (key >> (64 - known) == prefix) weight += of_key;
  return weight;
}

// Whether what is looked for may be among these keys.
bool BinSearch::keeps(const Open& key) const {
  const auto most = static_cast<u128>(most_);
  if (goal_ == Goal::few) return true;
  if (goal_ == Goal::heavy) return static_cast<u128>(key.weight) * most >= 2 * static_cast<u128>(total_);
  // Part k of n ends at the first key up to which there is k / n of the weight: does any of them end here?
  const u128 n = most - 2 * heavy_.size();
  const auto ended = [&](u128 weight) { return n * weight / static_cast<u128>(rest_); };
  return key.weight > 0 && ended(key.below) < std::min(ended(key.below + static_cast<u128>(key.weight)), n - 1);
}

// Looks for something else, from the first bits on.
void BinSearch::begin(Goal goal) {
  goal_ = goal;
  if (goal == Goal::parts) {
    rest_ = total_;
    for (const auto& [key, weight] : heavy_) rest_ -= weight;
    if (rest_ == 0 || most_ < 2 * heavy_.size() + 2) return finish({});
  }
  known_ = kCoarseBits;
  std::vector<Open> keys;
  u128 below = 0;
  for (std::size_t i = 0; i < kCoarse; ++i) {
    Open key{i, coarse_[i], below};
    if (key.weight == 0) continue;
    if (goal == Goal::parts) key.weight -= heavy_within(i, kCoarseBits);
    below += static_cast<u128>(key.weight);
    if (keeps(key)) keys.push_back(key);
  }
  if (keys.empty()) return finish({});
  open(std::move(keys));
}

void BinSearch::open(std::vector<Open> keys) {
  open_ = std::move(keys);
  begin_.assign(kCoarse + 1, 0);
  for (const Open& key : open_) ++begin_[(key.prefix >> (known_ - kCoarseBits)) + 1];
  wanted_.resize(kCoarse);
  for (std::size_t i = 0; i < kCoarse; ++i) {
    wanted_[i] = begin_[i + 1] > 0;
    begin_[i + 1] += begin_[i];
  }
}

std::vector<u64> BinSearch::prefixes() const {
  std::vector<u64> out;
  for (const Open& key : open_) out.push_back(key.prefix);
  return out;
}

BinSearch BinSearch::of_round(unsigned bits, unsigned known, std::span<const u64> prefixes) {
  BinSearch out(2, bits);
  if (known == 0) return out;
  if (known < kCoarseBits || known % kFineBits != 0 || known >= bits) throw Invalid("there is no such round of the search for bins");
  std::vector<Open> keys;
  for (const u64 prefix : prefixes) {
    if (prefix >> known != 0 || (!keys.empty() && prefix <= keys.back().prefix))
      throw Invalid("the beginnings of numbers are out of order");
    keys.push_back({prefix, 0, 0});
  }
  out.goal_ = Goal::parts;
  out.known_ = known;
  out.open(std::move(keys));
  return out;
}

// All bits of the keys that were looked for are known.
void BinSearch::finish(const std::vector<Open>& found) {
  const auto key_of = [&](const Open& key) { return key.prefix << (64 - bits_); };
  if (goal_ == Goal::heavy) {
    for (const Open& key : found) heavy_.emplace_back(key_of(key), key.weight);
    return begin(Goal::parts);
  }
  for (const Open& key : found) ends_.push_back(key_of(key));
  if (goal_ == Goal::few && !ends_.empty()) ends_.pop_back();
  for (const auto& [key, weight] : heavy_) {
    ends_.push_back(key);
    if (key > 0) ends_.push_back(key - (u64{1} << (64 - bits_)));
  }
  std::sort(ends_.begin(), ends_.end());
  ends_.erase(std::unique(ends_.begin(), ends_.end()), ends_.end());
  goal_ = Goal::none;
  open_ = {};
  coarse_ = {};
}

}  // namespace tw
