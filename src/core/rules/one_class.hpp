// The rules of one class against the rest: building, and rounds of optimisation.
#pragma once

#include <vector>

#include "rules/cover.hpp"
#include "rules/coverage.hpp"
#include "rules/literal_search.hpp"

namespace tw {

class OneClass {
 public:
  // `lists`: of the cases that the rules of earlier classes leave. `draws` counts the hold-out draws made so far.
  OneClass(const Cases& cases, const CoverSettings& settings, const Lists& lists, const Bits& among, u32 label, double n_conditions,
           u64& draws, const JobControl& job);

  std::vector<CoveringRule> learn(CoverTrace& trace);
  u64 visits() const { return literals_.visits(); }

 private:
  struct Holdout {
    u32 at;
    u32 weight;
  };
  enum class Against : u8 { rule, list };  // what pruning improves: the rule alone, or the whole list

  struct Progress;  // of a list being built

  void build(std::vector<CoveringRule>& rules);
  bool extend(std::vector<CoveringRule>& rules, Progress& progress);  // by one rule; false where the class ends instead
  std::vector<CoveringRule> optimise(const std::vector<CoveringRule>& old, CoverTrace& trace);
  const CoveringRule& choose(const std::vector<CoveringRule>& now, const std::vector<CoveringRule>& old, std::size_t at,
                             const std::vector<Share>& before, const Bits& left, const CoveringRule& replacement,
                             const CoveringRule& revision, CoverTrace& trace) const;

  void draw(const Bits& left);  // the cases to grow from and those held out for pruning
  Literals grown(Literals start);
  void pruned(Literals& rule, const std::vector<Holdout>& by, Against against) const;
  CoveringRule made(Literals rule) const;
  CoveringRule next_rule(const Bits& left);
  bool wrong_of_most(const Literals& rule) const;  // among the cases held out
  bool ends(const CoveringRule& rule, const Share& share, double bits, double least, double relative) const;
  void narrow_lists(const Bits& left);  // once they hold many cases that are covered

  const Cases& cases_;
  const CoverSettings& settings_;
  const Lists& base_;
  const Lists* lists_;
  Bits positive_;
  Coverage coverage_;
  u64& draws_;
  const JobControl& job_;
  LiteralSearch literals_;
  std::vector<u8> role_;     // per case a CaseRole: outside where it is held out
  std::vector<u32> weight_;  // per case, where not all weigh the same
  std::vector<Holdout> holdouts_;
  std::vector<u8> keep_;
  Lists own_, narrowed_[2];
  u32 label_;
};

}  // namespace tw
