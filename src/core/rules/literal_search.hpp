// The search for the literal of the largest gain: every threshold of every column, in one pass over lists that were sorted once. As a rule
// grows, its lists are narrowed to the cases it still covers, in the same pass, and stay sorted. Blocks of cases are summed up first, and
// the best gain at their ends is a lower bound; blocks that cannot hold a better cut are skipped.
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

  Listed() {}  // NOLINT: lists are resized before they are written, without writing them twice
  Listed(u32 place, Code cell) : at(place), code(cell) {}
};

struct Lists {
  std::vector<u32> members;                 // ascending
  std::vector<std::vector<Listed>> sorted;  // by numeric column, in order of code, missing cells left out
};

Lists all_lists(const Cases& cases);
// The entries of the lists for which keep[case] is not 0.
void narrow(const Lists& from, const std::vector<u8>& keep, Lists& to);

// The role of a case for the rule that is grown: the byte by which blocks of cases are counted.
enum CaseRole : u8 { kOutside = 0, kNegative = 1, kPositive = 128 };

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

  // `role`: per case a `CaseRole`; `weight`: per case, or null where every case weighs one quantum.
  struct Active {
    const std::vector<u8>& role;
    const u32* weight;
    u64 total;  // a Pair: of all cases that are not outside
  };
  // With `to`, the lists of the cases that are not outside are left there.
  std::optional<FoundLiteral> best(const Lists& lists, const Active& active, const std::vector<u8>& used, Lists* to);

  // Entries of lists read so far: learning time is proportional to it.
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
  std::vector<std::vector<u64>> sums_;  // per column: of every level (twice), or of all cases up to the end of every block
};

}  // namespace tw
