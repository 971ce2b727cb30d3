#include "rules/seeker.hpp"

#include <algorithm>

#include "base/numbers.hpp"

namespace tw {

namespace {

constexpr double kTie = 1e-6;  // gains this close are equal, as in JRip: the first found is kept
constexpr double kLog2E = 1.4426950408889634;

// The best literal so far, and a bound by which most others are passed over without a logarithm: log2 r lies below its tangent at the rate
// of the best, so gain <= p (a + b r).
class Race {
 public:
  Race(LiteralGain kind, double quantum, double before)
      : kind_(kind), quantum_(quantum), before_(before), plus_(kind == LiteralGain::foil ? 0 : 1) {
    tangent_at(1);
  }

  void tangent_at(double at) {
    a_ = log2_of(at) - before_ - kLog2E;
    b_ = kLog2E / at;
  }

  bool hopeless(double p, double t) const {
    p *= quantum_;
    t = t * quantum_ + plus_;
    return p * (a_ * t + b_ * (p + plus_)) <= (best_ + kTie) * t;
  }
  double gain(u64 pair) const { return literal_gain(kind_, Pair::positive(pair) * quantum_, Pair::total(pair) * quantum_, before_); }

  void take(const Literal& literal, double gain, u64 pair) {
    best_ = gain;
    found_ = FoundLiteral{literal, gain, pair};
    tangent_at(rate(kind_, Pair::positive(pair) * quantum_, Pair::total(pair) * quantum_));
  }
  bool better(double gain) const { return gain > best_ + kTie; }
  const std::optional<FoundLiteral>& found() const { return found_; }

 private:
  LiteralGain kind_;
  double quantum_;
  double before_;
  double plus_;
  double best_ = 0;
  double a_ = 0;
  double b_ = 0;
  std::optional<FoundLiteral> found_;
};

struct OneEach {
  const u8* kind;
  u64 operator()(u32 at) const {
    const u64 k = kind[at];
    return (k >> 1) << 32 | (k & 1);
  }
};

struct Weighted {
  const u8* kind;
  const u32* weight;
  u64 operator()(u32 at) const {
    const u64 k = kind[at];
    return k == 0 ? 0 : Pair::of(weight[at], k == 2);
  }
};

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
  const auto kept = [&](auto& list, const auto& source, auto&& id) {
    list.resize(source.size());
    std::size_t n = 0;
    for (const auto& entry : source) {
      list[n] = entry;
      n += std::size_t{keep[id(entry)] != 0};
    }
    list.resize(n);
  };
  kept(to.members, from.members, [](u32 at) { return at; });
  to.sorted.resize(from.sorted.size());
  for (std::size_t j = 0; j < from.sorted.size(); ++j) kept(to.sorted[j], from.sorted[j], [](const Listed& entry) { return entry.at; });
}

Seeker::Seeker(const Cases& cases, LiteralGain kind, const Work& work)
    : cases_(cases), kind_(kind), work_(work), missing_(cases.columns.size()) {
  for (std::size_t j = 0; j < cases.columns.size(); ++j)
    if (cases.columns[j].kind == Kind::numeric && cases.columns[j].holes)
      for (u32 i = 0; i < cases.size; ++i)
        if (cases.columns[j].codes[i] == kMissing) missing_[j].push_back(i);
}

// Two sets of counters in turn: one would wait for itself where neighbours share a level.
template <class Weigh>
void Seeker::count(const CaseColumn& column, const std::vector<u32>& members, const Weigh& weigh) {
  const std::size_t width = std::size_t{column.n_codes} + 1;  // the last is for missing cells
  counts_.assign(2 * width, 0);
  u64* const even = counts_.data();
  u64* const odd = even + width;
  const Code* const codes = column.codes.data();
  const auto place = [&](Code code) { return std::min<std::size_t>(code, width - 1); };
  std::size_t i = 0;
  for (; i + 1 < members.size(); i += 2) {
    even[place(codes[members[i]])] += weigh(members[i]);
    odd[place(codes[members[i + 1]])] += weigh(members[i + 1]);
  }
  if (i < members.size()) even[place(codes[members[i]])] += weigh(members[i]);
  for (std::size_t code = 0; code < width; ++code) even[code] += odd[code];
}

// The cuts that may win, without a branch that depends on the cells. Where a value has no positives, a neighbouring one covers the same
// positives and fewer negatives.
template <class Weigh>
std::size_t Seeker::collect(const std::vector<Listed>& list, const Weigh& weigh) {
  if (list.empty()) return 0;
  if (cuts_.size() < list.size()) cuts_.resize(list.size());
  Cut* const out = cuts_.data();
  std::size_t n = 0;
  u64 up = 0;
  u64 below = 0;
  const std::size_t last = list.size() - 1;
  for (std::size_t i = 0; i <= last; ++i) {
    up += weigh(list[i].at);
    const bool ends = i == last || list[i + 1].code != list[i].code;
    out[n] = {up, below, list[i].code};
    n += static_cast<std::size_t>(ends) & static_cast<std::size_t>(up >> 32 != below >> 32);
    below = ends ? up : below;
  }
  return n;
}

template <class Weigh>
std::optional<FoundLiteral> Seeker::search(const Lists& lists, const Weigh& weigh, u64 total, const std::vector<u8>& used) {
  const double quantum = cases_.quantum;
  Race race(kind_, quantum, log2_of(rate(kind_, Pair::positive(total) * quantum, Pair::total(total) * quantum)));
  for (Column j = 0; j < cases_.columns.size(); ++j) {
    if (used[j] != 0) continue;
    work_.check();
    const CaseColumn& column = cases_.columns[j];
    if (column.kind == Kind::nominal) {
      count(column, lists.members, weigh);
      for (Code code = 0; code < column.n_codes; ++code)
        if (counts_[code] != 0 && !race.hopeless(Pair::positive(counts_[code]), Pair::total(counts_[code])))
          if (const double gain = race.gain(counts_[code]); race.better(gain)) race.take({j, Test::equals, code}, gain, counts_[code]);
      continue;
    }
    u64 known = total;
    for (const u32 at : missing_[j]) known -= weigh(at);
    const std::size_t n = collect(lists.sorted[j], weigh);
    for (std::size_t i = 0; i < n; ++i) {
      const auto& [up, below, code] = cuts_[i];
      const u64 over = known - below;
      if (race.hopeless(Pair::positive(up), Pair::total(up)) && race.hopeless(Pair::positive(over), Pair::total(over))) continue;
      const double first = race.gain(up);
      const double second = race.gain(over);
      if (first > second && race.better(first))
        race.take({j, Test::at_most, code}, first, up);
      else if (first <= second && race.better(second))
        race.take({j, Test::at_least, code}, second, over);
    }
  }
  return race.found();
}

std::optional<FoundLiteral> Seeker::best(const Lists& lists, const Play& play, const std::vector<u8>& used) {
  if (play.weight == nullptr) return search(lists, OneEach{play.kind.data()}, play.total, used);
  return search(lists, Weighted{play.kind.data(), play.weight}, play.total, used);
}

}  // namespace tw
