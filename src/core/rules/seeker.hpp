// Finds the literal that gains most: every threshold of every column, in one pass over lists that were sorted once. Lists follow a rule as
// it grows: they are narrowed to the cases it still covers and stay sorted.
#pragma once

#include <optional>
#include <vector>

#include "base/work.hpp"
#include "rules/cases.hpp"
#include "rules/parts.hpp"

namespace tw {

struct Listed {
  u32 at;  // the case
  Code code;
};

struct Lists {
  std::vector<u32> members;                 // ascending
  std::vector<std::vector<Listed>> sorted;  // by numeric column, in order of code, missing cells left out
};

Lists all_lists(const Cases& cases);
// The part of the lists for which keep[case] is not 0.
void narrow(const Lists& from, const std::vector<u8>& keep, Lists& to);

// Weights of positive and negative cases in one word, so that one addition counts both.
struct Pair {
  static u64 of(u32 weight, bool positive) { return positive ? u64{weight} << 32 : u64{weight}; }
  // Through signed numbers, which every processor converts in one step.
  static double positive(u64 pair) { return static_cast<double>(static_cast<i64>(pair >> 32)); }
  static double negative(u64 pair) { return static_cast<double>(static_cast<i64>(pair & 0xffffffffU)); }
  static double total(u64 pair) { return static_cast<double>(static_cast<i64>((pair >> 32) + (pair & 0xffffffffU))); }
};

struct FoundLiteral {
  Literal literal;
  double gain = 0;
  u64 covered = 0;  // a Pair
};

class Seeker {
 public:
  Seeker(const Cases& cases, LiteralGain kind, const Work& work);

  // `kind`: by case 0 where it takes no part, 1 negative, 2 positive; `weight`: by case, or null where every case weighs one quantum.
  struct Play {
    const std::vector<u8>& kind;
    const u32* weight;
    u64 total;  // a Pair: of all that take part
  };
  std::optional<FoundLiteral> best(const Lists& lists, const Play& play, const std::vector<u8>& used);

 private:
  template <class Weigh>
  std::optional<FoundLiteral> search(const Lists& lists, const Weigh& weigh, u64 total, const std::vector<u8>& used);

  struct Cut {
    u64 up;     // a Pair: cases up to the value
    u64 below;  // those below it
    Code code;
  };
  template <class Weigh>
  void count(const CaseColumn& column, const std::vector<u32>& members, const Weigh& weigh);
  template <class Weigh>
  std::size_t collect(const std::vector<Listed>& list, const Weigh& weigh);

  const Cases& cases_;
  LiteralGain kind_;
  const Work& work_;
  std::vector<std::vector<u32>> missing_;  // by numeric column, the cases whose cell is missing
  std::vector<u64> counts_;
  std::vector<Cut> cuts_;
};

}  // namespace tw
