// The best literal: blocks of sorted lists summed up and scanned, levels counted, and the bound that skips most of both.
#include "rules/literal_search.hpp"

#include <algorithm>

#include "base/numbers.hpp"

namespace tw {

namespace {

constexpr double kTie = 1e-6;  // gains this close are equal, as in JRip: the first found is kept
constexpr double kLog2E = 1.4426950408889634;

constexpr std::size_t kBlock = 64;

struct OneEach {
  const u8* role;

  u64 operator()(u32 at) const {
    const u64 k = role[at];
    return (k >> 7) << 32 | (k & 1);
  }
  // A block adds up in one small number: positives count 128, and there are fewer than 128 others.
  u64 raw(u32 at) const { return role[at]; }
  static u64 pair(u64 sum) { return (sum >> 7) << 32 | (sum & 127); }
};

struct Weighted {
  const u8* role;
  const u32* weight;

  u64 operator()(u32 at) const {
    const u64 k = role[at];
    return k == kOutside ? 0 : Pair::of(weight[at], k == kPositive);
  }
  u64 raw(u32 at) const { return (*this)(at); }
  static u64 pair(u64 sum) { return sum; }
};

constexpr double kFarBelow = 1e-3;  // a gain this far below one that was found cannot win: see Leader::require

// The best literal so far, and a bound by which most others are ruled out without a logarithm: log2 r lies below its tangent at the rate of
// the best, so gain <= p (a + b r).
class Leader {
 public:
  Leader(LiteralGain kind, double quantum, double before)
      : kind_(kind), quantum_(quantum), before_(before), plus_(kind == LiteralGain::foil ? 0 : 1) {
    tangent_at(1);
  }

  void tangent_at(double at) {
    a_ = log2_of(at) - before_ - kLog2E;
    b_ = kLog2E / at;
  }

  bool cannot_win(double p, double t) const {
    p *= quantum_;
    t = t * quantum_ + plus_;
    return p * (a_ * t + b_ * (p + plus_)) <= needed_ * t;
  }
  double gain(u64 pair) const { return literal_gain(kind_, Pair::positive(pair) * quantum_, Pair::total(pair) * quantum_, before_); }

  void take(const Literal& literal, double gain, u64 pair) {
    best_ = gain;
    found_ = FoundLiteral{literal, gain, pair};
    require(gain + kTie, pair);
  }
  // From now on only larger gains than this count; `pair` gains about as much.
  void require(double needed, u64 pair) {
    if (needed <= needed_) return;
    needed_ = needed;
    tangent_at(rate(kind_, Pair::positive(pair) * quantum_, Pair::total(pair) * quantum_));
  }
  // The gain of a literal as a lower bound: those that gain far less are ruled out.
  void bound_by(u64 pair) {
    if (pair >> 32 == 0 || cannot_win(Pair::positive(pair), Pair::total(pair))) return;
    require(gain(pair) - kFarBelow, pair);
  }
  bool better(double gain) const { return gain > best_ + kTie; }

  // All thresholds of a sorted list whose blocks have been summed up. Where a value has no positives, a neighbouring threshold covers the
  // same positives and fewer negatives.
  template <class Weigh>
  void scan_list(const std::vector<Listed>& list, const std::vector<u64>& blocks, const Weigh& weigh, Column column) {
    const std::size_t n = list.size();
    const std::size_t n_blocks = blocks.size() - 1;
    const u64 present = blocks[n_blocks];
    u64 below = 0;  // of the values before the one that the block begins with
    for (std::size_t b = 0; b < n_blocks; ++b) {
      const std::size_t begin = b * kBlock;
      const std::size_t end = std::min(begin + kBlock, n);
      // Even with more positives and fewer others than any cut of the block there is no gain.
      const bool no_gain = no_cut(blocks[b + 1], blocks[b]) && no_cut(present - below, present - blocks[b + 1]);
      if (!no_gain) {
        scan(list, begin, end, blocks[b], present, below, weigh, column);
        continue;
      }
      if (end == n) break;
      const Code code = list[end].code;
      if (list[end - 1].code != code) {
        below = blocks[b + 1];
        continue;
      }
      // The value goes on in the next block.
      u64 up = blocks[b + 1];
      std::size_t i = end;
      for (; i > begin && list[i - 1].code == code; --i) up -= weigh(list[i - 1].at);
      if (i > begin) below = up;
    }
  }

