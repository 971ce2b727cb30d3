// What covering learners read: the distinct rows of a table with their weights, in an order that depends on their cells alone. So rules
// do not depend on the order of rows, and weight 2 is the same as the row twice.
#pragma once

#include <bit>
#include <vector>

#include "table/table.hpp"

namespace tw {

enum class Test : u8 { at_most, at_least, equals };

// One condition of a rule; a missing cell satisfies none.
struct Literal {
  Column column = 0;
  Test test = Test::at_most;
  Code code = 0;

  bool holds(Code cell) const {
    if (test == Test::at_most) return cell <= code;
    return test == Test::equals ? cell == code : cell >= code && cell != kMissing;
  }
  bool operator==(const Literal&) const = default;
};
using Literals = std::vector<Literal>;

// Calls loop(holds), where holds(cell) is the test of this kind alone: the loop over cells does not branch on the kind.
template <class Loop>
void by_test(const Literal& literal, Loop&& loop) {
  const Code code = literal.code;
  switch (literal.test) {
    case Test::at_most: return loop([code](Code cell) { return cell <= code; });
    case Test::at_least: return loop([code](Code cell) -> bool { return (cell >= code) & (cell != kMissing); });
    case Test::equals: return loop([code](Code cell) { return cell == code; });
  }
}

using Bits = std::vector<u64>;  // one bit per case

struct CaseColumn {
  Kind kind = Kind::numeric;
  u32 n_codes = 0;
  bool holes = false;
  std::vector<Code> codes;  // one per case
  std::vector<u8> small;    // the same of a nominal column of few levels; missing cells count as one more level
};

struct Cases {
  u32 size = 0;
  u32 n_classes = 0;
  std::vector<CaseColumn> columns;
  std::vector<u32> class_of;
  std::vector<u32> weight;  // in quanta; their total stays below 2^32
  std::vector<u32> rows;    // as how many rows a case counts when rows are held out
  double quantum = 1;
  bool plain = true;  // every case weighs one quantum

  std::size_t words() const { return (std::size_t{size} + 63) / 64; }
  bool has(const Bits& bits, u32 at) const { return ((bits[at / 64] >> (at % 64)) & 1) != 0; }

  // Weight of the cases of one set, or of two sets at once, in quanta.
  u64 weigh(const Bits& set) const;
  u64 weigh(const Bits& a, const Bits& b) const;

  Bits none() const { return Bits(words(), 0); }
  Bits all() const;
  Bits of_class(u32 label) const;
  Bits covered(const Literals& rule) const;
};

Cases gather(const Table& table);

inline void take_away(Bits& from, const Bits& what) {
  for (std::size_t w = 0; w < from.size(); ++w) from[w] &= ~what[w];
}
inline void add_to(Bits& to, const Bits& what) {
  for (std::size_t w = 0; w < to.size(); ++w) to[w] |= what[w];
}

// Calls visit(case) for every case of a set, ascending.
template <class Visit>
void each_case(const Bits& set, Visit&& visit) {
  for (std::size_t w = 0; w < set.size(); ++w)
    for (u64 left = set[w]; left != 0; left &= left - 1) visit(static_cast<u32>(w * 64 + static_cast<std::size_t>(std::countr_zero(left))));
}

}  // namespace tw
