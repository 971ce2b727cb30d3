// Finds the literal that gains most: every threshold of every column, in one pass over lists that were sorted once. Lists follow a rule as
// it grows: they are narrowed to the cases it still covers, in the same pass, and stay sorted. Blocks of cases are summed up first, and the
// best of their ends is a gain that is to be had; blocks that cannot hold a better cut are passed over.
#pragma once

#include <optional>
#include <vector>

#include "base/job_control.hpp"
#include "rules/cases.hpp"
#include "rules/measures.hpp"

namespace tw {

struct Listed {
  u32 at;  // the case
  Code code;

  Listed() {}  // NOLINT: lists are made room for before they are written, without writing them twice
  Listed(u32 place, Code cell) : at(place), code(cell) {}
};

struct Lists {
  std::vector<u32> members;                 // ascending
  std::vector<std::vector<Listed>> sorted;  // by numeric column, in order of code, missing cells left out
};

Lists all_lists(const Cases& cases);
// The part of the lists for which keep[case] is not 0.
void narrow(const Lists& from, const std::vector<u8>& keep, Lists& to);

// What a case is to a rule that is grown: the byte by which blocks of them are counted.
enum Part : u8 { kOut = 0, kNegative = 1, kPositive = 128 };

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

class LiteralSearch {
 public:
  LiteralSearch(const Cases& cases, LiteralGain kind, const JobControl& job);

  // `kind`: by case a `Part`; `weight`: by case, or null where every case weighs one quantum.
  struct Play {
    const std::vector<u8>& kind;
    const u32* weight;
    u64 total;  // a Pair: of all that take part
  };
  // With `to`, the lists of the cases that take part are left there.
  std::optional<FoundLiteral> best(const Lists& lists, const Play& play, const std::vector<u8>& used, Lists* to);

  // Entries of lists that were passed so far: what the time of learning grows with.
  u64 visits() const { return visits_; }

 private:
  template <class Weigh>
  std::optional<FoundLiteral> search(const Lists& lists, const Weigh& weigh, u64 total, const std::vector<u8>& used, Lists* to);
  template <class Weigh>
  static void count(const CaseColumn& column, const std::vector<u32>& members, const Weigh& weigh, std::vector<u64>& counts);

  const Cases& cases_;
  LiteralGain kind_;
  const JobControl& job_;
  u64 visits_ = 0;
  std::vector<std::vector<u64>> sums_;  // by column: of every level (twice), or of all cases up to the end of every block
};

}  // namespace tw