  const std::optional<FoundLiteral>& found() const { return found_; }

 private:
  // Of all sets between two, the one of the most positives of the larger and the fewest cases of the smaller would gain most.
  bool no_cut(u64 larger, u64 smaller) const {
    const double p = Pair::positive(larger);
    return cannot_win(p, std::max(p, Pair::total(smaller)));
  }

  template <class Weigh>
  void scan(const std::vector<Listed>& list, std::size_t begin, std::size_t end, u64 up, u64 present, u64& below, const Weigh& weigh,
            Column column) {
    for (std::size_t i = begin; i < end; ++i) {
      up += weigh(list[i].at);
      if (i + 1 < list.size() && list[i + 1].code == list[i].code) continue;
      const u64 before = below;
      below = up;
      if (up >> 32 == before >> 32) continue;
      const u64 over = present - before;
      if (cannot_win(Pair::positive(up), Pair::total(up)) && cannot_win(Pair::positive(over), Pair::total(over))) continue;
      const double first = gain(up);
      const double second = gain(over);
      if (first > second && better(first))
        take({column, Test::at_most, list[i].code}, first, up);
      else if (first <= second && better(second))
        take({column, Test::at_least, list[i].code}, second, over);
    }
  }

  LiteralGain kind_;
  double quantum_;
  double before_;
  double plus_;
  double best_ = 0;
  double needed_ = kTie;
  double a_ = 0;
  double b_ = 0;
  std::optional<FoundLiteral> found_;
};

template <class Entry, class Keep>
void narrow_list(const std::vector<Entry>& from, std::vector<Entry>& to, const Keep& keep) {
  to.resize(from.size());
  std::size_t n = 0;
  for (const Entry& entry : from) {
    to[n] = entry;
    n += std::size_t{keep(entry)};
  }
  to.resize(n);
}

}  // namespace

Lists all_lists(const Cases& cases) {
  Lists lists;
  lists.members.resize(cases.size);
  for (u32 i = 0; i < cases.size; ++i) lists.members[i] = i;
  lists.sorted.resize(cases.columns.size());
  for (std::size_t j = 0; j < cases.columns.size(); ++j) {
    const CaseColumn& column = cases.columns[j];
    if (column.kind == Kind::nominal) continue;
    std::vector<u32> begin(std::size_t{column.n_codes} + 1, 0);
    for (const Code code : column.codes)
      if (code != kMissing) ++begin[code + 1];
    for (u32 code = 0; code < column.n_codes; ++code) begin[code + 1] += begin[code];
    lists.sorted[j].resize(begin[column.n_codes]);
    for (u32 i = 0; i < cases.size; ++i)
      if (const Code code = column.codes[i]; code != kMissing) lists.sorted[j][begin[code]++] = {i, code};
  }
  return lists;
}

void narrow(const Lists& from, const std::vector<u8>& keep, Lists& to) {
  narrow_list(from.members, to.members, [&](u32 at) { return keep[at] != 0; });
  to.sorted.resize(from.sorted.size());
  for (std::size_t j = 0; j < from.sorted.size(); ++j)
    narrow_list(from.sorted[j], to.sorted[j], [&](const Listed& entry) { return keep[entry.at] != 0; });
}

LiteralSearch::LiteralSearch(const Cases& cases, LiteralGain kind, const JobControl& job) : cases_(cases), kind_(kind), job_(job) {}

// Two sets of counters in turn: with one, neighbours of the same level would wait for each other's addition.
template <class Weigh>
void LiteralSearch::count(const CaseColumn& column, const std::vector<u32>& members, const Weigh& weigh, std::vector<u64>& counts) {
  const std::size_t width = std::size_t{column.n_codes} + 1;  // the last is for missing cells
  counts.assign(2 * width, 0);
  u64* const even = counts.data();
  u64* const odd = even + width;
  const auto add = [&](const auto& place) {
    std::size_t i = 0;
    for (; i + 1 < members.size(); i += 2) {
      even[place(members[i])] += weigh(members[i]);
      odd[place(members[i + 1])] += weigh(members[i + 1]);
    }
    if (i < members.size()) even[place(members[i])] += weigh(members[i]);
  };
  if (!column.small.empty())
    add([codes = column.small.data()](u32 at) { return std::size_t{codes[at]}; });
  else
    add([codes = column.codes.data(), width](u32 at) { return std::min<std::size_t>(codes[at], width - 1); });
  for (std::size_t code = 0; code < width; ++code) even[code] += odd[code];
}

namespace {

// Sums up to the end of every block; with kNarrow, `to` gets the list of the cases that are not outside.
template <bool kNarrow, class Weigh>
void sum_blocks(const std::vector<Listed>& list, const Weigh& weigh, std::vector<u64>& sums, std::vector<Listed>* to) {
  const std::size_t n = list.size();
  sums.resize((n + kBlock - 1) / kBlock + 1);
  if constexpr (kNarrow) to->resize(n);
  Listed* out = kNarrow ? to->data() : nullptr;
  u64 up = 0;
  u64* block = sums.data();
  *block = 0;
  for (std::size_t begin = 0; begin < n; begin += kBlock) {
    const Listed* entry = list.data() + begin;
    const Listed* const end = list.data() + std::min(begin + kBlock, n);
    u64 sum = 0;
    for (; entry != end; ++entry) {
      const u64 raw = weigh.raw(entry->at);
      sum += raw;
      if constexpr (kNarrow) {
        *out = *entry;
        out += raw != 0;
      }
    }
    up += Weigh::pair(sum);
    *++block = up;
  }
  if constexpr (kNarrow) to->resize(static_cast<std::size_t>(out - to->data()));
}

}  // namespace

template <class Weigh>
std::optional<FoundLiteral> LiteralSearch::search(const Lists& lists, const Weigh& weigh, u64 total, const std::vector<u8>& used,
                                                  Lists* to) {
  const double quantum = cases_.quantum;
  Leader leader(kind_, quantum, log2_of(rate(kind_, Pair::positive(total) * quantum, Pair::total(total) * quantum)));
  const std::vector<u32>* members = &lists.members;
  if (to != nullptr) {
    narrow_list(*members, to->members, [&](u32 at) { return weigh.raw(at) != 0; });
    visits_ += members->size();
    members = &to->members;
    to->sorted.resize(lists.sorted.size());
  }
  sums_.resize(cases_.columns.size());
  for (Column j = 0; j < cases_.columns.size(); ++j) {
    if (used[j] != 0) continue;
    job_.check();
    const CaseColumn& column = cases_.columns[j];
    if (column.kind == Kind::nominal) {
      visits_ += members->size();
      count(column, *members, weigh, sums_[j]);
      for (Code code = 0; code < column.n_codes; ++code) leader.bound_by(sums_[j][code]);
      continue;
    }
    const std::vector<Listed>& list = lists.sorted[j];
    visits_ += list.size();
    if (to != nullptr)
      sum_blocks<true>(list, weigh, sums_[j], &to->sorted[j]);
    else
      sum_blocks<false>(list, weigh, sums_[j], nullptr);
    const std::vector<u64>& sums = sums_[j];
    for (std::size_t b = 1; b + 1 < sums.size(); ++b) {
      if (list[b * kBlock - 1].code == list[b * kBlock].code) continue;
      leader.bound_by(sums[b]);
      leader.bound_by(sums.back() - sums[b]);
    }
  }
  for (Column j = 0; j < cases_.columns.size(); ++j) {
    if (used[j] != 0) continue;
    if (cases_.columns[j].kind == Kind::numeric) {
      leader.scan_list(lists.sorted[j], sums_[j], weigh, j);
      continue;
    }
    for (Code code = 0; code < cases_.columns[j].n_codes; ++code) {
      const u64 counted = sums_[j][code];
      if (counted == 0 || leader.cannot_win(Pair::positive(counted), Pair::total(counted))) continue;
      if (const double gain = leader.gain(counted); leader.better(gain)) leader.take({j, Test::equals, code}, gain, counted);
    }
  }
  return leader.found();
}

std::optional<FoundLiteral> LiteralSearch::best(const Lists& lists, const Active& active, const std::vector<u8>& used, Lists* to) {
  if (active.weight == nullptr) return search(lists, OneEach{active.role.data()}, active.total, used, to);
  return search(lists, Weighted{active.role.data(), active.weight}, active.total, used, to);
}

}  // namespace tw
